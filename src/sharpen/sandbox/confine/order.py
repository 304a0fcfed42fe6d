"""What the starter is told and tells, as records that travel as JSON: a setting, a job, an ending."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Setting:
    """The same for all jobs of a starter. `confined` is False for no isolation."""

    confined: bool
    network: bool
    readable: Sequence[str]
    writable: Sequence[str]
    devices: Sequence[str]
    rlimits: Mapping[str, Sequence[int]]  # name as in resource.RLIMIT_*: soft, hard
    processes: int | None
    cgroups: str | None  # where a group for each job can be made
    scratch: str  # where a private temporary folder for each job is made

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Setting:
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Order:
    """One job."""

    argv: Sequence[str]
    folder: str
    env: Mapping[str, str]

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes) -> Order:
        return cls(**json.loads(data))


@dataclass(frozen=True)
class Ending:
    """How a job ended: its wait status, or why it never started; the CPU seconds of all of it, if known."""

    status: int
    cpu: float | None
    refused_fork: bool = False  # known only where a cgroup counts
    failure: str = ""

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes) -> Ending:
        return cls(**json.loads(data))
