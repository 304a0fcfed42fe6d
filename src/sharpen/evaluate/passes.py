"""Whole passes over tasks: fresh attempts of one skill, and the estimate that comes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from sharpen.evaluate.runner import Runner
from sharpen.skills import Skill
from sharpen.stats import mean_estimate
from sharpen.store import Evaluation
from sharpen.types import Estimate, Metric, Rollout, Task

Value = Callable[[Rollout], float | None]


def valued_by(metric: Metric, mixed_weight: float = 0.5) -> Value:
    """How a rollout becomes one number: None for an error."""

    def value(rollout: Rollout) -> float | None:
        return None if rollout.score is None else rollout.score.value(metric, mixed_weight)

    return value


@dataclass
class Measured:
    """Values per task id, and the attempts that measured nothing."""

    values: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    openings: list[bool] = field(default_factory=list)
    """Of the attempts that tell: whether the skill was opened."""
    tokens: list[int] = field(default_factory=list)
    """Of the attempts that tell: what they used."""

    def add(self, task: Task, rollout: Rollout | None, value: float | None) -> None:
        if task.group is not None:
            self.groups[task.id] = task.group
        if value is not None:
            self.values.setdefault(task.id, []).append(value)
            self._look_at(rollout)
        elif rollout is not None:
            self.errors[task.id] = self.errors.get(task.id, 0) + 1

    def _look_at(self, rollout: Rollout | None) -> None:
        if rollout is None:
            return
        if rollout.usage is not None:
            self.tokens.append(rollout.usage.tokens)
        extra = (rollout.trajectory or {}).get("extra")
        used = extra.get("skill_used") if isinstance(extra, Mapping) else None
        if isinstance(used, bool):
            self.openings.append(used)

    @property
    def attempts(self) -> int:
        return sum(map(len, self.values.values()))

    @property
    def mean(self) -> float:
        """Mean over tasks of their means."""
        return fmean(fmean(values) for values in self.values.values())

    def estimate(self) -> Estimate | None:
        """None when nothing was measured."""
        return mean_estimate(self.values, self.groups) if self.values else None

    def counted(self) -> Mapping[str, list[float]]:
        """Per task id: sum of values, attempts measured, errors. The form the store keeps."""
        tasks = sorted(self.values.keys() | self.errors.keys())
        return {
            t: [sum(self.values.get(t, ())), len(self.values.get(t, ())), self.errors.get(t, 0)]
            for t in tasks
        }


async def measure(
    runner: Runner, skill: Skill, tasks: Sequence[Task], *, value: Value, passes: int = 1, reserve: int = 0
) -> Measured:
    """Fresh attempts of `skill` on every task, `passes` times. What the budget refuses is left out."""
    measured = Measured()
    order = [task for _ in range(passes) for task in tasks]
    rollouts = await runner.attempts([(skill, task) for task in order], reserve=reserve)
    for task, rollout in zip(order, rollouts, strict=True):
        measured.add(task, rollout, value(rollout) if rollout is not None else None)
    return measured


def evaluation_of(measured: Measured, skill: Skill, *, split: str, purpose: str) -> Evaluation | None:
    """What was measured, as the store keeps it."""
    estimate = measured.estimate()
    if estimate is None:
        return None
    return Evaluation(skill.digest, split, purpose, estimate, measured.counted())
