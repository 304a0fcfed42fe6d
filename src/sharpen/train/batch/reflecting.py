"""A batch of attempts, and the teacher's reflections on them, begun while other attempts still run.

Attempts are read in the order asked for; as soon as a minibatch of failures (or of successes) is full, the
teacher gets it. So which attempts go together does not depend on which came back first. A reflection that
could not be used is a patch with an error: counted, and without effect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal

from sharpen.evaluate import EDITS, Answer, Attempt, Proposal, Question
from sharpen.skills import Skill
from sharpen.train.batch.items import LISTS, Item, Kind, items_of
from sharpen.train.batch.schedule import Batch
from sharpen.train.batch.telling import row_of
from sharpen.train.means import Means
from sharpen.types import Rollout

Side = Literal["fail", "succ"]
MATTERS: dict[Kind, str] = {"edits": EDITS, "suggestions": "suggestions", "candidates": "candidates"}
SOURCES: dict[Side, str] = {"fail": "failure", "succ": "success"}


@dataclass(frozen=True)
class Patch:
    """What one reflection came to."""

    side: Side
    index: int
    size: int
    items: tuple[Item, ...]
    data: dict[str, Any]
    error: str = ""

    def as_json(self, kind: Kind, batch: int) -> dict[str, Any]:
        """SkillOpt's raw patch."""
        items = [dict(item) for item in self.items]
        key = LISTS[kind]
        said = {name: value for name, value in self.data.items() if name not in (key, "reasoning", "refused")}
        patch = {"reasoning": self.data.get("reasoning", ""), "edits": items}
        return {
            "kind": self.side,
            "batch": batch,
            "index": self.index,
            "batch_size": self.size,
            "source_type": SOURCES[self.side],
            **said,
            **({"patch": patch} if kind == "edits" else {key: items}),
            **({"error": self.error} if self.error else {}),
        }


@dataclass
class Reflected:
    """A batch as it went: attempts in order, patches of both sides, whether the budget reached."""

    rollouts: list[Rollout] = field(default_factory=list)
    patches: list[Patch] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = True

    def mean(self, score: Literal["hard", "soft"]) -> float | None:
        values = [getattr(rollout.score, score) for rollout in self.rollouts if rollout.score is not None]
        return fmean(values) if values else None


class Reflecting:
    """Rolls out batches with one skill and has them reflected on."""

    def __init__(self, means: Means, kind: Kind) -> None:
        self._means, self._runner, self._kind = means, means.runner, kind
        self._batch = means.settings.batch

    async def on_batch(
        self, batch: Batch, skill: Skill, *, limit: int, memory: str, reflect: bool = True
    ) -> Reflected:
        """Attempts and reflections side by side; or attempts alone."""
        found = Reflected()
        desk = _Desk(self, skill, limit, memory)
        attempts = self._runner.begin([Attempt(skill, task) for task in batch.tasks], reserve=self.reserve)
        async for answer in attempts:
            if not isinstance(answer, Rollout):
                found.complete = False
                continue
            found.rollouts.append(answer)
            found.rows.append(row_of(answer, self._runner.last_trial(skill, answer.task)))
            if reflect:
                await desk.take(answer)
        found.patches = await desk.close()
        found.complete = found.complete and desk.complete
        return found

    async def on_rollouts(self, tried: Reflected, skill: Skill, *, limit: int, memory: str) -> None:
        """The reflections on attempts that were made before."""
        desk = _Desk(self, skill, limit, memory)
        for rollout in tried.rollouts:
            await desk.take(rollout)
        tried.patches = await desk.close()
        tried.complete = tried.complete and desk.complete

    @property
    def reserve(self) -> int:
        return self._means.plan.search

    async def expect_candidate(self, skill: Skill) -> None:
        """While the teacher thinks, the gate may begin with the incumbent."""
        with self._runner.stage("gate"):
            await self._means.gate.prepare(skill, reserve=self.reserve)

    def ask(
        self, skill: Skill, evidence: tuple[Rollout, ...], limit: int, memory: str
    ) -> AsyncIterator[Answer]:
        question = Question(skill, evidence, limit, memory, matter=MATTERS[self._kind])
        return self._runner.begin([question], reserve=self.reserve)

    def patch(self, side: Side, index: int, size: int, answer: Proposal) -> Patch:
        items = items_of(self._kind, answer, support=size, source=SOURCES[side])
        return Patch(side, index, size, items, dict(answer.data), answer.error)


class _Desk:
    """Sorts attempts into minibatches and hands each over when it is full."""

    def __init__(self, reflecting: Reflecting, skill: Skill, limit: int, memory: str) -> None:
        self._reflecting, self._asked = reflecting, (skill, limit, memory)
        batch = reflecting._batch
        self._size, self._analysts = batch.minibatch, batch.analysts
        self._sides: dict[Side, list[Rollout]] = (
            {"fail": []} if batch.failure_only else {"fail": [], "succ": []}
        )
        self._count: dict[Side, int] = {"fail": 0, "succ": 0}
        self._flying: deque[tuple[Side, int, int, AsyncIterator[Answer]]] = deque()
        self._patches: list[Patch] = []
        self.complete = True

    async def take(self, rollout: Rollout) -> None:
        side: Side = "succ" if rollout.outcome == "solved" else "fail"
        if rollout.outcome == "error" or side not in self._sides:
            return
        self._sides[side].append(rollout)
        if len(self._sides[side]) == self._size:
            await self._hand_over(side)

    async def close(self) -> list[Patch]:
        """The patches, failures first, once every reflection has come back."""
        for side in self._sides:
            if self._sides[side]:
                await self._hand_over(side)
        if self._flying:
            await self._reflecting.expect_candidate(self._asked[0])
        while self._flying:
            await self._receive()
        return sorted(self._patches, key=lambda patch: (patch.side != "fail", patch.index))

    async def _hand_over(self, side: Side) -> None:
        if len(self._flying) >= self._analysts:
            await self._receive()
        evidence = tuple(self._sides[side])
        self._sides[side].clear()
        skill, limit, memory = self._asked
        flight = self._reflecting.ask(skill, evidence, limit, memory)
        self._flying.append((side, self._count[side], len(evidence), flight))
        self._count[side] += 1

    async def _receive(self) -> None:
        side, index, size, flight = self._flying.popleft()
        async for answer in flight:
            if isinstance(answer, Proposal):
                self._patches.append(self._reflecting.patch(side, index, size, answer))
            else:
                self.complete = False
