"""The classic loop: roll out a batch, reflect on it, apply several edits together, gate the step.

SkillOpt's shape behind the same surface as the default loop. It pays for a gate at every step, which is why
it is not the default; with `gate="strict"` it is the loop the published results were made with.
"""

from __future__ import annotations

import random

from sharpen.evaluate import Proposal, Question
from sharpen.skills import Edit, Skill, apply_edits, dedupe
from sharpen.train.draft import Change
from sharpen.train.means import Means
from sharpen.train.noise import PRIOR_VARIANCE
from sharpen.types import Rollout, Task, TaskSet

MINIBATCH = 8
"""Failing attempts shown to the teacher in one call."""
REMEMBERED = 8
"""Refused edits the teacher is told about."""


class BatchLoop:
    """One run of the classic loop."""

    def __init__(self, skill: Skill, tasks: TaskSet, means: Means) -> None:
        self.incumbent = skill
        self.variance = PRIOR_VARIANCE  # this loop does not repeat attempts, so it cannot tell
        self._means, self._runner, self._plan = means, means.runner, means.plan
        self._settings, self._train = means.settings, tasks.train
        self._queue: list[Task] = []
        self._epoch = 0
        self._refused: list[str] = []

    async def run(self) -> str:
        """Steps until the budget for them is spent, or a whole epoch brought no failure."""
        clean = 0
        while True:
            batch = self._next_batch()
            rollouts = await self._runner.attempts(
                [(self.incumbent, task) for task in batch], reserve=self._plan.search
            )
            if any(rollout is None for rollout in rollouts):
                return "budget"
            failures = [r for r in rollouts if r is not None and r.outcome == "failed"]
            clean = 0 if failures else clean + len(batch)
            if clean >= len(self._train):
                return "converged"
            if failures and not await self._step(failures):
                return "budget"

    def _next_batch(self) -> list[Task]:
        """The next tasks of the epoch; each epoch has its own order."""
        batch: list[Task] = []
        while len(batch) < min(self._settings.batch_size, len(self._train)):
            if not self._queue:
                self._epoch += 1
                self._queue = list(self._train)
                random.Random(f"{self._settings.seed}|epoch|{self._epoch}").shuffle(self._queue)
            batch.append(self._queue.pop())
        return batch

    async def _step(self, failures: list[Rollout]) -> bool:
        """Reflect, merge, clip, apply, gate. False when the budget ended it."""
        memory = "\n".join(self._refused[-REMEMBERED:])
        limit = self._settings.edits
        minibatches = [tuple(failures[i : i + MINIBATCH]) for i in range(0, len(failures), MINIBATCH)]
        answers = await self._runner.run(
            [Question(self.incumbent, evidence, limit, memory) for evidence in minibatches],
            reserve=self._plan.search,
        )
        edits = [edit for answer in answers if isinstance(answer, Proposal) for edit in answer.edits]
        ranked = sorted(dedupe(edits), key=lambda edit: -edit.support_count)
        applied = apply_edits(self.incumbent, ranked, limit=limit)
        if not applied.changed:
            return None not in answers
        changes = [Change(edit) for edit in applied.applied]
        verdict = await self._means.judge(applied.skill, self.incumbent, changes=changes)
        if verdict.accepted:
            self.incumbent = applied.skill
        else:
            self._refused += [_spelled(change.edit) for change in changes]
        return verdict.decision != "not enough data" and None not in answers


def _spelled(edit: Edit) -> str:
    return f"refused: {edit.op} {edit.content or edit.target}"
