"""Which files a process and its descendants may touch, by the kernel's Landlock.

Knows the rights each ABI version brought. What an older version lacks is not asked for; `gaps` names what
then stays open. Does not know which paths a job needs.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from . import kernel

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_VERSION = (1 << 13) - 1
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract unix sockets and signals
_PATH_BENEATH = 1


def abi() -> int:
    """The version this kernel speaks; 0 where there is no Landlock."""
    if not kernel.LINUX:
        return 0
    try:
        return kernel.syscall(kernel.LANDLOCK_CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def gaps(version: int) -> tuple[str, ...]:
    """What this version cannot keep a job from doing to files and processes outside."""
    return (*(("truncation",) if version < 3 else ()), *(("signals",) if version < 6 else ()))


def _handled(version: int) -> int:
    rights = _FIRST_VERSION
    rights |= _REFER if version >= 2 else 0
    rights |= _TRUNCATE if version >= 3 else 0
    return rights | (_IOCTL_DEV if version >= 5 else 0)


class Ruleset:
    """Paths that may be touched. It can be filled long before it is put in force."""

    def __init__(self, *, tcp: bool) -> None:
        version = abi()
        self._handled = _handled(version)
        net = _TCP if version >= 4 and not tcp else 0
        attributes = struct.pack("QQQ", self._handled, net, _SCOPES if version >= 6 else 0)
        buffer = ctypes.create_string_buffer(attributes, 24)
        self._descriptor = kernel.syscall(kernel.LANDLOCK_CREATE_RULESET, buffer, 24, 0)

    def allow_reading(self, path: str) -> None:
        self._allow(path, _EXECUTE | _READ_FILE | _READ_DIR)

    def allow_device(self, path: str) -> None:
        self._allow(path, _READ_FILE | _WRITE_FILE)

    def allow_writing(self, path: str) -> None:
        self._allow(path, self._handled & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV))

    def enforce(self) -> None:
        """From here on this process and all it starts reach these paths only. Needs no_new_privs."""
        kernel.syscall(kernel.LANDLOCK_RESTRICT_SELF, self._descriptor, 0)
        os.close(self._descriptor)

    def _allow(self, path: str, rights: int) -> None:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISDIR(os.fstat(opened).st_mode):
                rights &= _OF_FILES
            rule = ctypes.create_string_buffer(struct.pack("<Qi", rights, opened), 12)
            kernel.syscall(kernel.LANDLOCK_ADD_RULE, self._descriptor, _PATH_BENEATH, rule, 0)
        finally:
            os.close(opened)
