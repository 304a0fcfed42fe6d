"""The records that pass between the parts, and the two things a user brings: a student and a teacher.

Everything here is immutable and checks itself when it is made, so that no other module has to ask
whether a score is a number. Nothing here reads files, runs students or knows how a skill is judged.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from sharpen.errors import SettingsError, TaskError
from sharpen.skills import Edit, Skill

Outcome = Literal["solved", "failed", "error"]
Metric = Literal["hard", "soft", "mixed"]
Decision = Literal["better", "not better", "not enough data"]
Split = Literal["train", "selection", "test"]
Json = Mapping[str, Any]


canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
"""One spelling per value: sorted keys, no spaces. What digests are computed over."""


def digest_of(*parts: object) -> str:
    """SHA-256 (hex) of the parts' canonical JSON: the name of anything kept by content."""
    return sha256(canonical_json(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Task:
    """One thing to do. The digest covers id, prompt and data; the group only clusters errors."""

    id: str
    prompt: str = ""
    data: Json = field(default_factory=dict)
    group: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise TaskError(f"a task needs a non-empty string as id, not {self.id!r}")

    def __hash__(self) -> int:
        return hash(self.id)

    @cached_property
    def digest(self) -> str:
        try:
            return digest_of(self.id, self.prompt, self.data)
        except (TypeError, ValueError) as error:
            raise TaskError(f"task {self.id!r}: its data must be plain JSON values ({error})") from error


class TaskSet:
    """The three splits: search on train, decide on selection, look at test once."""

    def __init__(
        self, *, train: Iterable[Task], selection: Iterable[Task], test: Iterable[Task] = ()
    ) -> None:
        self.train: tuple[Task, ...] = tuple(train)
        self.selection: tuple[Task, ...] = tuple(selection)
        self.test: tuple[Task, ...] = tuple(test)
        self._check()

    def split(self, name: Split) -> tuple[Task, ...]:
        return {"train": self.train, "selection": self.selection, "test": self.test}[name]

    @cached_property
    def digest(self) -> str:
        return digest_of(
            *([task.digest for task in split] for split in (self.train, self.selection, self.test))
        )

    def _check(self) -> None:
        if not self.train:
            raise TaskError("the train split is empty; the search needs at least one task")
        if not self.selection:
            raise TaskError("the selection split is empty; nothing could be accepted without held-out tasks")
        home: dict[str, str] = {}
        for name, tasks in (("train", self.train), ("selection", self.selection), ("test", self.test)):
            for task in tasks:
                if not isinstance(task, Task):
                    raise TaskError(f"the {name} split holds {type(task).__name__}, not a Task")
                if task.id in home:
                    where = (
                        f"twice in {name}" if home[task.id] == name else f"in {home[task.id]} and in {name}"
                    )
                    raise TaskError(f"task {task.id!r} is {where}; ids must be unique over all splits")
                home[task.id] = name


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call cost. `usd` is None where the price is not known, never zero for unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 1
    usd: float | None = None
    model: str = ""
    """Who was called, as `provider:model`; empty when not known."""

    def __post_init__(self) -> None:
        if min(self.input_tokens, self.output_tokens, self.calls) < 0 or (
            self.usd is not None and not self.usd >= 0
        ):
            raise ValueError(f"usage cannot be negative: {self}")

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Score:
    """How an attempt went: both numbers lie in 0..1; a task is solved exactly when `hard` is 1."""

    hard: float
    soft: float
    feedback: str = ""

    def __post_init__(self) -> None:
        for name in ("hard", "soft"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not 0 <= value <= 1:  # NaN fails the comparison too
                raise ValueError(f"the {name} score must be a number from 0 to 1, not {value!r}")
            object.__setattr__(self, name, float(value))  # a stored score reads back the same
        if not isinstance(self.feedback, str):
            raise ValueError(f"feedback must be a string, not {type(self.feedback).__name__}")  # noqa: TRY004

    def value(self, metric: Metric, mixed_weight: float = 0.5) -> float:
        """The one number that search, gate and reports use."""
        if metric == "hard":
            return float(self.hard)
        if metric == "soft":
            return float(self.soft)
        return (1 - mixed_weight) * self.hard + mixed_weight * self.soft


@dataclass(frozen=True, slots=True)
class Rollout:
    """One attempt at one task: scored, or an error that says why nothing was measured."""

    task: Task
    score: Score | None
    error: str = ""
    usage: Usage | None = None
    trajectory: Json | None = None

    @classmethod
    def scored(
        cls,
        task: Task,
        *,
        hard: float,
        soft: float | None = None,
        feedback: str = "",
        usage: Usage | None = None,
        trajectory: Json | None = None,
    ) -> Rollout:
        """An attempt that ran to its end; `soft` defaults to `hard`."""
        return cls(task, Score(hard, hard if soft is None else soft, feedback), "", usage, trajectory)

    @classmethod
    def failed_to_run(cls, task: Task, *, reason: str, usage: Usage | None = None) -> Rollout:
        """An attempt that measured nothing: provider down, sandbox broken, timeout."""
        return cls(task, None, reason or "no reason given", usage)

    @property
    def outcome(self) -> Outcome:
        if self.score is None:
            return "error"
        return "solved" if self.score.hard == 1 else "failed"


@dataclass(frozen=True)
class Budget:
    """Hard limits. A call that could cross one is not made; None means no limit of that kind."""

    rollouts: int | None = None
    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None

    @property
    def planned(self) -> int:
        """Rollouts a run is planned for: what the counting limits allow, or a usual number without them."""
        limits = [limit for limit in (self.rollouts, self.calls) if limit is not None]
        return min(limits, default=2000)

    def __post_init__(self) -> None:
        limits = {f.name: getattr(self, f.name) for f in fields(self)}
        if all(value is None for value in limits.values()):
            raise SettingsError("a budget needs at least one limit, for example Budget(rollouts=500)")
        for name, value in limits.items():
            if value is not None and (isinstance(value, bool) or not math.isfinite(value) or value <= 0):
                raise SettingsError(f"budget {name} must be a positive number, not {value!r}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval: `n` attempts on `tasks` different tasks."""

    mean: float
    low: float
    high: float
    n: int
    tasks: int = 0

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate said about a candidate, with everything needed to check it by hand."""

    gate: str
    decision: Decision
    reason: str
    pairs: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    difference: Estimate | None = None
    evidence: float | None = None
    needed: float | None = None

    @property
    def accepted(self) -> bool:
        return self.decision == "better"


@runtime_checkable
class Student(Protocol):
    """The frozen agent: tries one task with one skill in hand. Randomness comes from `trial` only."""

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout: ...


@runtime_checkable
class Teacher(Protocol):
    """Reads attempts that went badly (and well) and proposes edits to the skill."""

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]: ...


@dataclass(frozen=True, slots=True)
class Advice:
    """A teacher's answer that is not edits: JSON whose shape the matter decides."""

    data: Json
    usage: Usage | None = None


@runtime_checkable
class Adviser(Protocol):
    """A teacher that can be asked about more than edits: how to merge, what to keep, what an epoch taught."""

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]: ...

    async def advise(
        self,
        matter: str,
        skill: Skill,
        evidence: Sequence[Rollout],
        *,
        material: Json,
        limit: int,
        memory: str,
        trial: int,
    ) -> Advice: ...


class Prices(Protocol):
    """What a student may have beside `attempt`: the most one attempt can cost, known before it is made."""

    def worst_case(self, task: Task, skill: Skill) -> Usage | None: ...


class CallKey(NamedTuple):
    """One model call: whose answer, to which request, and the how-manieth."""

    model: str
    request: str
    trial: int


class CallLog(Protocol):
    """Where model calls are kept. An answer is in the log before anybody uses it."""

    def find_call(self, key: CallKey) -> Json | None: ...
    def finish_call(self, key: CallKey, answer: Json, usage: Usage) -> None: ...


def fingerprint_of(actor: object) -> str:
    """The name under which an actor's answers are kept: its own `fingerprint`, else its class."""
    own = getattr(actor, "fingerprint", None)
    if isinstance(own, str) and own:
        return own
    return f"{type(actor).__module__}.{type(actor).__qualname__}"
