"""Namespaces made ahead of their job, and a job under way in them.

Most of a start is bwrap's setting up, which needs the folder but not yet the job. So a wrapping waits at
a gate until its limits are set from outside; then a shell inside waits for one line, the job, and is
replaced by it. Killing the first process of a namespace ends everything in it at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import weakref
from pathlib import Path

from . import bwrap
from .confine import seccomp
from .confine.cgroups import Group
from .confine.order import Ending
from .limits import Limits
from .running import Pipes
from .view import View

OWN_PROCESSES = 2  # bwrap's: the one outside and the first one inside
_PATIENCE = 2.0  # seconds for bwrap to say which process it made


class Wrapping:
    """Namespaces made for one folder, with a shell inside that waits for the one job it will become."""

    def __init__(self, folder: Path, *, view: View, limits: Limits, group: Group | None) -> None:
        self.folder, self._identity = folder, _identity(folder)
        self.pipes, self.group, self._limits = Pipes(), group, limits
        info, gate, rules = os.pipe(), os.pipe(), os.pipe()
        os.write(rules[1], seccomp.in_namespaces())
        os.close(rules[1])
        given = {"--info-fd": info[1], "--block-fd": gate[0], "--seccomp": rules[0]}
        command = [bwrap.program() or "bwrap", *(word for pair in given.items() for word in map(str, pair))]
        command += [*bwrap.arguments(folder, view=view, limits=limits), "--", "/bin/sh", "-c", bwrap.LISTEN]
        if group:
            command = ["/bin/sh", "-c", bwrap.JOIN, str(group.path / "cgroup.procs"), *command]
        self.info, self._gate = info[0], gate[1]
        os.set_blocking(self.info, False)
        self._said, self._settled = bytearray(), False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.inside: list[int] = []  # a descriptor of the namespace's first process, once it is there
        self.process = _opened(command, self.pipes, list(given.values()))
        kept = (self.process, self.pipes, (self.info, self._gate), self.inside, self._said)
        self.discard = weakref.finalize(self, _discard, *kept)

    def fits(self, folder: Path) -> bool:
        """Whether it is for this folder, and for the one that is there now."""
        return folder == self.folder and _identity(folder) == self._identity and self.process.poll() is None

    def settle(self) -> bool:
        """Sets the limits and opens the gate as soon as bwrap is that far; True when that is behind us."""
        if self._settled:
            return True
        try:
            piece = os.read(self.info, 4096)
        except BlockingIOError:
            return False
        self._said += piece
        with contextlib.suppress(ValueError):
            first = int(json.loads(self._said)["child-pid"])
            self._settled = True
            with contextlib.suppress(ProcessLookupError, BrokenPipeError):  # bwrap failed after this word
                self._admit(first)
        self._settled = self._settled or not piece
        return self._settled

    def settle_when_ready(self) -> None:
        """Settles by itself as soon as the running event loop gets to it."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self.info, self._look)

    def _look(self) -> None:
        if self.settle():
            self._unwatch()

    def _unwatch(self) -> None:
        """A closed descriptor that a loop still watches would hide the next one of the same number."""
        if self._loop and not self._loop.is_closed():
            self._loop.remove_reader(self.info)
        self._loop = None

    def drop(self) -> None:
        self._unwatch()
        self.discard()
        if self.group:
            self.group.retired = True

    async def begin(self) -> Wrapped:
        """From here on the pipes and the process are the caller's."""
        self._unwatch()
        while not self.settle():
            await _readable(self.info)
        self.discard.detach()
        os.close(self.info)
        os.close(self._gate)
        return Wrapped(self.process, self.inside, self.group)

    def _admit(self, first: int) -> None:
        self.inside.append(os.pidfd_open(first))
        for name, pair in self._limits.rlimits().items():
            _limit(first, getattr(resource, f"RLIMIT_{name}"), pair)
        if self._limits.processes and not self.group and os.geteuid() != 0:
            _limit(first, resource.RLIMIT_NPROC, (self._limits.processes + OWN_PROCESSES,) * 2)
        os.write(self._gate, b"g")


def _identity(folder: Path) -> tuple[int, int]:
    try:
        found = folder.stat()
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


def _opened(command: list[str], pipes: Pipes, given: list[int]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = pipes.theirs
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=given,
            env={},  # bwrap's own environment can be read inside, as that of process 1
            start_new_session=True,
        )
    finally:
        pipes.close_theirs()
        for fd in given:
            os.close(fd)


def _discard(
    process: subprocess.Popen[bytes],
    pipes: Pipes,
    others: tuple[int, int],
    inside: list[int],
    said: bytearray,
) -> None:
    """Kills from the inside: a bwrap that dies too early leaves its half-made first process behind."""
    while not inside and select.select([others[0]], [], [], _PATIENCE)[0]:
        piece = os.read(others[0], 4096)
        said += piece
        with contextlib.suppress(ValueError, ProcessLookupError):
            inside.append(os.pidfd_open(int(json.loads(said)["child-pid"])))
        if not piece:
            break
    with contextlib.suppress(ProcessLookupError):
        for first in inside:
            signal.pidfd_send_signal(first, signal.SIGKILL)
            select.select([first], [], [], _PATIENCE)  # until it is gone
    process.kill()
    process.wait()
    pipes.close_ours()
    for fd in (*others, *inside):
        os.close(fd)


class Wrapped:
    """A job under way in its namespaces."""

    def __init__(self, process: subprocess.Popen[bytes], inside: list[int], group: Group | None) -> None:
        self._process, self._inside, self._group = process, inside, group

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._inside:
                signal.pidfd_send_signal(self._inside[0], signal.SIGKILL)
            else:
                self._process.kill()

    async def ended(self) -> Ending:
        status = await self._outcome()
        refused = False
        if self._group:
            refused, self._group.retired = self._group.refused(), True
        if not self._inside:
            return Ending(status, None)
        self.kill()  # bwrap leaves as soon as the job does; what the job left behind is still inside
        first = self._inside.pop()
        await _readable(first)
        os.close(first)
        return Ending(_unwrapped(status), None, refused)

    async def _outcome(self) -> int:
        watched = os.pidfd_open(self._process.pid)
        try:
            await _readable(watched)
        finally:
            os.close(watched)
        _, status = os.waitpid(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return status


def _limit(pid: int, kind: int, pair: tuple[int, int]) -> None:
    _, ceiling = resource.prlimit(pid, kind)
    if ceiling != resource.RLIM_INFINITY:
        pair = (min(pair[0], ceiling), min(pair[1], ceiling))
    resource.prlimit(pid, kind, pair)


def _unwrapped(status: int) -> int:
    """bwrap reports a signal as shells do, 128 + number; turned back into the wait status it stands for."""
    code = os.waitstatus_to_exitcode(status)
    return code - 128 if 128 < code <= 128 + signal.SIGSYS else status


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(descriptor, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
