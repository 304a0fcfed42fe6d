"""The group test: do the teacher's edits, all together, help at all?

Gains add up over edits while the noise does not, so a hundred rollouts show what tests of single edits would
need thousands for. It decides whether the search goes on, never whether a skill is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev

from sharpen.skills import Edit, dedupe
from sharpen.train.calls import SHOWN, Calls, with_edits
from sharpen.train.draft import Draft
from sharpen.train.journal import Journal
from sharpen.train.state import State

SETTLED = 0.75
"""Record mean from which a task counts as done."""
GATHER_ROUNDS, CALLS_PER_ROUND = 4, 4
FIRST_LOOK, LAST_LOOK, LOOK_EVERY = 40, 160, 10
"""Pairs of one test."""
SURE = 2.5
"""Standard errors beyond which the edits clearly do something, for better or worse."""
WORTH, THIN_WORTH = 0.12, 0.07
"""Gain of a useful group: less when attempts are vague, since effects are then thin."""
DOUBT, CAREFUL = 1.0, 1.5
"""Fails when the gain plus DOUBT standard errors is below its worth; later tests are more careful."""
MORE_TESTS, MOST_DRAFTS = 2, 2
"""Repeats of a failed test, and drafts of a run that are tested at all."""
PROMISING = 0.5
"""Standard errors of gain at which a failed second test is worth a third."""
LIKELY = 1.2
"""Standard errors that suffice at the last look."""


@dataclass
class Group:
    """Paired differences between all edits and none, with those of an earlier test that failed, if any."""

    edits: tuple[Edit, ...]
    worth: float
    earlier: tuple[float, ...] = ()
    differences: list[float] = field(default_factory=list)

    @property
    def is_first(self) -> bool:
        return not self.earlier

    @property
    def is_promising(self) -> bool:
        gain, error = mean_and_error(self.differences)
        return gain > PROMISING * error

    @property
    def helps(self) -> bool | None:
        """None while more pairs are needed. Clearly harmful counts too: the edits do something."""
        n = len(self.differences)
        if n < FIRST_LOOK:
            return None
        gain, error = mean_and_error(self.differences)
        if abs(gain) > SURE * error:
            return True
        if self.earlier:
            gain, error = mean_and_error([*self.earlier, *self.differences])
        if gain + (CAREFUL if self.earlier else DOUBT) * error < self.worth:
            return False
        return None if n < LAST_LOOK else gain > LIKELY * error


def mean_and_error(differences: Sequence[float]) -> tuple[float, float]:
    """Mean and standard error; a spread of nothing is not believed."""
    if not differences:
        return 0.0, 1.0
    return fmean(differences), max(pstdev(differences), 0.1) / math.sqrt(len(differences))


class GroupTest:
    """Runs group tests on a draft, each with freshly gathered edits."""

    def __init__(self, calls: Calls, journal: Journal) -> None:
        self._calls, self._journal = calls, journal
        self._tested: set[str] = set()
        self.helped = False
        """Once a group has helped, the question whether the teacher is of any use is settled."""
        self.gathered: list[Edit] = []
        """Every edit that was part of a group, for the pooled phase."""

    @property
    def _state(self) -> State:
        return self._calls.state

    def is_settled(self, draft: Draft) -> bool:
        """Nothing more to ask: a group helped, this draft was tested, or two drafts were."""
        return self.helped or draft.skill.digest in self._tested or len(self._tested) >= MOST_DRAFTS

    async def helps(self, draft: Draft) -> bool:
        """A useful teacher may be unlucky once, so a failed test is repeated with fresh edits."""
        self._tested.add(draft.skill.digest)
        await self._survey(draft)
        group = await self._test(draft)
        for _ in range(MORE_TESTS):
            if group.helps or not (group.is_first or group.is_promising):
                break
            group = await self._test(draft, earlier=tuple(group.differences))
        self.helped = bool(group.helps)
        return self.helped

    async def _survey(self, draft: Draft) -> None:
        """Enough attempts to know which tasks are settled, and a failing attempt of those that are not."""
        for _ in range(3):
            wanted = [i for i in range(len(self._state.train)) if self._looks_wanted(draft, i)]
            if not wanted:
                return
            rollouts = await self._calls.attempt([(draft.skill, i) for i in wanted])
            for i, rollout in zip(wanted, rollouts, strict=True):
                self._state.note(draft.skill, i, rollout, lineage=True)

    def _looks_wanted(self, draft: Draft, task: int) -> bool:
        count, mean = self._state.beliefs.count[task], self._state.beliefs.mean[task]
        if count == 0 or mean >= SETTLED:
            return count < 1.5
        last = self._state.failing.get(task)
        return count < 2 and (last is None or last[0] != draft.skill.digest)

    async def _test(self, draft: Draft, earlier: tuple[float, ...] = ()) -> Group:
        worth = THIN_WORTH if self._state.meter.vague else WORTH
        group = Group(await self._gather(draft), worth, earlier)
        everything = with_edits(draft, group.edits)
        tasks = unsettled(self._state)
        if tasks and everything.digest != draft.skill.digest:
            order = self._passes(tasks)
            while group.helps is None:
                n = LOOK_EVERY if group.differences else FIRST_LOOK
                await self._compare(group, draft, [next(order) for _ in range(n)])
        gain, error = mean_and_error(group.differences)
        self._journal.record(
            "group",
            edits=[edit.to_json() for edit in group.edits],
            pairs=len(group.differences),
            gain=gain,
            error=error,
            helps=bool(group.helps),
        )
        return group

    async def _compare(self, group: Group, draft: Draft, tasks: Sequence[int]) -> None:
        state, everything = self._state, with_edits(draft, group.edits)
        rollouts = await self._calls.attempt(
            [(skill, i) for i in tasks for skill in (everything, draft.skill)]
        )
        for i, new, old in zip(tasks, rollouts[::2], rollouts[1::2], strict=True):
            ours, theirs = state.value(new), state.note(draft.skill, i, old, lineage=True)
            if ours is not None and theirs is not None:
                group.differences.append(ours - theirs)

    async def _gather(self, draft: Draft) -> tuple[Edit, ...]:
        """Fresh edits for failing attempts; each round is shown the draft with what was gathered before."""
        state = self._state
        failing = [state.failing[i][1] for i in unsettled(state) if i in state.failing]
        rng = state.stream("gather", self._calls.asked)
        edits: tuple[Edit, ...] = ()
        for _ in range(GATHER_ROUNDS if failing else 0):
            shown = with_edits(draft, edits)
            evidence = [rng.sample(failing, min(SHOWN, len(failing))) for _ in range(CALLS_PER_ROUND)]
            proposals = await self._calls.ask(shown, evidence)
            edits = dedupe([*edits, *(edit for proposal in proposals for edit in proposal.edits)])
        self.gathered += edits
        return edits

    def _passes(self, tasks: Sequence[int]) -> Iterator[int]:
        """Pass after pass, each in its own random order."""
        turn = 0
        while True:
            turn += 1
            order = list(tasks)
            self._state.stream(f"group {self._calls.asked}", turn).shuffle(order)
            yield from order


def unsettled(state: State) -> list[int]:
    """Tasks the draft does not solve reliably."""
    return [i for i, mean in enumerate(state.beliefs.mean) if mean < SETTLED]
