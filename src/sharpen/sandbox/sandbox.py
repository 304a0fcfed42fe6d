"""A place to run untrusted programs: one level of isolation, one set of limits, any number of runs.

Knows how a run goes: started, fed, read, timed, ended with everything it started. How a job is started and
killed is the level's own affair.
"""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sharpen.errors import SandboxError

from .confine.order import Ending
from .finished import Finished, Isolation, Limit, blamed
from .limits import Limits
from .running import Job, Level, Running, Started
from .streams import Streams
from .view import View, environment, program, work_folder

_NOTHING: Mapping[str, str] = MappingProxyType({})
_GRACE = 1.0  # seconds for outputs to end after the job did
_LULL = 0.005  # seconds after a run until the next one is prepared, if the program still waits for something


class Sandbox:
    """Made by `open_sandbox`, which checks that the level works here."""

    def __init__(
        self, isolation: Isolation, level: Level, *, limits: Limits, view: View, unenforced: tuple[str, ...]
    ) -> None:
        self.isolation: Isolation = isolation
        self.limits = limits
        self.unenforced = unenforced
        self._level = level
        self._view = view

    async def run(
        self, argv: Sequence[str], *, folder: Path, stdin: bytes = b"", env: Mapping[str, str] = _NOTHING
    ) -> Finished:
        """Runs until the job ends or a limit ends it; nothing it started outlives this call."""
        job = self._checked(argv, folder, env)
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.limits.seconds):
                started = await self._level.start(job)
        except TimeoutError as error:
            raise SandboxError(f"{self.isolation} did not start within {self.limits.seconds} s") from error
        finished = await self._followed(started, job, stdin, began)
        asyncio.get_running_loop().call_later(_LULL, _prepare, weakref.ref(self), job.folder)
        return finished

    def close(self) -> None:
        """Ends what was kept ready; happens by itself when the sandbox is no longer used."""
        self._level.close()

    def _checked(self, argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> Job:
        if isinstance(argv, str | bytes) or not argv:
            raise SandboxError(f"a job is a non-empty list of words such as ['ls', '-l'], not {argv!r}")
        for name in env:
            if not name.isidentifier() or not name.isascii():
                raise SandboxError(f"{name!r} cannot be the name of an environment variable in the sandbox")
        full = environment(env)
        if any("\0" in word for word in (*argv, *full.values())):
            raise SandboxError("neither a job's words nor its environment may hold a NUL character")
        place = work_folder(folder)
        seen = None if self.isolation == "none" else self._view
        first = program(argv[0], path=full["PATH"], folder=place, view=seen)
        return Job((first, *argv[1:]), place, full)

    async def _followed(self, started: Started, job: Job, stdin: bytes, began: float) -> Finished:
        stopped: list[Limit] = []

        def full() -> None:
            stopped.append("output")
            started.running.kill()

        given, bound = started.preface + stdin, self.limits.output_bytes + len(started.greeting)
        streams = Streams(started.pipes.ours, given, bound=bound, on_full=full)
        try:
            left = self.limits.seconds - (time.monotonic() - began)
            ending = await _to_the_end(started.running, left, stopped)
            await streams.all_read(_GRACE)
        finally:
            streams.close()
        if ending.failure or not (stopped or streams.stdout.startswith(started.greeting)):
            said = ending.failure or streams.stderr.decode("utf-8", "replace").strip() or "no reason given"
            raise SandboxError(f"{job.argv[0]} could not be started in the sandbox: {said}")
        output = streams.stdout.removeprefix(started.greeting)
        seconds = time.monotonic() - began
        return self._finished(job, ending, output, streams, stopped=stopped, seconds=seconds)

    def _finished(
        self,
        job: Job,
        ending: Ending,
        stdout: bytes,
        streams: Streams,
        *,
        stopped: list[Limit],
        seconds: float,
    ) -> Finished:
        code = os.waitstatus_to_exitcode(ending.status)
        exit_code, number = (code, None) if code >= 0 else (None, -code)
        limit: Limit | None = stopped[0] if stopped else None
        if limit is None and ending.refused_fork:
            limit = "processes"
        if limit is None:
            most = seconds * (os.cpu_count() or 1) if ending.cpu is None else ending.cpu
            spent = self.limits.cpu_seconds is not None and most >= self.limits.cpu_seconds
            limit = blamed(
                exit_code=exit_code, signal_number=number, stderr=streams.stderr, cpu_used_up=spent
            )
        return Finished(
            argv=job.argv,
            exit_code=exit_code,
            signal=number,
            stdout=stdout,
            stderr=streams.stderr,
            truncated=streams.truncated,
            seconds=seconds,
            isolation=self.isolation,
            stopped_by=limit,
        )


def _prepare(sandbox: weakref.ref[Sandbox], folder: Path) -> None:
    """Nothing is prepared for a sandbox that is no longer used."""
    there = sandbox()
    if there is not None:
        there._level.prepare(folder)


async def _to_the_end(running: Running, seconds: float, stopped: list[Limit]) -> Ending:
    """Waits; on time-out and on cancellation kills, and then waits for everything to be gone."""
    end = asyncio.ensure_future(running.ended())
    try:
        done, _ = await asyncio.wait({end}, timeout=max(seconds, 0.0))
        if not done:
            stopped.append("time")
    finally:
        if not end.done():
            running.kill()
            await asyncio.wait({end})
    return end.result()
