"""Gates: the only way into the exported skill, on held-out tasks, ties rejected.

Four of them behind one small protocol. The race carries a guarantee (docs/statistics.md); the others are for
comparison and for users who know what they give up. A gate that could not measure enough decides nothing.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean
from types import MappingProxyType
from typing import Protocol

from sharpen.evaluate.calling import Attempt
from sharpen.evaluate.passes import Measured, Value, measure
from sharpen.evaluate.runner import Answer, Runner
from sharpen.skills import Skill
from sharpen.stats import Race, paired, spending_threshold
from sharpen.types import Decision, Estimate, Rollout, Task, Verdict

REVERSE = 20.0
"""Evidence for "worse" at which a race is given up."""
ENOUGH_MEASURED = 0.8
"""Least share of pairs that must have been measured for a one-pass gate to decide."""


class Gate(Protocol):
    """Judges a candidate against the incumbent with attempts of its own."""

    name: str

    @property
    def measured(self) -> Mapping[str, Measured]:
        """Per skill digest, what it has seen: for grids and attribution."""
        ...

    async def decide(self, candidate: Skill, incumbent: Skill, *, reserve: int) -> Verdict: ...

    async def prepare(self, incumbent: Skill, *, reserve: int) -> None:
        """A candidate is on its way: begin what can be measured without it."""

    async def close(self) -> None:
        """No candidate will come: wait for what was begun."""


class _Unprepared:
    """A gate that has nothing to measure before it has a candidate."""

    async def prepare(self, incumbent: Skill, *, reserve: int) -> None:
        pass

    async def close(self) -> None:
        pass


@dataclass
class Held:
    """What every gate needs: held-out tasks, someone to run them, a number per rollout."""

    runner: Runner
    tasks: Sequence[Task]
    value: Value
    seed: int = 0
    measured: dict[str, Measured] = field(default_factory=dict)

    def keep(self, skill: Skill, task: Task, value: float) -> None:
        self.measured.setdefault(skill.digest, Measured()).add(task, None, value)


@dataclass
class _Pairs:
    """Paired differences seen by one gate decision."""

    differences: list[float] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    unmeasured: int = 0

    def verdict(
        self, gate: str, decision: Decision, reason: str, race: Race | None = None, **more: float
    ) -> Verdict:
        counts = race or Race(self.differences)
        return Verdict(
            gate=gate,
            decision=decision,
            reason=reason,
            pairs=len(self.differences),
            wins=counts.wins,
            ties=counts.ties,
            losses=counts.losses,
            difference=self.estimate(),
            **more,
        )

    def estimate(self) -> Estimate | None:
        return paired(self.differences, self.clusters) if self.differences else None


async def _pair_up(
    held: Held,
    pairs: _Pairs,
    tasks: Sequence[Task],
    arms: tuple[Skill, Skill],
    reserve: int,
    ready: dict[str, Rollout] | None = None,
) -> bool:
    """Fresh attempts of both arms on these tasks; False when the budget refused one.

    Attempts of the incumbent in `ready` were made for this decision before its candidate was known; each is
    used once.
    """
    ready = {} if ready is None else ready
    calls = [(skill, task) for task in tasks for skill in (arms[:1] if task.id in ready else arms)]
    rollouts = iter(await held.runner.attempts(calls, reserve=reserve))
    for task in tasks:
        new = next(rollouts)
        old = ready.pop(task.id) if task.id in ready else next(rollouts)
        if new is None or old is None:
            return False
        ours, theirs = held.value(new), held.value(old)
        if ours is None or theirs is None:
            pairs.unmeasured += 1
            continue
        held.keep(arms[0], task, ours)
        held.keep(arms[1], task, theirs)
        pairs.differences.append(ours - theirs)
        pairs.clusters.append(task.group or task.id)
    return True


class RaceGate:
    """Paired, sequential, anytime-valid: re-measures the incumbent, stops when the evidence suffices.

    Between two looks it measures as few pairs as could decide, or `width` at once where time counts for more;
    then the incumbent's half of the first looks is measured while the candidate is still being made. The
    error is spread evenly over `planned` gates, where their number is known.
    """

    name = "race"

    def __init__(
        self, held: Held, *, alpha: float = 0.05, width: int = 1, planned: int | None = None
    ) -> None:
        self._held, self._alpha, self._width, self._number = held, alpha, width, 0
        self._planned = planned
        self._begun: tuple[str, list[Task], AsyncIterator[Answer]] | None = None
        self.measured = held.measured

    async def prepare(self, incumbent: Skill, *, reserve: int) -> None:
        if self._width == 1 or (self._begun is not None and self._begun[0] == incumbent.digest):
            return
        await self.close()  # what was begun for another incumbent
        count = min(4 * self._width, len(self._held.tasks))
        tasks = list(islice(self._endless(self._number + 1), count))
        calls = [Attempt(incumbent, task) for task in tasks]
        self._begun = incumbent.digest, tasks, self._held.runner.begin(calls, reserve=reserve)

    async def close(self) -> None:
        await self._prepared("")

    async def _prepared(self, incumbent: str) -> dict[str, Rollout]:
        """What was measured beforehand, if it was this incumbent."""
        if self._begun is None:
            return {}
        digest, tasks, flight = self._begun
        self._begun = None
        found = zip(tasks, [answer async for answer in flight], strict=True)
        made = {task.id: answer for task, answer in found if isinstance(answer, Rollout)}
        return made if digest == incumbent else {}

    async def decide(self, candidate: Skill, incumbent: Skill, *, reserve: int) -> Verdict:
        self._number += 1
        needed = spending_threshold(self._number, self._alpha, planned=self._planned)
        pairs, race, tasks = _Pairs(), Race(), self._endless(self._number)
        ready = await self._prepared(incumbent.digest)

        def verdict(decision: Decision, reason: str) -> Verdict:
            return pairs.verdict(self.name, decision, reason, race, evidence=race.evidence, needed=needed)

        while True:
            fewest = max(race.pairs_to(needed), self._width, len(ready))
            block = [next(tasks) for _ in range(max(1, min(fewest, len(self._held.tasks))))]
            fits = await _pair_up(self._held, pairs, block, (candidate, incumbent), reserve, ready)
            for difference in pairs.differences[race.n :]:
                race.add(difference)
            if race.n + pairs.unmeasured >= len(self._held.tasks) and pairs.unmeasured > race.n:
                return verdict("not enough data", f"{pairs.unmeasured} pairs could not be measured")
            if race.evidence >= needed and race.total > 0 and pairs.unmeasured <= race.n:
                return verdict("better", f"evidence {race.evidence:.3g} reached {needed:.3g}")
            if race.reverse >= REVERSE:
                return verdict("not better", f"evidence that it is worse reached {REVERSE:g}")
            whole = (race.n + pairs.unmeasured) // len(self._held.tasks)
            if whole >= 2 and race.total <= 0:
                return verdict("not better", "no gain over two whole passes")
            if not fits:
                return verdict("not enough data", f"the budget ended at evidence {race.evidence:.3g}")

    def _endless(self, number: int) -> Iterator[Task]:
        """Pass after pass over the tasks, each in its own random order."""
        turn = 0
        while True:
            turn += 1
            order = list(self._held.tasks)
            random.Random(f"{self._held.seed}|gate {number}|{turn}").shuffle(order)
            yield from order


class StrictGate(_Unprepared):
    """SkillOpt's rule: one pass, a larger mean than the incumbent once had. Fooled by luck; for contrast."""

    name = "strict"

    def __init__(self, held: Held) -> None:
        self._held = held
        self.measured = held.measured

    async def decide(self, candidate: Skill, incumbent: Skill, *, reserve: int) -> Verdict:
        old, new = await self._score(incumbent, reserve), await self._score(candidate, reserve)
        both = [t for t in self._held.tasks if t.id in old.values and t.id in new.values]
        pairs = _Pairs(
            [new.values[t.id][0] - old.values[t.id][0] for t in both], [t.group or t.id for t in both]
        )
        if len(both) < ENOUGH_MEASURED * len(self._held.tasks):
            for skill in (incumbent, candidate):  # an outage is no score: the next gate measures again
                self.measured.pop(skill.digest)
            return pairs.verdict(
                self.name, "not enough data", f"{len(both)} of {len(self._held.tasks)} measured"
            )
        gain = fmean(pairs.differences)
        if gain > 0:
            return pairs.verdict(self.name, "better", f"mean higher by {gain:.3f}")
        return pairs.verdict(self.name, "not better", f"mean not higher ({gain:+.3f})")

    async def _score(self, skill: Skill, reserve: int) -> Measured:
        held = self._held
        if skill.digest not in held.measured:
            seen = await measure(held.runner, skill, held.tasks, value=held.value, reserve=reserve)
            held.measured[skill.digest] = seen
        return held.measured[skill.digest]


