"""What came of a run, and which limit had a part in it.

A limit that we enforce ourselves (time, output) is known for certain, and so is a refused fork where a
cgroup counted. The others are read from how the job died and what it said last; a job can fake those words,
so they are a hint for people and never a decision.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Literal

Isolation = Literal["bubblewrap", "landlock", "none"]
Limit = Literal["time", "memory", "cpu", "processes", "file size", "output"]

_TAIL = 8192
_WORDS: dict[Limit, tuple[bytes, ...]] = {
    "file size": (b"File too large", b"File size limit exceeded", b"EFBIG"),
    "processes": (
        b"Resource temporarily unavailable",
        b"can't start new thread",
        b"Cannot fork",
        b"fork: retry",
        b"EAGAIN",
    ),
    "memory": (
        b"MemoryError",
        b"Cannot allocate memory",
        b"memory exhausted",
        b"out of memory",
        b"Out of memory",
        b"bad_alloc",
        b"ENOMEM",
        b"cannot allocate",
        b"failed to map segment",
    ),
}
_SIGNALS: dict[int, Limit] = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "file size"}


@dataclass(frozen=True)
class Finished:
    """One run that is over, with everything it started."""

    argv: tuple[str, ...]
    exit_code: int | None  # None when a signal ended it
    signal: int | None
    stdout: bytes
    stderr: bytes
    truncated: bool  # output went on after what is kept
    seconds: float
    isolation: Isolation
    stopped_by: Limit | None  # the limit that ended or curtailed it, where that can be told


def blamed(
    *, exit_code: int | None, signal_number: int | None, stderr: bytes, cpu_used_up: bool
) -> Limit | None:
    """Which limit an unhappy ending looks like."""
    if exit_code == 0:
        return None
    if signal_number in _SIGNALS:
        return _SIGNALS[signal_number]
    if signal_number == signal.SIGKILL and cpu_used_up:
        return "cpu"
    tail = stderr[-_TAIL:]
    for limit, words in _WORDS.items():
        if any(word in tail for word in words):
            return limit
    return None
