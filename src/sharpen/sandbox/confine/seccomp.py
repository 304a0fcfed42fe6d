"""The filter on system calls, as the program the kernel runs (classic BPF), and how it is put in place.

Two filters: `in_namespaces` for a job that already lives in its own namespaces, and `on_the_host` for one
that shares the host's, where sockets, shared memory and file modes must be looked after, too.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable

from . import calls, kernel

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL, _ERROR, _ASK = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

_NEW_NAMESPACES = 0x7E020000
_SET_ID = 0o6000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_INET, _AF_INET6, _AF_NETLINK = 2, 10, 16
# An unconnected kind of pair (datagrams) could send to any socket of the host by its path.
_PAIRS = [kind | flags for kind in (1, 5) for flags in (0, 0x800, 0x80000, 0x80800)]

_SET_MODE_FILTER, _NEW_LISTENER = 1, 1 << 3


def supported() -> bool:
    return kernel.LINUX and kernel.MACHINE in calls.NUMBERS


class _Program:
    """Instructions in order. After every rule the accumulator holds the call's number again."""

    def __init__(self, machine: str) -> None:
        self.numbers = calls.NUMBERS[machine]
        self.code: list[bytes] = []
        self.emit(_LOAD, _ARCHITECTURE)
        self.emit(_EQUAL, _AUDIT[machine], 1, 0)
        self.emit(_RETURN, _KILL)
        self.emit(_LOAD, _NUMBER)
        if machine == "x86_64":
            self.emit(_AT_LEAST, _X32, 0, 1)
            self.emit(_RETURN, _ERROR | errno.ENOSYS)

    def emit(self, code: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        self.code.append(struct.pack("HBBI", code, if_true, if_false, value))

    def refuse(self, names: Iterable[str], action: int = _ERROR | errno.EPERM) -> None:
        for name in names:
            if name in self.numbers:
                self.emit(_EQUAL, self.numbers[name], 0, 1)
                self.emit(_RETURN, action)

    def refuse_if(self, name: str, argument: int, test: int, value: int) -> None:
        """Refused when the argument's low half equals the value or has one of its bits."""
        self.emit(_EQUAL, self.numbers[name], 0, 4)
        self.emit(_LOAD, _ARGUMENTS + 8 * argument)
        self.emit(test, value, 0, 1)
        self.emit(_RETURN, _ERROR | errno.EPERM)
        self.emit(_LOAD, _NUMBER)

    def refuse_unless(self, name: str, argument: int, values: Iterable[int]) -> None:
        allowed = list(values)
        self.emit(_EQUAL, self.numbers[name], 0, len(allowed) + 3)
        self.emit(_LOAD, _ARGUMENTS + 8 * argument)
        for position, value in enumerate(allowed):
            self.emit(_EQUAL, value, len(allowed) - position, 0)
        self.emit(_RETURN, _ERROR | errno.EPERM)
        self.emit(_LOAD, _NUMBER)

    def finished(self) -> bytes:
        self.emit(_RETURN, _ALLOW)
        return b"".join(self.code)


def _begun(machine: str) -> _Program:
    program = _Program(machine)
    program.refuse(calls.POWERFUL)
    program.refuse(calls.UNREADABLE, _ERROR | errno.ENOSYS)
    for name, position in calls.MODES.items():
        if name in program.numbers:
            program.refuse_if(name, position, _ANY_BIT, _SET_ID)
    program.refuse_if("clone", 0, _ANY_BIT, _NEW_NAMESPACES)
    for request in (_TIOCSTI, _TIOCLINUX):
        program.refuse_if("ioctl", 1, _EQUAL, request)
    return program


def in_namespaces(machine: str = kernel.MACHINE) -> bytes:
    return _begun(machine).finished()


def on_the_host(*, network: bool, truncation: bool, machine: str = kernel.MACHINE) -> bytes:
    """`truncation`: whether truncate(2) may run, because something else keeps it inside."""
    program = _begun(machine)
    program.refuse(calls.SHARED)
    program.refuse(calls.OWNERS)
    program.refuse(calls.ATTRIBUTES, _ERROR | errno.EOPNOTSUPP)
    program.refuse(calls.ANSWERED, _ASK)
    program.refuse([] if truncation else ["truncate"])
    for name in calls.OF_A_PROCESS:
        program.refuse_unless(name, 0, [0])
    for name, kind in (("setpriority", 0), ("ioprio_set", 1)):
        program.refuse_unless(name, 0, [kind])
        program.refuse_unless(name, 1, [0])
    program.refuse([] if network else calls.TALKING)
    program.refuse_unless("socketpair", 1, _PAIRS)
    program.refuse_unless("socket", 0, [_AF_INET, _AF_INET6, _AF_NETLINK] if network else [])
    return program.finished()


def install(program: bytes) -> int:
    """Puts the filter on this process and returns the descriptor on which its questions arrive."""
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))
    return kernel.syscall(kernel.SECCOMP, _SET_MODE_FILTER, _NEW_LISTENER, header)
