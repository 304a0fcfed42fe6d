"""Leave one out: is each part of a skill worth its place? Measured, paired, part by part.

The whole skill and the skill without a part attempt the same tasks; the difference is what the part is worth.
Pairs are bets as in the gate's race, on both sides, so one may look after every pair and stop a part as soon
as it is decided. The whole skill's attempts are shared by all parts. Nothing is dropped without evidence, and
what would be dropped together is measured together. This module writes no skill.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from sharpen.errors import BudgetError, ProviderError, SettingsError, UsageError
from sharpen.evaluate.blocking import run_blocking
from sharpen.evaluate.compare import opened
from sharpen.evaluate.ledger import Ledger
from sharpen.evaluate.measurements import EvaluateSettings
from sharpen.evaluate.passes import Value, valued_by
from sharpen.evaluate.runner import Runner
from sharpen.skills import Part, Skill, tokens_of, without
from sharpen.stats import Race, paired
from sharpen.store import Store
from sharpen.types import Budget, Estimate, Rollout, Student, Task, TaskSet

Worth = Literal["keep", "no evidence it helps", "harms"]


@dataclass(frozen=True)
class PruneSettings(EvaluateSettings):
    """Settings of `prune`. `alpha` bounds the chance of any wrong `keep` or `harms` among all parts."""

    passes: int = 3
    """Most passes over the tasks; a part that is decided earlier stops earlier."""
    seed: int = 0
    """Names the order of the tasks."""
    drop_below: float | None = None
    """Also drop a part whose effect lies below this with 95 % confidence; None drops only what harms."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.drop_below is not None and not 0 < self.drop_below <= 1:
            raise SettingsError(f"drop_below is an effect above 0 and up to 1, not {self.drop_below!r}")


@dataclass(frozen=True)
class PartWorth:
    """What one part (or several together) turned out to be worth. Effects are with it minus without it."""

    parts: tuple[Part, ...]
    verdict: Worth
    reason: str
    effect: Estimate | None
    """None when no pair could be measured."""
    pairs: int
    wins: int
    ties: int
    losses: int
    evidence: float
    """That it helps: what the race's bets on it have become."""
    against: float
    """That it harms."""
    tokens: int
    """Saved without it."""

    @property
    def part(self) -> Part:
        return self.parts[0]


@dataclass(frozen=True)
class Pruning:
    """Every part's worth, and what is left of the skill when the evidence is acted upon."""

    skill: Skill
    parts: tuple[PartWorth, ...]
    dropped: tuple[PartWorth, ...]
    """The parts that the evidence and the settings allow to drop."""
    together: PartWorth | None
    """All dropped parts measured together, where there are several."""
    pruned: Skill | None
    """The skill without them; None when nothing is dropped, or not shown that all of them may go."""
    needed: float
    """The evidence a verdict takes."""
    spent: dict[str, float] = field(default_factory=dict)

    @property
    def tokens_saved(self) -> int:
        return tokens_of(self.skill) - tokens_of(self.pruned) if self.pruned is not None else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "skill": self.skill.digest,
            "parts": [asdict(worth) for worth in self.parts],
            "dropped": [worth.part.name for worth in self.dropped],
            "together": asdict(self.together) if self.together else None,
            "pruned": self.pruned.digest if self.pruned else None,
            "tokens_saved": self.tokens_saved,
            "needed": self.needed,
            "spent": self.spent,
        }


def prune(
    skill: Skill,
    parts: Sequence[Part],
    tasks: TaskSet,
    student: Student,
    budget: Budget | None = None,
    settings: PruneSettings | None = None,
    run_dir: str | Path | None = None,
) -> Pruning:
    """Measure what each part of the skill is worth. With `run_dir` asking again pays only for what is new."""
    return run_blocking(aprune(skill, parts, tasks, student, budget, settings, run_dir), "prune", student)


async def aprune(
    skill: Skill,
    parts: Sequence[Part],
    tasks: TaskSet,
    student: Student,
    budget: Budget | None = None,
    settings: PruneSettings | None = None,
    run_dir: str | Path | None = None,
) -> Pruning:
    """The same inside an event loop."""
    settings = settings or PruneSettings()
    if not parts:
        raise UsageError("there is nothing to prune: the skill has no part that could be left out")
    with opened(run_dir, student) as store:
        chosen = tasks.split(settings.split)
        return await _Measurement(skill, chosen, student, budget, settings, store).of(parts)


def most_attempts(parts: int, tasks: int, settings: PruneSettings) -> int:
    """Attempts when no part is decided early and several are dropped, without retries."""
    return tasks * settings.passes * (1 + parts + (2 if parts > 1 else 0))


def evidence_needed(parts: int, alpha: float) -> float:
    """Evidence for a verdict: either side of every part, and all of them together, share `alpha` evenly."""
    return 2 * (parts + 1) / alpha


