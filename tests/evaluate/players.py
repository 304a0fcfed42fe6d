"""Students and teachers that answer as a test tells them, and note what was asked of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from sharpen.evaluate import Held, Ledger, Runner, Value, valued_by
from sharpen.simulate import uniform
from sharpen.skills import Edit, Skill
from sharpen.store import MemoryStore, Store
from sharpen.types import Budget, Rollout, Student, Task, Teacher, Usage

NEW, OLD = Skill("# new\n"), Skill("# old\n")
Answering = Callable[[Task, Skill, int], object]


def tasks(count: int, *, group: str | None = None) -> list[Task]:
    return [Task(f"t{n}", group=group) for n in range(count)]


class Player:
    """A student. A number is a score, None an error, an exception is raised; all else is returned as it is.

    Calls wait as many turns of the event loop as `turns` says, so that a test chooses who finishes first.
    """

    fingerprint = "player"

    def __init__(
        self,
        answer: Answering,
        *,
        turns: Callable[[Task, int], int] | None = None,
        usage: Usage | None = None,
    ) -> None:
        self._answer, self._turns, self._usage = answer, turns, usage
        self.asked: list[tuple[str, str, int]] = []
        self.finished: list[tuple[str, int]] = []
        self.in_flight = self.most_in_flight = 0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        self.asked.append((skill.text, task.id, trial))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            for _ in range(self._turns(task, trial) if self._turns else 0):
                await asyncio.sleep(0)
            answered: Rollout = self._answered(task, skill, trial)
            return answered
        finally:
            self.in_flight -= 1
            self.finished.append((task.id, trial))

    def _answered(self, task: Task, skill: Skill, trial: int) -> Any:
        answer = self._answer(task, skill, trial)
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            return Rollout.failed_to_run(task, reason="down", usage=self._usage)
        if isinstance(answer, (int, float)):
            return Rollout.scored(task, hard=answer, usage=self._usage)
        return answer


class Coach:
    """A teacher that answers by what it is asked; an exception is raised."""

    fingerprint = "coach"

    def __init__(
        self, answer: Callable[[Skill, int], object], *, turns: Callable[[int], int] | None = None
    ) -> None:
        self._answer, self._turns = answer, turns
        self.asked: list[tuple[str, tuple[Rollout, ...], int, str, int]] = []

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        assert isinstance(evidence, tuple)
        self.asked.append((skill.text, evidence, limit, memory, trial))
        for _ in range(self._turns(trial) if self._turns else 0):
            await asyncio.sleep(0)
        answer: Any = self._answer(skill, trial)
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[no-any-return]


def lucky(chance: float, *, seed: object = 0) -> Answering:
    """Solved with this chance whatever the skill says: every difference is luck, keyed by the trial."""
    return lambda task, skill, trial: float(uniform(seed, task.id, skill.text, trial) < chance)


def runner_for(
    student: Student,
    teacher: Teacher | None = None,
    *,
    budget: Budget | None = None,
    store: Store | None = None,
    **more: Any,
) -> Runner:
    ledger = Ledger(budget or Budget(rollouts=100_000))
    return Runner(student, teacher, store=MemoryStore() if store is None else store, ledger=ledger, **more)


def held_by(
    student: Student, count: int = 20, *, rollouts: int = 100_000, value: Value | None = None, **more: Any
) -> Held:
    """Held-out tasks t0, t1, … and a runner for them."""
    runner = runner_for(student, budget=Budget(rollouts=rollouts), **more)
    return Held(runner, tasks(count), value or valued_by("hard"))