class NoRegressionGate(_Unprepared):
    """One paired pass: some task better, none worse."""

    name = "no_regression"

    def __init__(self, held: Held) -> None:
        self._held = held
        self.measured = held.measured

    async def decide(self, candidate: Skill, incumbent: Skill, *, reserve: int) -> Verdict:
        pairs = _Pairs()
        fits = await _pair_up(self._held, pairs, self._held.tasks, (candidate, incumbent), reserve)
        race = Race(pairs.differences)
        if not fits or race.n < ENOUGH_MEASURED * len(self._held.tasks):
            return pairs.verdict(
                self.name, "not enough data", f"{race.n} of {len(self._held.tasks)} measured", race
            )
        if race.losses:
            return pairs.verdict(self.name, "not better", f"{race.losses} tasks got worse", race)
        if not race.wins:
            return pairs.verdict(self.name, "not better", "no task got better", race)
        return pairs.verdict(self.name, "better", f"{race.wins} tasks got better, none worse", race)


class NoGate(_Unprepared):
    """Accepts everything unmeasured: for ablations."""

    name = "none"
    measured: Mapping[str, Measured] = MappingProxyType({})

    async def decide(self, candidate: Skill, incumbent: Skill, *, reserve: int) -> Verdict:
        return Verdict(gate=self.name, decision="better", reason="no gate was asked for")


def make_gate(
    name: str, held: Held, *, alpha: float = 0.05, width: int = 1, planned: int | None = None
) -> Gate:
    """The gate of that name."""
    gates: dict[str, Callable[[], Gate]] = {
        "race": lambda: RaceGate(held, alpha=alpha, width=width, planned=planned),
        "strict": lambda: StrictGate(held),
        "no_regression": lambda: NoRegressionGate(held),
        "none": NoGate,
    }
    return gates[name]()
