"""What the levels have in common: a job, the pipes to it, and a job under way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .confine.order import Ending


@dataclass(frozen=True)
class Job:
    """What to run, checked: the program is there, the folder too."""

    argv: tuple[str, ...]
    folder: Path
    env: Mapping[str, str]


class Pipes:
    """Three pipes, made together: the job's ends and ours, in the order stdin, stdout, stderr."""

    def __init__(self) -> None:
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        self.theirs = (stdin[0], stdout[1], stderr[1])
        self.ours = (stdin[1], stdout[0], stderr[0])

    def close_theirs(self) -> None:
        for end in self.theirs:
            os.close(end)

    def close_ours(self) -> None:
        for end in self.ours:
            os.close(end)


class Running(Protocol):
    """A started job. `kill` ends it and everything it started; `ended` returns when all of that is gone."""

    def kill(self) -> None: ...

    async def ended(self) -> Ending: ...


@dataclass(frozen=True)
class Started:
    """A job under way, our ends of its pipes, what its input must begin with and its output begins with."""

    running: Running
    pipes: Pipes
    preface: bytes = b""
    greeting: bytes = b""


class Level(Protocol):
    """One way to isolate: starts jobs, and keeps whatever makes the next start quick."""

    async def start(self, job: Job) -> Started: ...

    def prepare(self, folder: Path) -> None: ...

    def close(self) -> None: ...
