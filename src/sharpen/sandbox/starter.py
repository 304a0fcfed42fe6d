"""Levels `landlock` and `none`: jobs started by a lean process that forks for each of them.

Starting a Python per job would cost ten times what a job like `true` takes, and restricting oneself after a
fork is not safe in a process with threads. So a starter is kept per sandbox, with processes ready to become
jobs. It ends with us, however we end.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path

from sharpen.errors import SandboxError

from . import view as views
from .confine.order import Ending, Order, Setting
from .limits import Limits
from .running import Job, Pipes, Started
from .view import View

_HERE = Path(__file__).parent
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from confine.server import main; main(int(sys.argv[2]), sys.argv[3])"
)
_LONGEST_ENDING = 1 << 16


class Starter:
    """The process that starts jobs; made with the first of them."""

    def __init__(self, setting: Setting) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            words = [str(_HERE), str(theirs.fileno()), setting.to_text()]
            command = [sys.executable, "-I", "-S", "-c", _PROGRAM, *words]
            process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env={}, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self._orders = ours
        self._process = process
        self.close = weakref.finalize(self, _close, ours, process)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, fds: list[int]) -> None:
        socket.send_fds(self._orders, [b"o"], fds)


def _close(orders: socket.socket, process: subprocess.Popen[bytes]) -> None:
    orders.close()
    process.wait()


class Ordered:
    """A job under way at the starter."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    @classmethod
    async def start(cls, starter: Starter, job: Job, pipes: Pipes) -> Ordered:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            try:
                starter.send([*pipes.theirs, theirs.fileno()])
            except OSError as error:
                ours.close()
                raise SandboxError(f"the sandbox's starter is gone ({error}); open a new sandbox") from error
        data = Order(job.argv, str(job.folder), dict(job.env)).to_bytes()
        try:
            await asyncio.get_running_loop().sock_sendall(ours, len(data).to_bytes(8, "big") + data)
        except BaseException:
            ours.close()  # which ends the run
            raise
        return cls(ours)

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)

    async def ended(self) -> Ending:
        loop, data = asyncio.get_running_loop(), b""
        with self._control:
            while piece := await loop.sock_recv(self._control, _LONGEST_ENDING):
                data += piece
        if not data:
            raise SandboxError("the sandbox's monitor died; what the job did is not known")
        return Ending.from_bytes(data)


class Forked:
    """The level: `confined` by Landlock and seccomp, or not at all."""

    def __init__(self, view: View, limits: Limits, cgroups: Path | None, *, confined: bool) -> None:
        self._setting = _setting(view, limits, confined=confined, cgroups=cgroups)
        self._starter: Starter | None = None

    async def start(self, job: Job) -> Started:
        if self._starter is None or not self._starter.alive:
            self.close()
            self._starter = Starter(self._setting)
        pipes = Pipes()
        try:
            return Started(await Ordered.start(self._starter, job, pipes), pipes)
        except BaseException:
            pipes.close_ours()
            raise
        finally:
            pipes.close_theirs()

    def prepare(self, folder: Path) -> None:
        """The starter sees to it by itself."""

    def close(self) -> None:
        if self._starter:
            self._starter.close()
            self._starter = None


def _setting(view: View, limits: Limits, *, confined: bool, cgroups: Path | None) -> Setting:
    proc = [path for name in views.HARMLESS_PROC if (path := Path("/proc", name)).exists()]
    system = [Path(path) for path in views.SYSTEM if Path(path).exists()]
    readable = [*system, *view.etc, *view.prefixes, *view.readable, *proc]
    return Setting(
        confined=confined,
        network=view.network,
        readable=[str(path) for path in readable],
        writable=[str(path) for path in view.writable],
        devices=[path for path in views.DEVICES if Path(path).exists()],
        rlimits=limits.rlimits(),
        processes=limits.processes,
        cgroups=str(cgroups) if cgroups else None,
        scratch=tempfile.gettempdir(),
    )
