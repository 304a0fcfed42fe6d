"""Modes and times of files, changed on behalf of a job that may not change them itself.

Landlock guards what a file holds, not its mode and times, so the filter sends these calls here. The change
is made through a descriptor that is first proved to lie in a place the job may write; nothing is handed
back to the kernel to repeat, so swapping a path in between gains nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass

from . import calls, kernel

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_HERE = -100  # AT_FDCWD
_NOFOLLOW = 0x100
_UTIME_NOW, _UTIME_OMIT = (1 << 30) - 1, (1 << 30) - 2
_LONGEST_PATH = 4096


@dataclass(frozen=True)
class _Wish:
    """Which file, seen from the calling process, and what to set: a mode or a pair of times."""

    pid: int
    start: int
    path: int  # its address there; 0 when `start` itself is meant
    follow: bool
    mode: int | None = None
    times: int = 0


def answer(questions: int, writable: Sequence[str]) -> None:
    """Takes one question off the descriptor, does what may be done, and lets the caller go on."""
    buffer = bytearray(_QUESTION.size)
    try:
        fcntl.ioctl(questions, _RECEIVE, buffer)
    except OSError:
        return  # the caller died while it waited
    identity, pid, _, number, _, _, *arguments = _QUESTION.unpack(buffer)
    try:
        _grant(_wish(pid, number, arguments), writable)
        failure = 0
    except OSError as error:
        failure = -(error.errno or errno.EPERM)
    try:
        fcntl.ioctl(questions, _SEND, _ANSWER.pack(identity, 0, failure, 0))
    except OSError:
        return


def _wish(pid: int, number: int, arguments: Sequence[int]) -> _Wish:
    names = {known: name for name, known in calls.NUMBERS[kernel.MACHINE].items()}
    name, (first, second, third, fourth) = names[number], arguments[:4]
    if name == "chmod":
        return _Wish(pid, _HERE, first, True, mode=second & 0o7777)
    if name == "fchmod":
        return _Wish(pid, _signed(first), 0, True, mode=second & 0o7777)
    if name == "utimensat":
        return _Wish(pid, _signed(first), second, not fourth & _NOFOLLOW, times=third)
    follow = name == "fchmodat" or not fourth & _NOFOLLOW
    return _Wish(pid, _signed(first), second, follow, mode=third & 0o7777)


def _signed(descriptor: int) -> int:
    low = descriptor & 0xFFFFFFFF
    return low - (1 << 32) if low >= 1 << 31 else low


def _grant(wish: _Wish, writable: Sequence[str]) -> None:
    opened = _opened(wish)
    try:
        real = os.readlink(f"/proc/self/fd/{opened}")  # noqa: PTH115
        if not any(real == place or real.startswith(place + "/") for place in writable):
            raise PermissionError(errno.EPERM, "outside of what the job may write")
        if wish.mode is not None:
            os.chmod(f"/proc/self/fd/{opened}", wish.mode)  # noqa: PTH101
        else:
            os.utime(f"/proc/self/fd/{opened}", ns=_times(wish, opened))
    finally:
        os.close(opened)


def _opened(wish: _Wish) -> int:
    start = f"/proc/{wish.pid}/cwd" if wish.start == _HERE else f"/proc/{wish.pid}/fd/{wish.start}"
    path = _text(wish.pid, wish.path) if wish.path else b""
    if not path:
        return os.open(start, os.O_PATH | os.O_CLOEXEC)
    flags = os.O_PATH | os.O_CLOEXEC | (0 if wish.follow else os.O_NOFOLLOW)
    if path.startswith(b"/"):
        return os.open(path, flags)
    folder = os.open(start, os.O_PATH | os.O_CLOEXEC)
    try:
        return os.open(path, flags, dir_fd=folder)
    finally:
        os.close(folder)


def _text(pid: int, address: int) -> bytes:
    """The string at an address of the caller; read in pieces, as the next page may not be there."""
    text = b""
    while b"\0" not in text and len(text) < _LONGEST_PATH:
        step = 4096 - (address + len(text)) % 4096
        text += _memory(pid, address + len(text), step)
    return text.split(b"\0")[0]


def _memory(pid: int, address: int, size: int) -> bytes:
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, size, address)
    finally:
        os.close(memory)


def _times(wish: _Wish, opened: int) -> tuple[int, int]:
    """Access and change time in nanoseconds, with the two special values of utimensat worked out."""
    now = time.time_ns()
    if not wish.times:
        return now, now
    found = os.stat(f"/proc/self/fd/{opened}")  # noqa: PTH116
    seen, seen_ns, changed, changed_ns = struct.unpack("qqqq", _memory(wish.pid, wish.times, 32))
    return (
        _moment(seen, seen_ns, now, found.st_atime_ns),
        _moment(changed, changed_ns, now, found.st_mtime_ns),
    )


def _moment(seconds: int, nanoseconds: int, now: int, kept: int) -> int:
    if nanoseconds == _UTIME_NOW:
        return now
    return kept if nanoseconds == _UTIME_OMIT else seconds * 1_000_000_000 + nanoseconds