@dataclass
class _Side:
    """One skill with something left out, racing against the whole skill."""

    parts: tuple[Part, ...]
    skill: Skill
    needed: float
    helps: Race = field(default_factory=Race)
    harms: Race = field(default_factory=Race)
    differences: list[float] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)

    def add(self, task: Task, difference: float) -> None:
        self.helps.add(difference)
        self.harms.add(-difference)
        self.differences.append(difference)
        self.clusters.append(task.group or task.id)

    @property
    def decided(self) -> bool:
        return max(self.helps.evidence, self.harms.evidence) >= self.needed

    @property
    def pairs_to_go(self) -> int:
        """The fewest pairs after which this one could be decided."""
        return max(1, min(race.pairs_to(self.needed) for race in (self.helps, self.harms)))

    def worth(self, whole: Skill, *, ended: str) -> PartWorth:
        verdict, reason = self._verdict(ended)
        return PartWorth(
            parts=self.parts,
            verdict=verdict,
            reason=reason,
            effect=paired(self.differences, self.clusters) if self.differences else None,
            pairs=self.helps.n,
            wins=self.helps.wins,
            ties=self.helps.ties,
            losses=self.helps.losses,
            evidence=self.helps.evidence,
            against=self.harms.evidence,
            tokens=tokens_of(whole) - tokens_of(self.skill),
        )

    def _verdict(self, ended: str) -> tuple[Worth, str]:
        if self.helps.evidence >= self.needed:
            return "keep", f"evidence that it helps reached {self.needed:g}"
        if self.harms.evidence >= self.needed:
            return "harms", f"evidence that it harms reached {self.needed:g}"
        most = max(self.helps.evidence, self.harms.evidence)
        return "no evidence it helps", f"{ended} at evidence {most:.3g} of {self.needed:g}"


class _Measurement:
    """One pruning with everything it needs at hand."""

    def __init__(
        self,
        skill: Skill,
        tasks: Sequence[Task],
        student: Student,
        budget: Budget | None,
        settings: PruneSettings,
        store: Store,
    ) -> None:
        self._skill, self._tasks, self._settings = skill, tasks, settings
        self._value: Value = valued_by(settings.metric, settings.mixed_weight)
        self._budget, self._student, self._store = budget, student, store
        self._last_error = ""

    async def of(self, parts: Sequence[Part]) -> Pruning:
        settings = self._settings
        most = most_attempts(len(parts), len(self._tasks), settings) * (1 + settings.retries)
        ledger = Ledger(self._budget or Budget(rollouts=most))
        runner = Runner(
            self._student, store=self._store, ledger=ledger, concurrency=settings.concurrency,
            retries=settings.retries, timeout=settings.timeout,
        )  # fmt: skip
        needed = evidence_needed(len(parts), settings.alpha)
        with runner.stage("prune"):
            worths = await self._race(runner, [(part,) for part in parts], needed)
            dropped = tuple(worth for worth in worths if self._droppable(worth))
            together = None
            if len(dropped) > 1:
                (together,) = await self._race(runner, [tuple(worth.part for worth in dropped)], needed)
        pruned = without(self._skill, [worth.part for worth in dropped]) if dropped else None
        if together is not None and not self._confirmed(together):
            pruned = None
        return Pruning(self._skill, tuple(worths), dropped, together, pruned, needed, ledger.spent())

    def _droppable(self, worth: PartWorth) -> bool:
        below = self._settings.drop_below
        if worth.verdict == "no evidence it helps" and below is not None and worth.effect is not None:
            return worth.effect.high < below
        return worth.verdict == "harms"

    def _confirmed(self, together: PartWorth) -> bool:
        """Parts that nobody misses one by one may stand in for each other: missed together, they stay."""
        if self._settings.drop_below is not None:
            return self._droppable(together)
        return together.verdict != "keep" and together.effect is not None and together.effect.mean <= 0

    async def _race(
        self, runner: Runner, leave_out: Sequence[tuple[Part, ...]], needed: float
    ) -> list[PartWorth]:
        sides = [_Side(parts, without(self._skill, parts), needed) for parts in leave_out]
        ended = await self._run(runner, sides)
        if not any(side.differences for side in sides):
            if not self._last_error:
                raise BudgetError(f"no pair of attempts was measured: {ended}; give more of it")
            raise ProviderError(f"no pair of attempts measured anything: {self._last_error}")
        return [side.worth(self._skill, ended=ended) for side in sides]

    async def _run(self, runner: Runner, sides: Sequence[_Side]) -> str:
        """Pass after pass until everything is decided or paid for; says what ended it."""
        for number in range(1, self._settings.passes + 1):
            rest = self._order(number)
            while rest and (undecided := [side for side in sides if not side.decided]):
                size = min(side.pairs_to_go for side in undecided)
                tasks, rest = rest[:size], rest[size:]
                if not await self._pair_up(runner, undecided, tasks):
                    return "the budget ended"
        return f"{self._settings.passes} passes ended"

    async def _pair_up(self, runner: Runner, sides: Sequence[_Side], tasks: Sequence[Task]) -> bool:
        """Fresh attempts of the whole skill and of every side; False when the budget refused one."""
        arms = [self._skill, *(side.skill for side in sides)]
        rollouts = await runner.attempts([(arm, task) for task in tasks for arm in arms])
        rows = [rollouts[at : at + len(arms)] for at in range(0, len(rollouts), len(arms))]
        for task, (whole, *others) in zip(tasks, rows, strict=True):
            for side, other in zip(sides, others, strict=True):
                with_it, without_it = self._valued(whole), self._valued(other)
                if with_it is not None and without_it is not None:
                    side.add(task, with_it - without_it)
        return None not in rollouts

    def _valued(self, rollout: Rollout | None) -> float | None:
        if rollout is None:
            return None
        self._last_error = rollout.error or self._last_error
        return self._value(rollout)

    def _order(self, number: int) -> list[Task]:
        order = list(self._tasks)
        random.Random(f"{self._settings.seed}|prune|{number}").shuffle(order)
        return order
