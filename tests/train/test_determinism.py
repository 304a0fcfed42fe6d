"""The same seed gives the same run: whoever finishes first, however many run at once, wherever it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sharpen import Edit, Rollout, Skill, Task, TrainResult, Usage
from sharpen.simulate import Spec, budget_of, hash64, uniform

from .child_run import CRISP, DIFFUSE
from .problems import FULL, Problem, WatchedStudent, WatchedTeacher

CASES: dict[str, tuple[str | Spec, int]] = {
    "slip.1": ("slip.1", 700),
    "large": ("large", 1200),
    "errors": ("errors", 700),
    "bundle": ("bundle", 700),
    "diffuse": ("diffuse", 1200),
    "hard": ("hard", 900),
    "null.1": ("null.1", 600),
    "small crisp": (CRISP, 300),
    "small diffuse": (DIFFUSE, 700),
}
SEEDS = range(5) if FULL else range(1)


def run(
    world: str | Spec, budget: int, *, salt: int, concurrency: int, **more: Any
) -> tuple[TrainResult, int]:
    """The result, and the most attempts that ran at once."""
    problem = Problem(world, seed=more.get("seed", 0), salt=salt)
    return problem.train(budget, concurrency=concurrency, **more), problem.student.most_running


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loop", ["draft", "batch"])
@pytest.mark.parametrize("name", CASES)
def test_neither_concurrency_nor_completion_order_changes_a_run(
    tmp_path: Path, name: str, loop: str, seed: int
) -> None:
    world, budget = CASES[name]
    first, alone = run(world, budget, salt=1, concurrency=1, loop=loop, seed=seed)
    some, three = run(world, budget, salt=2, concurrency=3, loop=loop, seed=seed)
    many, sixteen = run(world, budget, salt=3, concurrency=16, loop=loop, seed=seed, run_dir=tmp_path / "run")
    assert (alone, three <= 3, sixteen <= 16) == (1, True, True)
    for other in (some, many):
        assert other.history == first.history
        assert other.as_json() == first.as_json()


@pytest.mark.parametrize("lanes", [1, 5])
def test_lanes_are_a_setting_and_not_the_machine(lanes: int) -> None:
    results = [run(CRISP, 300, salt=salt, concurrency=1 + 4 * salt, lanes=lanes)[0] for salt in range(3)]
    assert results[0] == results[1] == results[2]
    assert results[0].history[0]["plan"]["lanes"] == lanes


def test_work_is_really_done_side_by_side() -> None:
    _, most = run("large", 1000, salt=1, concurrency=16)
    assert most == 16


@pytest.mark.parametrize("world", ["slip.1", DIFFUSE], ids=["crisp", "diffuse"])
def test_seeds_differ(world: str | Spec) -> None:
    """Otherwise the tests above would prove nothing about random streams."""
    problem = Problem(world)
    histories = [problem.train(300, seed=seed).history for seed in (0, 1)]
    assert histories[0] != histories[1]


def test_in_memory_and_in_a_folder_the_same_calls_are_made(tmp_path: Path) -> None:
    memory, folder = Problem("hard", salt=5), Problem("hard", salt=5)
    results = memory.train(800), folder.train(800, tmp_path)
    assert results[0] == results[1]
    assert memory.student.tried == folder.student.tried
    assert memory.teacher.asked == folder.teacher.asked


OTHERS = ["conflict", "together", "mislead", "length", "flaky", "soft", "mixed", "large"]


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS if FULL else OTHERS[:1])
def test_with_the_budget_of_the_benchmarks_too(name: str) -> None:
    results = [run(name, budget_of(name), salt=salt, concurrency=c)[0] for salt, c in ((1, 1), (2, 16))]
    assert results[0] == results[1]


# -- what actors report besides scores --------------------------------------------------------------------


class PricedStudent(WatchedStudent):
    """Reports what attempts cost, in amounts that do not add up exactly in binary."""

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        rollout = await super().attempt(task, skill, trial=trial)
        usage = Usage(100 + len(task.id), trial, usd=uniform(task.id, skill.digest, trial))
        if rollout.score is None:
            return Rollout.failed_to_run(task, reason=rollout.error, usage=usage)
        return Rollout.scored(task, hard=rollout.score.hard, feedback=rollout.score.feedback, usage=usage)


def priced(salt: int, concurrency: int, run_dir: Path | None = None) -> TrainResult:
    problem = Problem(CRISP, salt=salt)
    problem.student = PricedStudent(problem.world, salt=salt)
    return problem.train(300, run_dir, concurrency=concurrency, lanes=4)


def test_spend_does_not_depend_on_who_finishes_first() -> None:
    spent = [priced(salt, concurrency).spent for salt, concurrency in ((0, 1), (1, 3), (2, 16), (3, 16))]
    assert spent[0]["usd"] > 0
    assert spent == [spent[0]] * 4


def test_spend_is_the_same_after_a_resume(tmp_path: Path) -> None:
    class Stopped(BaseException):
        """Stands for the end of the process."""

    class Mortal(PricedStudent):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if self.calls >= 45:
                raise Stopped
            return await super().attempt(task, skill, trial=trial)

    problem = Problem(CRISP, salt=1)
    problem.student = Mortal(problem.world, salt=1)
    with pytest.raises(Stopped):
        problem.train(300, tmp_path, concurrency=16, lanes=4)
    assert priced(1, 16, tmp_path) == priced(1, 16)


class SometimesSilent(WatchedTeacher):
    """Raises, returns nonsense or returns nothing at some questions, always the same ones."""

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        turn = hash64(skill.digest, memory, trial, *(rollout.task.id for rollout in evidence)) % 5
        edits = await super().propose(skill, evidence, limit=limit, memory=memory, trial=trial)
        if turn == 0:
            raise ConnectionError("the teacher did not answer")
        return ["not an edit"] if turn == 1 else [] if turn == 2 else edits  # type: ignore[list-item]


@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_a_teacher_that_fails_now_and_then_fails_the_same_in_every_order(tmp_path: Path, loop: str) -> None:
    results = []
    for salt, concurrency, folder in ((0, 1, None), (1, 16, None), (2, 5, tmp_path)):
        problem = Problem("bundle", salt=salt)
        problem.teacher = SometimesSilent(problem.world, salt=salt)
        results.append(problem.train(900, folder, concurrency=concurrency, loop=loop, lanes=4))
    assert results[0] == results[1] == results[2]
