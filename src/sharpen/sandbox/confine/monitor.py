"""One run, watched from outside of its confinement: answers the job's questions and ends everything.

The monitor adopts what the job leaves behind, so a daemon has no parent to flee to. It ends the run when
the job exits, when it is told to, and when the process that ordered the run is gone.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from . import kernel, metadata
from .cgroups import Group
from .order import Ending, Setting

_PAUSE = 0.001  # between rounds of killing

Recruiting = Callable[[str, Group | None, socket.socket], None]


def watch(setting: Setting, recruit: Recruiting) -> None:
    """The whole life of one run. `recruit` is called in the child that becomes the job; it never returns."""
    wake = _wake_on_children()
    if kernel.LINUX:
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    tmp = os.path.realpath(tempfile.mkdtemp(prefix="sharpen-", dir=setting.scratch))
    counts = setting.cgroups and setting.processes
    group = Group(Path(setting.cgroups or ""), setting.processes or 0) if counts else None
    try:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            ours.close()
            recruit(tmp, group, theirs)
        theirs.close()
        _follow(_Run(pid, wake, group), ours, [tmp, *setting.writable])
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
        if group:
            group.remove()


def _follow(run: _Run, ours: socket.socket, writable: list[str]) -> None:
    words, fds = _first_words(ours)
    if not fds:
        return run.end_all()  # no order came, and none will
    control = socket.socket(fileno=fds[0])
    folder, _, rest = words.partition(b"\0")
    failure = rest.partition(b"!")[2]
    if not failure:
        places = [os.path.realpath(place) for place in (os.fsdecode(folder), *writable)]
        run.until_over(control, fds[1:], places)
    run.end_all()
    with control, contextlib.suppress(OSError):  # nobody may be left to be told
        control.sendall(run.ending(failure.decode("utf-8", "replace")).to_bytes())
    return None


def _wake_on_children() -> int:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    os.set_blocking(reading, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def _first_words(job_end: socket.socket) -> tuple[bytes, list[int]]:
    """All the child says before its exec: the folder, the connection, the filter, or why there is no job."""
    said, fds = b"", []
    while True:
        piece, more, _, _ = socket.recv_fds(job_end, 4096, 2)
        fds += more
        if not piece:
            job_end.close()
            return said, fds
        said += piece


class _Run:
    """The job's process and all that comes of it."""

    def __init__(self, pid: int, wake: int, group: Group | None) -> None:
        self.pid, self.wake, self.group = pid, wake, group
        self.status: int | None = None
        self.cpu = 0.0

    def ending(self, failure: str) -> Ending:
        return Ending(self.status or 0, self.cpu, bool(self.group and self.group.refused()), failure)

    def until_over(self, control: socket.socket, questions: list[int], writable: list[str]) -> None:
        """Returns when the job is over or somebody wants it to be."""
        poll = select.poll()
        for source in (control.fileno(), self.wake, *questions):
            poll.register(source, select.POLLIN)
        while self.reap() and self.status is None:
            for source, event in poll.poll():
                if source == control.fileno():
                    return  # a word or the end of the connection: both mean stop
                if source in questions and event & select.POLLIN:
                    metadata.answer(source, writable)
                elif source in questions:
                    poll.unregister(source)  # the last process under the filter is gone

    def reap(self) -> bool:
        """Takes in the children that ended; False when none is left."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.wake, 4096)
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.cpu += usage.ru_utime + usage.ru_stime
            if pid == self.pid:
                self.status = status

    def end_all(self) -> None:
        """Until nothing is left: what forks while it is hunted is found in the next round."""
        while self.reap():
            for pid in self.group.members() if self.group else _descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_PAUSE)


def _descendants(pid: int) -> list[int]:
    """Children, grandchildren and so on, as far as they are still there."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in map(int, children):
            found += [child, *_descendants(child)]
    return found
