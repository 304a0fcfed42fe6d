"""sharpen itself on a simulated world, through its public surface and nothing else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clock import run_virtual
from outcomes import Claim, Outcome, judged
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World, budget_of
from sharpen.skills import Edit, Skill
from sharpen.train import TrainResult, TrainSettings, atrain, train
from sharpen.types import Budget, Rollout, Task


class Stopwatch:
    """Seconds spent outside the loop that is being measured."""

    seconds = 0.0


class TimedStudent:
    """A student whose time is put on a stopwatch. The inner one must not sleep: awaits may not overlap."""

    def __init__(self, inner: SimulatedStudent, watch: Stopwatch) -> None:
        self._inner, self._watch, self.fingerprint = inner, watch, inner.fingerprint

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        began = time.perf_counter()
        rollout = await self._inner.attempt(task, skill, trial=trial)
        self._watch.seconds += time.perf_counter() - began
        return rollout


class TimedTeacher:
    """The same for a teacher."""

    def __init__(self, inner: SimulatedTeacher, watch: Stopwatch) -> None:
        self._inner, self._watch, self.fingerprint = inner, watch, inner.fingerprint

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        began = time.perf_counter()
        edits = await self._inner.propose(skill, evidence, limit=limit, memory=memory, trial=trial)
        self._watch.seconds += time.perf_counter() - began
        return edits


def play(
    name: str, seed: int, *, budget: int | None = None, run_dir: Path | None = None, **settings: Any
) -> Outcome:
    """One run in real time; `settings` are fields of `TrainSettings`."""
    world, watch = World.named(name, seed=seed), Stopwatch()
    student, teacher = SimulatedStudent(world), SimulatedTeacher(world)
    skill, tasks = world.skill, world.tasks()
    began = time.perf_counter()
    result = train(
        skill=skill,
        tasks=tasks,
        student=TimedStudent(student, watch),
        teacher=TimedTeacher(teacher, watch),
        budget=Budget(rollouts=budget or budget_of(name)),
        settings=TrainSettings(seed=seed, **settings),
        run_dir=run_dir,
    )
    own = time.perf_counter() - began - watch.seconds
    return _outcome(world, result, calls=teacher.calls, own_seconds=own)


def play_virtual(name: str, seed: int, **settings: Any) -> Outcome:
    """One run on the virtual clock with the students' and the teacher's latency: how long it would take."""
    world = World.named(name, seed=seed)
    student, teacher = SimulatedStudent(world, latency=True), SimulatedTeacher(world, latency=True)
    result, wall = run_virtual(
        atrain(
            skill=world.skill,
            tasks=world.tasks(),
            student=student,
            teacher=teacher,
            budget=Budget(rollouts=budget_of(name)),
            settings=TrainSettings(seed=seed, **settings),
        )
    )
    return _outcome(world, result, calls=teacher.calls, wall=wall)


def _outcome(
    world: World,
    result: TrainResult,
    *,
    calls: int,
    own_seconds: float | None = None,
    wall: float | None = None,
) -> Outcome:
    claim = Claim(
        text=result.skill.text,
        reported=result.selection.mean,
        rollouts=result.rollouts,
        calls=calls,
        accepted=int(result.skill.digest != world.skill.digest),
        own_seconds=own_seconds,
        wall=wall,
    )
    return judged("sharpen", world, claim)
