"""The pooled phase: which of many edits help a little, when no single task can tell.

Rounds of attempts with every pending edit in or out at random; one additive model (factorial.py) gives the
effects of all of them at once. Works on train only and proves nothing: what it keeps goes to the gate.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sharpen.skills import Edit, Skill
from sharpen.train.calls import SHOWN, Calls, OutOfBudget, with_edits
from sharpen.train.draft import Change, Draft
from sharpen.train.factorial import Effects, Factorial, Prior, posterior
from sharpen.train.group import SETTLED, unsettled
from sharpen.train.means import Means
from sharpen.train.state import State
from sharpen.types import Rollout

ROUND = 40
UNSETTLED_SHARE = 0.75
"""Share of a round's attempts on tasks that are not settled."""
SURELY_IN, SURELY_OUT = 0.85, 0.15
"""Inclusion follows the chance that an edit helps, within these bounds."""
ASK_UNTIL = 0.6
"""Share of the search budget after which no new edits join."""
MOST_LIVE = 20
"""Undecided edits beyond which no new ones join."""
MOST_VOTES = 5.0
"""A teacher that repeats itself is not believed more than this."""
KEEP = 0.002
"""Least estimated effect of an edit that is kept."""
REGRET = 0.01
"""The phase ends when knowing every sign would be worth less than this."""
DIFFUSE = Prior()
SOLVED = Prior(common=0.005, spread=0.02, vote=0.0, vote_spread=0.002)
"""Most edits do nothing on tasks that are settled."""


@dataclass
class Pending:
    """An edit under test, and how often the teacher asked for it minus how often it asked to undo it."""

    edit: Edit
    votes: float = 0.0


@dataclass
class Stratum:
    """Tasks that are expected to react alike, and what was seen of them."""

    tasks: list[int]
    prior: Prior
    data: Factorial
    queue: list[int] = field(default_factory=list)

    def next(self, rng: random.Random) -> int:
        if not self.queue:
            self.queue = self.tasks[:]
            rng.shuffle(self.queue)
        return self.queue.pop()


@dataclass(frozen=True)
class Cell:
    """One attempt of the design: a task, and the edits present."""

    stratum: Stratum
    task: int
    present: list[int]
    skill: Skill


