"""What a store keeps, and the one interface behind which it keeps it.

Answers are kept by what was asked, never by when: the same question finds the same answer, so running
a command again pays only for what is missing. This module knows no file, no SQL and no loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from sharpen.skills import Edit, Skill
from sharpen.types import CallKey, Estimate, Json, Rollout, Task, Usage

VersionStatus = Literal["start", "candidate", "accepted", "rejected"]


class AttemptKey(NamedTuple):
    """One student call: which skill, which task, whose answer, and the how-manieth."""

    skill: str
    task: str
    student: str
    trial: int


class ProposalKey(NamedTuple):
    """One teacher call: `question` is the digest of skill, evidence, limit, memory and matter."""

    teacher: str
    question: str
    trial: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A teacher's answer; `error` says why it could not be used, then there are no edits."""

    edits: tuple[Edit, ...] = ()
    usage: Usage | None = None
    error: str = ""
    data: Json = field(default_factory=dict)  # what it said beside edits


@dataclass(frozen=True, slots=True)
class Version:
    """A skill the run has proposed to the gate, with the edits that lead from its parent to it."""

    digest: str
    parent: str | None
    text: str
    edits: tuple[Json, ...] = ()  # each an edit as JSON plus status, reason and witness, in the order applied
    status: VersionStatus = "candidate"
    files: Mapping[str, bytes] = field(default_factory=dict)  # what lies beside SKILL.md, by path

    @property
    def skill(self) -> Skill:
        """The skill itself, files included."""
        return Skill(self.text, self.files)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A skill measured on a split for a purpose (`gate`, `final`, `test`, `eval`)."""

    skill: str
    split: str
    purpose: str
    estimate: Estimate
    counted: Json = field(default_factory=dict)  # task id -> [sum of values, attempts measured, errors]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, numbered from 1. `data` holds no clock value; `at` is the wall clock."""

    number: int
    kind: str
    data: Json
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """A stored attempt as reports read it. `outcome` is None for a call that was lost in flight."""

    key: AttemptKey
    task_id: str
    outcome: str | None
    hard: float | None
    soft: float | None
    feedback: str
    error: str
    usage: Usage | None
    stage: str = ""
    has_trajectory: bool = False  # `Store.trajectory` finds it

    @classmethod
    def of(cls, key: AttemptKey, rollout: Rollout, stage: str = "") -> AttemptRecord:
        """The record of an attempt that finished."""
        score = rollout.score
        hard, soft = (float(score.hard), float(score.soft)) if score else (None, None)
        feedback = score.feedback if score else ""
        return cls(
            key=key,
            task_id=rollout.task.id,
            outcome=rollout.outcome,
            hard=hard,
            soft=soft,
            feedback=feedback,
            error=rollout.error,
            usage=rollout.usage,
            stage=stage,
            has_trajectory=rollout.trajectory is not None,
        )


@dataclass(frozen=True, slots=True)
class ProposalRecord:
    """A stored teacher call as reports read it: what it cost, and what became of it."""

    key: ProposalKey
    edits: int
    error: str
    usage: Usage | None
    stage: str = ""


class Store(Protocol):
    """One writer, many readers. Every `finish_*` and `add_*` is durable when it returns; see `together`."""

    def find_attempt(self, key: AttemptKey, task: Task) -> Rollout | None: ...
    def find_proposal(self, key: ProposalKey) -> Proposal | None: ...
    def start(self, keys: Sequence[AttemptKey | ProposalKey]) -> None:
        """Note calls about to be made, so that a killed run can say which ones it lost."""

    def together(self) -> AbstractContextManager[None]:
        """Calls that are finished inside are durable when it ends: cheaper than one by one."""
        ...

    def finish_attempt(self, key: AttemptKey, rollout: Rollout, *, stage: str = "") -> None: ...
    def finish_proposal(self, key: ProposalKey, proposal: Proposal, *, stage: str = "") -> None: ...
    def find_call(self, key: CallKey) -> Json | None: ...
    def finish_call(self, key: CallKey, answer: Json, usage: Usage) -> None: ...
    def forget(self, keys: Sequence[AttemptKey | ProposalKey]) -> None:
        """Turn finished calls into lost ones: answers of an outage, which a resume should ask for again."""

    def lost(self) -> int:
        """Calls that an earlier process started and never finished. They are not charged."""

    def add_version(self, version: Version) -> None:
        """Insert, or update the status of a version already there; start and accepted stay what they are."""

    def add_evaluation(self, evaluation: Evaluation) -> None: ...
    def add_event(self, event: Event) -> None:
        """Idempotent by number: a resumed run replays its events without doubling them."""

    def drop_events(self, *, after: int) -> None:
        """Forget events with a larger number: an outage told them, and the run went on without."""

    def versions(self) -> list[Version]: ...
    def evaluations(self) -> list[Evaluation]: ...
    def events(self) -> list[Event]: ...
    def attempts(self) -> list[AttemptRecord]: ...
    def proposals(self) -> list[ProposalRecord]: ...
    def trajectory(self, key: AttemptKey) -> Json | None:
        """What an attempt did, step by step; None where nobody recorded it. Lists of attempts do without."""

    def config(self) -> dict[str, Any]:
        """The resolved configuration this run was made with; empty before `set_config`."""

    def set_config(self, config: Json) -> None: ...
    def result(self) -> dict[str, Any] | None:
        """The finished run's result as stored by `set_result`; None while it is unfinished."""

    def set_result(self, result: Json) -> None: ...
    def seconds(self) -> float:
        """Wall time spent by all processes that worked on this run so far."""

    def close(self) -> None: ...
