"""Simulated students and teachers: the same question gets the same answer, whenever it is asked."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Sequence
from typing import TypeVar

import pytest

from sharpen.simulate import SimulatedStudent, SimulatedTeacher, Spec, World
from sharpen.skills import Edit, Skill
from sharpen.types import Rollout, Student, Task, Teacher, fingerprint_of

from .golden import skills_of

T = TypeVar("T")
WORLDS = ("slip.2", "errors", "soft", "bundle", "hard", "mixed", "null.flaky")


def together(calls: Sequence[Awaitable[T]]) -> list[T]:
    async def gathered() -> list[T]:
        return list(await asyncio.gather(*calls))

    return asyncio.run(gathered())


def shuffled(count: int, seed: int) -> list[int]:
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order


def wishes_for(world: World) -> list[tuple[Task, Skill, int]]:
    skills = [Skill(text) for text in skills_of(world).values()]
    return [(task, skill, n) for task in world.tasks().selection[:10] for skill in skills for n in (1, 2, 3)]


@pytest.mark.parametrize("name", WORLDS)
def test_a_student_does_not_mind_the_order(name: str) -> None:
    world = World.named(name, seed=3)
    wishes = wishes_for(world)

    def answers(order: Sequence[int]) -> list[Rollout]:
        student = SimulatedStudent(World.named(name, seed=3))
        made = together([student.attempt(wishes[i][0], wishes[i][1], trial=wishes[i][2]) for i in order])
        assert student.calls == len(order)
        return [rollout for _, rollout in sorted(zip(order, made, strict=True), key=lambda pair: pair[0])]

    first = answers(range(len(wishes)))
    assert answers(shuffled(len(wishes), 1)) == answers(shuffled(len(wishes), 2)) == first
    assert [rollout.task for rollout in first] == [task for task, _, _ in wishes]


@pytest.mark.parametrize("name", WORLDS)
def test_a_teacher_does_not_mind_the_order(name: str) -> None:
    world = World.named(name, seed=3)
    student = SimulatedStudent(world)
    skills = [Skill(text) for text in skills_of(world).values()]
    seen = together(
        [student.attempt(task, skill, trial=1) for skill in skills for task in world.tasks().train[:4]]
    )
    evidence = [tuple(seen[i : i + 4]) for i in range(0, len(seen), 4)]
    wishes = [(skill, shown, n) for skill, shown in zip(skills, evidence, strict=True) for n in range(1, 9)]

    def answers(order: Sequence[int]) -> list[list[Edit]]:
        teacher = SimulatedTeacher(World.named(name, seed=3))
        asked = [
            teacher.propose(wishes[i][0], wishes[i][1], limit=4, memory="", trial=wishes[i][2]) for i in order
        ]
        made = together(asked)
        assert teacher.calls == len(order)
        return [edits for _, edits in sorted(zip(order, made, strict=True), key=lambda pair: pair[0])]

    first = answers(range(len(wishes)))
    assert answers(shuffled(len(wishes), 1)) == answers(shuffled(len(wishes), 2)) == first


def test_trials_differ_where_there_is_luck_and_only_there() -> None:
    def scores(name: str) -> set[float]:
        world = World.named(name)
        student, task, skill = SimulatedStudent(world), world.tasks().selection[0], world.skill
        made = together([student.attempt(task, skill, trial=n) for n in range(1, 60)])
        return {rollout.score.hard for rollout in made if rollout.score}

    assert scores("slip.2") == {0.0, 1.0}
    assert scores("binary") == {0.0}


def test_asking_again_gives_another_idea() -> None:
    world = World.named("slip.1")
    teacher = SimulatedTeacher(world)
    shown = (Rollout.scored(world.tasks().train[0], hard=0, feedback="FAULT R00"),)

    def asked(*, limit: int = 4, memory: str = "", trials: Sequence[int] = (1,)) -> list[list[Edit]]:
        return together(
            [teacher.propose(world.skill, shown, limit=limit, memory=memory, trial=n) for n in trials]
        )

    ideas = asked(trials=range(1, 40))
    right = sum(edits == [Edit.append("- R00: follow rule R00")] for edits in ideas)
    assert 18 <= right <= 36  # 70 % of 39 are 27, give or take three standard deviations
    assert len({edits[0] for edits in ideas}) > 3
    memories = [asked(memory=f"tried {n}")[0] for n in range(30)]
    assert len({edits[0] for edits in memories}) > 1


def test_the_limit_is_kept() -> None:
    world = World(Spec(bundle=4, accuracy=0.0))
    teacher = SimulatedTeacher(world)
    shown = (Rollout.scored(world.tasks().train[0], hard=0, feedback="FAULT R00"),)
    for limit in (1, 2, 3):
        asked = [teacher.propose(world.skill, shown, limit=limit, memory="", trial=n) for n in range(1, 20)]
        assert max(map(len, together(asked))) == limit


def test_an_outage_is_an_error_and_no_score() -> None:
    world = World(Spec(errors=1.0))
    (rollout,) = together([SimulatedStudent(world).attempt(world.tasks().train[0], world.skill, trial=1)])
    assert (rollout.outcome, rollout.score, rollout.error) == ("error", None, "simulated outage")


def test_soft_worlds_give_graded_scores() -> None:
    world = World.named("soft")
    asked = [SimulatedStudent(world).attempt(task, world.skill, trial=1) for task in world.tasks().train]
    scores = [rollout.score for rollout in together(asked)]
    assert all(score is not None and score.soft == score.hard for score in scores)
    assert any(score is not None and 0 < score.hard < 1 for score in scores)


def test_actors_say_who_they_are() -> None:
    names = {
        fingerprint_of(SimulatedStudent(World.named(name, seed=seed))) for name in WORLDS for seed in (0, 1)
    }
    assert len(names) == 2 * len(WORLDS)
    assert all(name.startswith("simulated:") for name in names)
    assert fingerprint_of(SimulatedStudent(World(Spec(slip=0.1)))) != fingerprint_of(
        SimulatedStudent(World(Spec()))
    )
    assert isinstance(SimulatedStudent(World(Spec())), Student)
    assert isinstance(SimulatedTeacher(World(Spec())), Teacher)


def test_latency_is_keyed_by_the_call() -> None:
    """Mean one second with a long tail, the same for the same call: checked without waiting for it."""
    world = World.named("binary")
    delays = [world.latency(f"train-{n}", "digest", 1) for n in range(2000)]
    assert min(delays) >= 0.5
    assert sum(delays) / len(delays) == pytest.approx(1.0, abs=0.05)
    assert delays[7] == World.named("binary").latency("train-7", "digest", 1)
