"""The default loop: search a draft cheaply on train, vet every line, prove the draft once on selection.

`run` is the whole story. The search side is heuristic and makes no promise; the gate makes the promise and
never sees the search. docs/algorithm.md explains each part and what it was measured to be worth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sharpen.skills import Skill
from sharpen.train.calls import Calls, OutOfBudget
from sharpen.train.crew import Crew, Steps
from sharpen.train.draft import Change, Draft
from sharpen.train.group import GroupTest
from sharpen.train.lane import Finding, explore
from sharpen.train.means import Means
from sharpen.train.pool import Pool
from sharpen.train.state import State
from sharpen.train.vet import Probation, vet
from sharpen.types import TaskSet

MISSING = 0.25
"""Score missing on train from which the loop asks whether single tasks can tell anything."""
CLEAR_LINES = 3
"""Vetted lines that show that they can."""
UNVETTED = 4
"""Lines on probation that start an examination."""


class DraftLoop:
    """One run of the default loop."""

    def __init__(self, skill: Skill, tasks: TaskSet, means: Means) -> None:
        self.means, self.journal, self.plan = means, means.journal, means.plan
        self.state = State(tasks.train, skill, means.settings)
        self.crew: Crew[Finding | Probation] = Crew(means.runner, width=means.plan.lanes)
        self.calls = Calls(self.state, means.runner, reserve=means.plan.pooled)
        self.group = GroupTest(self.calls, means.journal)
        self.examined: set[object] = set()
        self.busy: set[int] = set()

    @property
    def incumbent(self) -> Skill:
        return self.state.incumbent

    @property
    def variance(self) -> float:
        return self.state.meter.variance

    async def run(self) -> str:
        """Search until nothing is left to find, pool what single tasks cannot show, prove the draft once."""
        reason = await self.search()
        await self.prove()
        return reason

    async def search(self) -> str:
        """Lanes, a second sweep with fresh eyes, and the pooled phase when one task says too little."""
        swept = False
        while True:
            if not await self.explore():
                return "budget"
            halt = self._halt() or "dry"
            thin = self._much_is_missing()
            if halt == "stuck" or (halt == "dry" and thin and not self.group.is_settled(self.state.draft)):
                try:
                    helps = await self.group.helps(self.state.draft)
                except OutOfBudget:
                    return "budget"
                if not helps and self._vetted() < CLEAR_LINES:
                    return "teacher is not helping"
            elif thin and self.group.helped:
                self.state.draft = await self._pool().run()
                return "pooled"
            elif halt == "exhausted":
                return "converged" if self._vetted() else "teacher is not helping"
            elif swept or not self.state.meter.noisy:
                return "converged"
            else:
                swept = True
                await self.examine(everything=True)
                self.state.beliefs.fade(count=0.4, tries=0.4)

    async def explore(self) -> bool:
        """Lanes side by side; False when the budget for searching is spent."""
        return await self.crew.work(self._next_lane, self._commit, reserve=self.plan.search)

    async def examine(self, *, everything: bool = False) -> bool:
        """Vet the lines on probation, or all of them once more."""
        if self.state.meter.calm:
            return True
        draft = self.state.draft
        queue = [change for change in draft.changes if everything or not change.vetted]
        lanes = (self._vet(change, only_if_passing=everything) for change in queue)
        return await self.crew.work(lambda: next(lanes, None), self._commit, reserve=self.plan.search)

    async def prove(self) -> None:
        """The draft against the incumbent on the selection split: the only way in."""
        await self.examine()
        state = self.state
        if state.draft.skill.digest == state.incumbent.digest:
            return
        changes = state.draft.changes
        verdict = await self.means.judge(state.draft.skill, state.incumbent, changes=changes)
        if verdict.accepted:
            state.incumbent = state.draft.skill
        state.draft = Draft(state.incumbent)

    def _much_is_missing(self) -> bool:
        """A quarter of the score, and single tasks do not speak clearly: few lines so far, or much noise."""
        return 1 - self.state.beliefs.level >= MISSING and (
            self._vetted() < CLEAR_LINES or self.state.meter.vague
        )

    def _vetted(self) -> int:
        return sum(change.vetted for change in self.state.draft.changes)

    def _halt(self) -> Literal["stuck", "barren", "exhausted"] | None:
        """Why no more lanes should start although there are tasks to look at; None to go on."""
        fruitless, vetted, vague = self.state.fruitless, self._vetted(), self.state.meter.vague
        if self._much_is_missing():
            if self.group.helped and fruitless >= 24 + 4 * vetted:
                return "barren"
            untested = not self.group.is_settled(self.state.draft)
            if untested and fruitless >= (8 if vague else 16) + 4 * vetted:
                return "stuck"
        return "exhausted" if fruitless >= 30 + 8 * vetted else None

    def _pool(self) -> Pool:
        """What single tasks could not vouch for goes back into the pool; the rest is its ground."""
        sure = tuple(c for c in self.state.draft.changes if c.vetted) if self._vetted() >= CLEAR_LINES else ()
        doubtful = [c.edit for c in self.state.draft.changes if c not in sure]
        return Pool(
            self.calls,
            self.means,
            draft=Draft(self.state.incumbent, sure),
            edits=[*doubtful, *self.group.gathered],
            search=self.plan.total - self.plan.search,
        )

    def _next_lane(self) -> Steps[Finding | Probation] | None:
        state = self.state
        if self._halt() is not None:
            return None
        pending = [c for c in state.draft.changes if not c.vetted and c.edit.key not in self.examined]
        if len(pending) >= UNVETTED and not state.meter.calm:
            return self._vet(pending[0])
        task = state.beliefs.pick(self._is_busy)
        if task is None:
            return None
        self.busy.add(task)
        return explore(state, task)

    def _vet(self, change: Change, *, only_if_passing: bool = False) -> Steps[Probation]:
        self.examined.add(change.edit.key)
        return vet(self.state, change, only_if_passing=only_if_passing)

    def _is_busy(self, task: int) -> bool:
        state = self.state
        return task in self.busy or state.waiting.get(task, frozenset()) in state.checking

    def _commit(self, found: Finding | Probation) -> None:
        if isinstance(found, Probation):
            self._commit_probation(found)
        else:
            self._commit_finding(found)

    def _commit_finding(self, found: Finding) -> None:
        state, task = self.state, found.task
        self.busy.discard(task)
        state.waiting.pop(task, None)
        if found.kind == "adopted":
            longer = state.draft.plus(replace(change, barren=state.fruitless) for change in found.changes)
            if longer is not None:
                state.draft = longer
                state.beliefs.fade(count=0.7, tries=0.75)
                state.beliefs.replace(task, count=found.count, mean=found.mean)
                state.fruitless = 0
                self.journal.record("adopt", task=state.train[task].id, edits=self.means.told(found.changes))
            return
        if found.kind == "waiting":
            state.waiting[task] = found.keys
        elif found.kind == "unclear":
            state.beliefs.tries[task] += 0.25
        elif found.kind != "passing":
            state.beliefs.tries[task] += 1
            state.fruitless += 1
            if found.kind == "dropped":
                edits = self.means.told(found.changes)
                state.refused.setdefault(task, []).extend(
                    f"{e['op']}: {e['content'] or e['target']}" for e in edits
                )
                self.journal.record("drop", task=state.train[task].id, edits=edits, reason=found.reason)

    def _commit_probation(self, found: Probation) -> None:
        state = self.state
        change = found.change
        self.examined.discard(change.edit.key)
        k = state.draft.index_of(change.edit)
        if k is None:
            return
        self.journal.record("vet", edits=self.means.told([change]), stays=found.stays, gain=found.gain)
        if found.stays:
            state.draft = state.draft.marked([k])
            return
        shorter = state.draft.without(k)
        if shorter is not None:
            state.fruitless += change.barren + 1  # the find was none after all
            state.removals += 1
            state.draft = shorter
            state.beliefs.fade(count=0.7, tries=0.75)
