"""`evaluate` and `compare`: what a user measures, and when a difference is called proven."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import sharpen
from sharpen.evaluate import within_variance
from sharpen.simulate import SimulatedStudent, World, line_of
from sharpen.skills import Skill
from sharpen.types import Rollout, Task, Usage

GOOD = Skill.from_text("# Skill\n" + "".join(f"{line_of(f'R{k:02d}')}\n" for k in range(12)))
START = Skill.from_text("# Skill\n")


class Scripted:
    """Answers from a table (skill text, task id) -> scores by trial; None measures nothing."""

    fingerprint = "scripted"

    def __init__(self, table: dict[tuple[str, str], list[float | None]]) -> None:
        self.table, self.calls = table, 0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        self.calls += 1
        scores = self.table[skill.text, task.id]
        score = scores[(trial - 1) % len(scores)]
        if score is None:
            return Rollout.failed_to_run(task, reason="down", usage=Usage())
        return Rollout.scored(task, hard=score)


def world(name: str = "slip.1") -> tuple[World, SimulatedStudent]:
    made = World.named(name)
    return made, SimulatedStudent(made)


def scripted(first: list[float], second: list[float], **more: str) -> tuple[list[Task], Scripted]:
    """Tasks t0, t1, … that skill "a" and skill "b" score as listed."""
    tasks = [Task(f"t{n}", group=more.get("group")) for n in range(len(first))]
    table: dict[tuple[str, str], list[float | None]] = {}
    for task, a, b in zip(tasks, first, second, strict=True):
        table["a", task.id], table["b", task.id] = [a], [b]
    return tasks, Scripted(table)


def test_a_skill_is_measured_on_the_split_asked_for() -> None:
    made, student = world("binary")
    tasks = made.tasks(test=True)
    assert sharpen.evaluate(GOOD, tasks, student).score.n == 20
    settings = sharpen.EvaluateSettings(split="test", passes=2)
    measured = sharpen.evaluate(GOOD, tasks, student, settings=settings)
    assert (measured.score.mean, measured.score.n, measured.score.tasks) == (1.0, 400, 200)
    assert measured.rollouts == 400


def test_no_skill_is_an_empty_one() -> None:
    made, student = world("binary")
    measured = sharpen.evaluate(None, made.tasks(), student)
    assert measured.skill.text == ""
    assert measured.score.mean == 0


def test_a_path_will_do(tmp_path: Path) -> None:
    made, student = world("binary")
    GOOD.write(tmp_path / "good.md")
    assert sharpen.evaluate(tmp_path / "good.md", made.tasks(), student).score.mean == 1


def test_better_is_said_of_the_first() -> None:
    made, student = world()
    there = sharpen.compare(GOOD, START, made.tasks(), student)
    back = sharpen.compare(START, GOOD, made.tasks(), student)
    assert (there.verdict.decision, back.verdict.decision) == ("better", "not better")
    assert there.difference.mean == pytest.approx(-back.difference.mean)
    assert (there.verdict.wins, there.verdict.losses) == (back.verdict.losses, back.verdict.wins)
    assert there.rollouts == 40


@pytest.mark.parametrize(("wins", "decision"), [(5, "not enough data"), (6, "better")])
def test_the_sign_test_decides(wins: int, decision: str) -> None:
    """Two-sided at 5 %: five wins to none have p = 0.0625, six 0.03125."""
    tasks, student = scripted([1.0] * wins + [0.0] * 14, [0.0] * (wins + 14))
    compared = sharpen.compare(Skill("a"), Skill("b"), tasks, student)
    assert compared.verdict.decision == decision
    assert compared.p_value == pytest.approx(2 * 0.5**wins)


def test_ties_are_not_better() -> None:
    tasks, student = scripted([1.0, 0.0], [1.0, 0.0])
    assert sharpen.compare(Skill("a"), Skill("b"), tasks, student).verdict.decision == "not better"


def test_a_group_counts_once() -> None:
    tasks, student = scripted([1.0] * 12, [0.0] * 12, group="one")
    compared = sharpen.compare(Skill("a"), Skill("b"), tasks, student)
    assert (compared.verdict.wins, compared.difference.tasks) == (1, 1)
    assert compared.verdict.decision == "not enough data"


def test_too_little_measured_decides_nothing() -> None:
    tasks, student = scripted([1.0] * 10, [0.0] * 10)
    for n in range(3):
        student.table["b", f"t{n}"] = [None]
    compared = sharpen.compare(Skill("a"), Skill("b"), tasks, student)
    assert compared.verdict.decision == "not enough data"
    assert compared.second.not_measured == ("t0", "t1", "t2")
    assert len(compared.differences) == 7


def test_an_error_is_tried_again() -> None:
    tasks, student = scripted([1.0], [1.0])
    student.table["a", "t0"] = [None, None, 1.0]
    measured = sharpen.evaluate(Skill("a"), tasks, student)
    assert (measured.score.mean, measured.rollouts, measured.errors) == (1.0, 3, {})


def test_nothing_measured_is_an_error_with_the_reason() -> None:
    tasks, student = scripted([1.0], [1.0])
    student.table["a", "t0"] = [None]
    with pytest.raises(sharpen.ProviderError, match="down"):
        sharpen.evaluate(Skill("a"), tasks, student)


def test_a_comparison_with_itself_rarely_finds_anything() -> None:
    """A/A: 5 % of 200 comparisons are 10; 18 is the 99 % point of that."""
    better = 0
    for seed in range(200):
        made = World.named("slip.2", seed=seed)
        half = Skill.from_text("# Skill\n" + "".join(f"{line_of(f'R{k:02d}')}\n" for k in range(6)))
        compared = sharpen.compare(half, half, made.tasks(), SimulatedStudent(made))
        better += compared.verdict.decision == "better"
    assert better <= 18


def test_both_sides_of_a_comparison_with_itself_are_fresh() -> None:
    made, student = world("slip.2")
    compared = sharpen.compare(START, START, made.tasks(), student)
    assert student.calls == 40
    assert compared.first.values != compared.second.values


def test_scatter_of_repeated_attempts() -> None:
    made, student = world("slip.2")
    settings = sharpen.EvaluateSettings(passes=10)
    compared = sharpen.compare(START, START, made.tasks(), student, settings=settings)
    assert within_variance([compared.first, compared.second]) == pytest.approx(0.16, abs=0.04)
    once = sharpen.evaluate(START, made.tasks(), student)
    assert within_variance([once]) is None


def test_concurrency_changes_nothing() -> None:
    made, student = world()

    def measured(concurrency: int) -> sharpen.Evaluated:
        settings = sharpen.EvaluateSettings(passes=3, concurrency=concurrency)
        return sharpen.evaluate(START, made.tasks(), student, settings=settings)

    assert measured(1) == measured(50)


def test_a_folder_keeps_attempts(tmp_path: Path) -> None:
    made, student = world()
    first = sharpen.evaluate(START, made.tasks(), student, run_dir=tmp_path / "kept")
    again = sharpen.evaluate(START, made.tasks(), student, run_dir=tmp_path / "kept")
    assert first == again
    assert student.calls == 20
    sharpen.compare(START, GOOD, made.tasks(), student, run_dir=tmp_path / "kept")
    assert student.calls == 40


def test_mistakes() -> None:
    made, student = world()
    tasks = made.tasks()
    with pytest.raises(sharpen.BudgetError, match="20 attempts"):
        sharpen.evaluate(START, tasks, student, sharpen.Budget(rollouts=19))
    with pytest.raises(sharpen.TaskError, match="no tasks in test"):
        sharpen.evaluate(START, tasks, student, settings=sharpen.EvaluateSettings(split="test"))
    with pytest.raises(sharpen.TaskError, match="twice"):
        sharpen.evaluate(START, [tasks.train[0], tasks.train[0]], student)
    with pytest.raises(sharpen.UsageError, match="async attempt"):
        sharpen.evaluate(START, tasks, object())  # type: ignore[arg-type]
    for wrong in ({"passes": 0}, {"metric": "best"}, {"alpha": 1.0}, {"split": "dev"}):
        with pytest.raises(sharpen.SettingsError):
            sharpen.EvaluateSettings(**wrong)


def test_inside_a_loop_it_says_what_to_use() -> None:
    made, student = world()

    async def inside() -> sharpen.Evaluated:
        with pytest.raises(sharpen.UsageError, match="aevaluate"):
            sharpen.evaluate(START, made.tasks(), student)
        return await sharpen.aevaluate(START, made.tasks(), student)

    assert asyncio.run(inside()).score.n == 20


def test_a_gain_on_few_tasks_is_not_said_to_need_fewer_than_a_sign_test_does() -> None:
    tasks, student = scripted([1, 1], [0, 0])
    compared = sharpen.compare(Skill("a"), Skill("b"), tasks, student)
    assert "about 6 tasks would show a gain of this size" in compared.verdict.reason


def test_attempts_that_tell_whether_the_skill_was_opened_and_what_they_used_are_counted() -> None:
    class Telling(Scripted):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            told = {"extra": {"skill_used": task.id == "t0" if skill.text == "a" else None}}
            usage = Usage(90, 10) if skill.text == "a" else None
            return Rollout.scored(task, hard=1, usage=usage, trajectory=told)

    compared = sharpen.compare(Skill("a"), Skill("b"), [Task("t0"), Task("t1")], Telling({}))
    assert (compared.first.openings, compared.first.tokens) == ((True, False), (100, 100))
    assert (compared.second.openings, compared.second.tokens) == ((), ())
    said = compared.as_json()
    assert said["first"]["skill_used"] == {"in": 1, "of": 2}
    assert said["first"]["tokens_per_attempt"] == 100
    assert (said["second"]["skill_used"], said["second"]["tokens_per_attempt"]) == (None, None)
