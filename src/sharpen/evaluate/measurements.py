"""What a measurement is asked for and what it says: plain records, for people and for `--json`.

Making measurements is `compare.py`'s business; nothing here runs a student.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, get_args

from sharpen.errors import SettingsError
from sharpen.skills import Skill
from sharpen.types import Estimate, Metric, Split, Verdict


@dataclass(frozen=True)
class EvaluateSettings:
    """Settings of `evaluate` and `compare`; the defaults suit most measurements."""

    passes: int = 1
    """Attempts per task and skill."""
    split: Split = "selection"
    """The split that is measured when the tasks are a TaskSet."""
    metric: Metric = "hard"
    """The score that counts: hard, soft, or a mix of both."""
    mixed_weight: float = 0.5
    """Weight of the soft score when the metric is mixed."""
    alpha: float = 0.05
    """Chance that `compare` calls a skill better that behaves like the other one (two-sided)."""
    concurrency: int = 16
    """Attempts in flight at once. It changes the speed, never the result."""
    retries: int = 2
    """How often an attempt that measured nothing is made again."""
    timeout: float | None = 1800.0
    """Seconds after which one attempt counts as failed to run; None waits forever."""

    def __post_init__(self) -> None:
        for name, choices in (("split", Split), ("metric", Metric)):
            if getattr(self, name) not in get_args(choices):
                raise SettingsError(
                    f"{name} is {getattr(self, name)!r}; it can be {', '.join(get_args(choices))}"
                )
        for name, least in (("passes", 1), ("concurrency", 1), ("retries", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise SettingsError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if not 0 < self.alpha < 1 or not 0 <= self.mixed_weight <= 1:
            raise SettingsError("alpha lies between 0 and 1, mixed_weight from 0 to 1")


@dataclass(frozen=True)
class Evaluated:
    """One skill, measured."""

    skill: Skill
    score: Estimate
    """Mean over tasks with its interval."""
    values: Mapping[str, tuple[float, ...]]
    """Per task id, the values of the attempts that measured something."""
    errors: Mapping[str, int]
    """Per task id, the attempts that measured nothing, retries not counted."""
    spent: Mapping[str, float]
    """What the measurement cost, errors and retries included; in a comparison, of both skills together."""
    openings: tuple[bool, ...] = ()
    """Of each attempt that tells, whether its agent opened the skill; a chat is given it and says nothing."""
    tokens: tuple[int, ...] = ()
    """Of each attempt that measured something and tells, what it used."""

    @property
    def rollouts(self) -> int:
        return int(self.spent["rollouts"])

    @property
    def not_measured(self) -> tuple[str, ...]:
        """Tasks of which nothing is known."""
        return tuple(task for task in self.errors if task not in self.values)

    def as_json(self) -> dict[str, Any]:
        return {
            "skill": self.skill.digest,
            "score": asdict(self.score),
            "values": {task: list(values) for task, values in self.values.items()},
            "errors": dict(self.errors),
            "not_measured": list(self.not_measured),
            "skill_used": {"in": sum(self.openings), "of": len(self.openings)} if self.openings else None,
            "tokens_per_attempt": fmean(self.tokens) if self.tokens else None,
            "spent": dict(self.spent),
        }


@dataclass(frozen=True)
class Compared:
    """Two skills on the same tasks. Differences are the first minus the second."""

    first: Evaluated
    second: Evaluated
    difference: Estimate
    verdict: Verdict
    """Is the first better? `pairs` counts tasks (or groups), as wins, ties and losses do."""
    p_value: float
    """Exact two-sided sign test; on pass/fail scores and one pass it is McNemar's test."""
    differences: Mapping[str, float]
    """Per task id, the mean of the first minus the mean of the second."""

    @property
    def rollouts(self) -> int:
        return self.first.rollouts

    def as_json(self) -> dict[str, Any]:
        return {
            "first": self.first.as_json(),
            "second": self.second.as_json(),
            "difference": asdict(self.difference),
            "verdict": asdict(self.verdict),
            "p_value": self.p_value,
            "differences": dict(self.differences),
            "spent": dict(self.first.spent),
        }
