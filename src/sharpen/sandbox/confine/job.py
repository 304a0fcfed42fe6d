"""The process that becomes the job: prepared while nobody waits, confined and replaced when an order comes.

The sequence matters: what needs rights (joining a cgroup) comes first, the filter on system calls last.
Everything here runs once per process.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
from collections.abc import Sequence

from . import kernel, seccomp
from .cgroups import Group
from .landlock import Ruleset
from .order import Order, Setting


class Recruit:
    """A process ready to become a job of this setting."""

    def __init__(self, setting: Setting, tmp: str, group: Group | None) -> None:
        self.setting, self.tmp, self.counted = setting, tmp, group is not None
        os.setsid()
        _reset_signals()
        if group:
            group.add(os.getpid())
        for name, pair in setting.rlimits.items():
            if name != "AS":  # last of all: Python itself may hold more than the job is given
                _limit(name, pair)
        if kernel.LINUX:
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        self.ruleset = _ruleset(setting, tmp) if setting.confined else None

    def become(self, order: Order, streams: Sequence[int], *, rules: bytes, monitor: socket.socket) -> None:
        """Does not return when all goes well. The monitor gets the filter's descriptor before the exec."""
        for wanted, given in enumerate(streams):
            os.dup2(given, wanted)
        os.chdir(order.folder)
        processes = self.setting.processes
        if processes and not self.counted and os.geteuid() != 0:
            others = tasks_of_user()
            if others is not None:
                _limit("NPROC", (processes + others,) * 2)
        if self.ruleset:
            self.ruleset.allow_writing(order.folder)
            self.ruleset.enforce()
            questions = seccomp.install(rules)
            socket.send_fds(monitor, [b"q"], [questions])
        if "AS" in self.setting.rlimits:
            _limit("AS", self.setting.rlimits["AS"])
        os.execve(order.argv[0], list(order.argv), {"TMPDIR": self.tmp, "HOME": self.tmp, **order.env})


def _ruleset(setting: Setting, tmp: str) -> Ruleset:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.drop_capabilities()
    rules = Ruleset(tcp=setting.network)
    for path in setting.readable:
        rules.allow_reading(path)
    for path in setting.devices:
        rules.allow_device(path)
    for path in (tmp, *setting.writable):
        rules.allow_writing(path)
    return rules


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _limit(name: str, pair: Sequence[int]) -> None:
    soft, hard = pair
    kind = getattr(resource, f"RLIMIT_{name}", None)
    if kind is None:
        return
    _, ceiling = resource.getrlimit(kind)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    with contextlib.suppress(ValueError):  # macOS refuses an address space limit
        resource.setrlimit(kind, (soft, hard))


def tasks_of_user() -> int | None:
    """Processes and threads this user has now, all counted against the limit; None when unknown."""
    mine, total = os.geteuid(), 0
    try:
        entries = [entry for entry in os.scandir("/proc") if entry.name.isdigit()]
    except OSError:
        return None
    for entry in entries:
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == mine:
                total += sum(1 for _ in os.scandir(f"/proc/{entry.name}/task"))
    return total
