"""Problems the training tests share: simulated worlds whose student and teacher note what they are asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import sharpen
from clock import run_virtual
from sharpen import Budget, Edit, Rollout, Skill, Task, TaskSet, TrainResult, TrainSettings
from sharpen.evaluate import Question
from sharpen.simulate import WORLDS, SimulatedStudent, SimulatedTeacher, Spec, World, uniform
from sharpen.types import Json

FULL = os.environ.get("SHARPEN_TEST_FULL") == "1"


class Tried(NamedTuple):
    """One finished attempt, and the kind of the last event before it began."""

    after: str
    skill: str
    task: str
    trial: int
    rollout: Rollout

    @property
    def split(self) -> str:
        return self.task.partition("-")[0]

    @property
    def value(self) -> float:
        assert self.rollout.score is not None
        return self.rollout.score.hard


class WatchedStudent(SimulatedStudent):
    """Notes its attempts. With a salt they take (virtual) time: the salt decides who finishes first."""

    def __init__(self, world: World, *, salt: int | None = None) -> None:
        super().__init__(world)
        self.salt, self.tried, self.last_event = salt, list[Tried](), ""
        self.running = self.most_running = 0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        after = self.last_event
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if self.salt is not None:
                await asyncio.sleep(uniform(self.salt, task.id, skill.digest, trial))
            rollout = await super().attempt(task, skill, trial=trial)
        finally:
            self.running -= 1
        self.tried.append(Tried(after, skill.digest, task.id, trial, rollout))
        return rollout


class Asked(NamedTuple):
    """One question as the teacher got it."""

    skill: Skill
    evidence: tuple[Rollout, ...]
    limit: int
    memory: str
    trial: int

    @property
    def digest(self) -> str:
        return Question(self.skill, self.evidence, self.limit, self.memory).digest


class WatchedTeacher(SimulatedTeacher):
    """Notes its questions; a salt as for the student."""

    def __init__(self, world: World, *, salt: int | None = None) -> None:
        super().__init__(world)
        self.salt, self.asked = salt, list[Asked]()

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        assert isinstance(evidence, tuple)
        self.asked.append(Asked(skill, evidence, limit, memory, trial))
        if self.salt is not None:
            await asyncio.sleep(2 * uniform(self.salt, skill.digest, memory, trial))
        return await super().propose(skill, evidence, limit=limit, memory=memory, trial=trial)


class Problem:
    """A world with watched actors. `train` runs on a virtual clock; keyword arguments are settings."""

    def __init__(
        self, world: str | Spec, *, seed: int = 0, test: bool = False, salt: int | None = None
    ) -> None:
        named = isinstance(world, str)
        spec = WORLDS[world] if isinstance(world, str) else world
        self.world = World(spec, seed=seed, name=str(world) if named else "custom")
        self.student, self.teacher = (
            WatchedStudent(self.world, salt=salt),
            WatchedTeacher(self.world, salt=salt),
        )
        self.tasks: TaskSet = self.world.tasks(test=test)
        self.events: list[tuple[str, Json]] = []

    def train(self, budget: int | Budget, run_dir: str | Path | None = None, **settings: Any) -> TrainResult:
        def on_event(kind: str, data: Json) -> None:
            self.events.append((kind, data))
            self.student.last_event = kind

        limits = Budget(rollouts=budget) if isinstance(budget, int) else budget
        result, _ = run_virtual(
            sharpen.atrain(
                self.world.skill,
                self.tasks,
                self.student,
                self.teacher,
                limits,
                TrainSettings(on_event=on_event, **settings),
                run_dir,
            )
        )
        return result


def of_kind(result: TrainResult, kind: str) -> list[dict[str, Any]]:
    return [record for record in result.history if record["kind"] == kind]


# -- a problem small enough to be followed by hand ---------------------------------------------------------

RULE = "- Say please."


def manners(train: int = 6, selection: int = 8, test: int = 0) -> TaskSet:
    def split(name: str, count: int) -> list[Task]:
        return [Task(f"{name}-{n}", "ask for something") for n in range(count)]

    return TaskSet(
        train=split("train", train), selection=split("selection", selection), test=split("test", test)
    )


class Polite:
    """Solves every task with the rule in hand, none without it. No noise."""

    fingerprint = "polite student"

    def __init__(self) -> None:
        self.calls = 0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        self.calls += 1
        return Rollout.scored(task, hard=float(RULE in skill.text), feedback="please is missing")


class Helpful:
    """Proposes the rule, whatever it is shown."""

    fingerprint = "helpful teacher"

    def __init__(self, *edits: Edit) -> None:
        self.edits, self.calls = list(edits or (Edit.append(RULE),)), 0

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        self.calls += 1
        return self.edits


START = Skill.from_text("# Manners\n")
