"""Batches of calls for the parts of the search that test many edits at once.

They end by exception when the search budget is spent, so that the tests themselves read straight through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sharpen.evaluate import Call, Proposal, Question, Runner
from sharpen.skills import Edit, Skill, apply_edits
from sharpen.train.draft import Draft
from sharpen.train.state import State
from sharpen.types import Rollout

SHOWN = 4
"""Failing attempts shown to the teacher per call."""


class OutOfBudget(Exception):  # noqa: N818 - ends a phase, not the run
    """The search budget is spent."""


@dataclass
class Calls:
    """Attempts and questions on behalf of the search; `reserve` is what they must leave of the budget."""

    state: State
    runner: Runner
    reserve: int
    asked: int = 0

    async def attempt(self, pairs: Sequence[tuple[Skill, int]]) -> list[Rollout]:
        """Attempts at train tasks, in order."""
        wanted = [(skill, self.state.train[i]) for skill, i in pairs]
        rollouts = [r for r in await self.runner.attempts(wanted, reserve=self.reserve) if r is not None]
        if len(rollouts) < len(pairs):
            raise OutOfBudget
        return rollouts

    async def ask(self, skill: Skill, evidence: Iterable[Sequence[Rollout]]) -> list[Proposal]:
        """One question per piece of evidence, side by side."""
        calls: list[Call] = [Question(skill, tuple(e), self.state.settings.edits) for e in evidence]
        self.asked += len(calls)
        answers = await self.runner.run(calls, reserve=self.reserve)
        return [answer for answer in answers if isinstance(answer, Proposal)]


def with_edits(draft: Draft, edits: Sequence[Edit]) -> Skill:
    """The draft's skill with these edits too."""
    return apply_edits(draft.skill, edits).skill
