"""Actors whose every call has a known price in tokens, so that a limit of tokens binds the same for any loop.

A simulated student or teacher costs nothing; here it costs what a small model's call of that size would. A
model on this machine is bounded by `worst_case` beforehand so generously (one token per byte and a thousand
unseen ones) that loops which make many calls at once would be starved of a budget of a few thousand tokens;
here the bound is tight, and a call beyond it is an error. What a loop is, this module does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sharpen.models import Completion, Model, Request
from sharpen.simulate import SimulatedStudent, SimulatedTeacher
from sharpen.skills import Skill, tokens
from sharpen.train.teacher import Lesson
from sharpen.types import Rollout, Task, Usage

TASK, ANSWER = 50, 10
"""Tokens of a simulated task and of its answer, the size of the real families."""
QUESTION, RULE = 120, 30
"""Tokens of what a simulated teacher is told besides the attempts, and of each rule it writes."""
TEMPLATE = 40
"""Tokens that a chat template adds, its default system prompt included."""
BYTES = 3
"""Fewest bytes per token over a whole English prompt with a few numbers in it; about 4 are usual."""


class CountedStudent:
    """A simulated student that reports tokens: the task, its answer, and the whole skill every time."""

    def __init__(self, inner: SimulatedStudent) -> None:
        self._inner, self.fingerprint = inner, inner.fingerprint

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        rollout = await self._inner.attempt(task, skill, trial=trial)
        return replace(rollout, usage=self.worst_case(task, skill))

    def worst_case(self, task: Task, skill: Skill) -> Usage:
        return Usage(TASK + tokens(skill.text), ANSWER)


class CountedTeacher:
    """A simulated teacher that reports tokens: the skill, every attempt it is shown, every rule it writes."""

    def __init__(self, inner: SimulatedTeacher) -> None:
        self._inner, self.fingerprint = inner, inner.fingerprint

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> Lesson:
        edits = await self._inner.propose(skill, evidence, limit=limit, memory=memory, trial=trial)
        most = self.worst_case(skill, evidence, limit=limit, memory=memory)
        return Lesson(edits, usage=replace(most, output_tokens=RULE * max(1, len(edits))))

    def worst_case(self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str) -> Usage:
        shown = len(evidence) * (TASK + ANSWER)
        return Usage(QUESTION + tokens(skill.text) + tokens(memory) + shown, RULE * limit)


@dataclass(frozen=True)
class TightlyBounded:
    """A model whose upper bound is close to what its calls use."""

    inner: Model

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def fingerprint(self) -> str:
        return self.inner.fingerprint

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        completion = await self.inner.complete(request, trial=trial)
        most = self.worst_case(request).tokens
        if completion.usage.tokens > most:
            raise AssertionError(f"a call used {completion.usage.tokens} tokens; the bound says {most}")
        return completion

    def worst_case(self, request: Request) -> Usage:
        said = [request.system, *(message.text for message in request.messages)]
        sent = sum(len(text.encode()) for text in said)
        return replace(
            self.inner.worst_case(request),
            input_tokens=TEMPLATE + sent // BYTES,
            output_tokens=request.max_tokens or 0,
        )

    async def aclose(self) -> None:
        await self.inner.aclose()