class Pool:
    """One pooled phase on one draft."""

    def __init__(
        self, calls: Calls, means: Means, *, draft: Draft, edits: Iterable[Edit], search: int
    ) -> None:
        self._calls, self._means, self._draft, self._search = calls, means, draft, search
        self._pending: list[Pending] = []
        self._strata = _strata(calls.state)
        self._vote(edits, shown=frozenset(), grow=True)

    async def run(self) -> Draft:
        """Rounds until more would change little, or until the budget ends; then the draft with what helps."""
        rounds, effects = 0, self._effects()
        try:
            while effects.regret() >= REGRET or rounds < 3:
                rounds += 1
                await self._round(effects, self._calls.state.stream("pool", rounds))
                effects = self._effects()
        except OutOfBudget:
            effects = self._effects()
        kept = tuple(
            Change(p.edit, gain=mean, vetted=True)
            for p, mean in zip(self._pending, effects.mean, strict=True)
            if mean > KEEP
        )
        left_out = [p.edit.to_json() for p in self._pending if all(p.edit != c.edit for c in kept)]
        self._means.journal.record(
            "pool",
            edits=self._means.told(kept),
            left_out=left_out,
            effects=[round(c.gain, 4) for c in kept],
            rounds=rounds,
            considered=len(self._pending),
            regret=effects.regret(),
        )
        return self._draft.plus(kept) or self._draft

    def _effects(self) -> Effects:
        """Posterior effects, strata weighted by their share of the tasks."""
        votes = [max(-MOST_VOTES, min(MOST_VOTES, p.votes)) for p in self._pending]
        total = sum(len(stratum.tasks) for stratum in self._strata)
        mean, variance = [0.0] * len(votes), [1e-12] * len(votes)
        for stratum in self._strata:
            stratum.data.grow(len(votes))
            share = len(stratum.tasks) / total
            part = posterior(
                stratum.data, votes, variance=self._calls.state.meter.variance, prior=stratum.prior
            )
            mean = [m + share * x for m, x in zip(mean, part.mean, strict=True)]
            variance = [v + (share * sd) ** 2 for v, sd in zip(variance, part.sd, strict=True)]
        return Effects(mean, [math.sqrt(v) for v in variance])

    async def _round(self, effects: Effects, rng: random.Random) -> None:
        cells = self._design(effects, rng)
        rollouts = await self._calls.attempt([(cell.skill, cell.task) for cell in cells])
        failing: list[Rollout] = []
        for cell, rollout in zip(cells, rollouts, strict=True):
            value = self._calls.state.value(rollout)
            if value is None:
                continue
            cell.stratum.data.add(cell.task, cell.present, value)
            if value < SETTLED and cell.stratum is self._strata[0]:
                failing.append(rollout)
        if failing:
            await self._consult(effects, failing, rng)

    def _design(self, effects: Effects, rng: random.Random) -> list[Cell]:
        chances = [
            min(SURELY_IN, max(SURELY_OUT, effects.chance_of_help(i))) for i in range(len(self._pending))
        ]
        cells: list[Cell] = []
        for k in range(ROUND):
            stratum = self._strata[0 if k < UNSETTLED_SHARE * ROUND else -1]
            present = [i for i, chance in enumerate(chances) if rng.random() < chance]
            cells.append(Cell(stratum, stratum.next(rng), present, self._with(present)))
        return cells

    def _with(self, present: Iterable[int]) -> Skill:
        return with_edits(self._draft, [self._pending[i].edit for i in present])

    async def _consult(self, effects: Effects, failing: Sequence[Rollout], rng: random.Random) -> None:
        """Two teacher calls: one sees the likely edits, one a random half, so that every edit gets votes."""
        everyone = range(len(self._pending))
        likely = frozenset(i for i in everyone if effects.mean[i] > -0.5 * effects.sd[i])
        half = frozenset(i for i in everyone if rng.random() < 0.5)
        grow = self._may_grow(effects)
        for shown in (likely, half):
            evidence = rng.sample(failing, min(SHOWN, len(failing)))
            for proposal in await self._calls.ask(self._with(sorted(shown)), [evidence]):
                self._vote(proposal.edits, shown=shown, grow=grow)

    def _may_grow(self, effects: Effects) -> bool:
        live = sum(SURELY_OUT < effects.chance_of_help(i) < SURELY_IN for i in range(len(self._pending)))
        return live < MOST_LIVE and self._calls.runner.ledger.rollouts < ASK_UNTIL * self._search

    def _vote(self, edits: Iterable[Edit], *, shown: frozenset[int], grow: bool) -> None:
        """A proposal speaks for its edit; one that deletes a shown line speaks against the edit behind it."""
        for edit in edits:
            undone = next((i for i in sorted(shown) if undoes(edit, self._pending[i].edit)), None)
            known = next((p for p in self._pending if p.edit.key == edit.key), None)
            if undone is not None:
                self._pending[undone].votes -= 1
            elif known is not None:
                known.votes += 1
            elif grow and self._draft.plus([Change(edit)]) is not None:
                self._pending.append(Pending(edit, 1))


def undoes(edit: Edit, earlier: Edit) -> bool:
    """Does the one take out just what the other put in?"""
    return edit.op == "delete" and earlier.op != "delete" and edit.target.strip() == earlier.content.strip()


def _strata(state: State) -> list[Stratum]:
    """Unsettled tasks first; settled ones, if any, apart."""
    open_tasks = unsettled(state)
    done = sorted(set(range(len(state.train))) - set(open_tasks))
    return [
        Stratum(tasks, prior, Factorial(level=_level(state, tasks)))
        for tasks, prior in ((open_tasks, DIFFUSE), (done, SOLVED))
        if tasks
    ]


def _level(state: State, tasks: Sequence[int]) -> float:
    return sum(state.beliefs.mean[i] for i in tasks) / len(tasks)
