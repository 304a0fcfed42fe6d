"""Passes over tasks and what is made of them: values, errors, estimates, and the record for the store."""

from __future__ import annotations

import asyncio

import pytest

from sharpen.evaluate import Measured, evaluation_of, measure, valued_by
from sharpen.simulate import SimulatedStudent, World, line_of
from sharpen.skills import Skill
from sharpen.types import Budget, Metric, Rollout, Task

from .players import NEW, Player, runner_for, tasks

HARD = valued_by("hard")


def measured_of(values: dict[str, list[float]], groups: dict[str, str] | None = None) -> Measured:
    measured = Measured()
    for name, scores in values.items():
        task = Task(name, group=(groups or {}).get(name))
        for score in scores:
            measured.add(task, Rollout.scored(task, hard=score), score)
    return measured


def test_a_rollout_becomes_one_number() -> None:
    rollout = Rollout.scored(Task("t0"), hard=0, soft=0.5)
    assert [valued_by(metric)(rollout) for metric in ("hard", "soft", "mixed")] == [0.0, 0.5, 0.25]
    assert valued_by("mixed", 0.2)(rollout) == pytest.approx(0.1)
    assert valued_by("soft")(Rollout.failed_to_run(Task("t0"), reason="down")) is None


def test_every_task_is_attempted_once_per_pass() -> None:
    student = Player(lambda task, skill, trial: float(trial % 2))
    runner = runner_for(student)
    measured = asyncio.run(measure(runner, NEW, tasks(5), value=HARD, passes=3))
    assert measured.values == {f"t{n}": [1.0, 0.0, 1.0] for n in range(5)}
    assert measured.attempts == runner.ledger.rollouts == 15
    assert measured.mean == pytest.approx(2 / 3)


def test_a_second_measurement_is_fresh() -> None:
    student = Player(lambda task, skill, trial: float(trial == 1))
    runner = runner_for(student)
    first = asyncio.run(measure(runner, NEW, tasks(4), value=HARD))
    second = asyncio.run(measure(runner, NEW, tasks(4), value=HARD))
    assert (first.mean, second.mean) == (1.0, 0.0)


def test_errors_are_counted_and_are_no_zeros() -> None:
    student = Player(lambda task, skill, trial: None if task.id == "t1" else 1)
    runner = runner_for(student)
    measured = asyncio.run(measure(runner, NEW, tasks(3), value=HARD, passes=2))
    assert measured.values == {"t0": [1.0, 1.0], "t2": [1.0, 1.0]}
    assert measured.errors == {"t1": 2}
    assert measured.mean == 1.0
    assert runner.ledger.rollouts == 4 + 2 * 3
    assert measured.counted() == {"t0": [2.0, 2, 0], "t1": [0, 0, 2], "t2": [2.0, 2, 0]}


def test_what_the_budget_refuses_is_left_out() -> None:
    runner = runner_for(Player(lambda *_: 1), budget=Budget(rollouts=5))
    measured = asyncio.run(measure(runner, NEW, tasks(9), value=HARD, reserve=2))
    assert list(measured.values) == ["t0", "t1", "t2"]
    assert measured.errors == {}


def test_the_metric_decides_what_is_measured() -> None:
    def half(task: Task, skill: Skill, trial: int) -> Rollout:
        return Rollout.scored(task, hard=0, soft=0.5)

    expected: dict[Metric, float] = {"hard": 0.0, "soft": 0.5, "mixed": 0.25}
    for metric, mean in expected.items():
        measured = asyncio.run(measure(runner_for(Player(half)), NEW, tasks(3), value=valued_by(metric)))
        assert measured.mean == mean


def test_the_mean_is_over_tasks_not_attempts() -> None:
    measured = measured_of({"a": [1.0], "b": [0.0, 0.0, 0.0]})
    estimate = measured.estimate()
    assert estimate is not None
    assert (measured.mean, estimate.mean, estimate.n, estimate.tasks) == (0.5, 0.5, 4, 2)
    assert 0 <= estimate.low < 0.5 < estimate.high <= 1


def test_tasks_of_one_group_say_less() -> None:
    values = {f"t{n}": [float(n < 10)] for n in range(20)}
    apart = measured_of(values).estimate()
    groups = {name: f"g{int(name[1:]) // 5}" for name in values}
    grouped = measured_of(values, groups).estimate()
    assert apart is not None
    assert grouped is not None
    assert apart.mean == grouped.mean == 0.5
    assert grouped.high - grouped.low > apart.high - apart.low


def test_nothing_measured_gives_no_estimate_and_no_record() -> None:
    measured = asyncio.run(measure(runner_for(Player(lambda *_: None)), NEW, tasks(2), value=HARD))
    assert measured.estimate() is None
    assert measured.attempts == 0
    assert evaluation_of(measured, NEW, split="selection", purpose="final") is None


def test_the_record_for_the_store() -> None:
    measured = asyncio.run(measure(runner_for(Player(lambda *_: 1)), NEW, tasks(3), value=HARD))
    record = evaluation_of(measured, NEW, split="test", purpose="test")
    assert record is not None
    assert (record.skill, record.split, record.purpose) == (NEW.digest, "test", "test")
    assert (record.estimate, record.counted) == (
        measured.estimate(),
        {f"t{n}": [1.0, 1, 0] for n in range(3)},
    )


def test_the_interval_of_a_simulated_skill_holds_its_truth() -> None:
    """95 % of 40 are 38. The intervals allow for other tasks too, so they hold the mean of these oftener."""
    held = 0
    for seed in range(40):
        world = World.named("slip.1", seed=seed)
        skill = Skill("".join(f"{line_of(f'R{k:02d}')}\n" for k in range(8)))
        runner = runner_for(SimulatedStudent(world))
        estimate = asyncio.run(
            measure(runner, skill, world.tasks().selection, value=HARD, passes=3)
        ).estimate()
        assert estimate is not None
        held += estimate.low <= world.expected_mean("val", skill.text) <= estimate.high
    assert held >= 38
