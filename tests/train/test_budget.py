"""A budget is a hard limit, in every world, however many attempts run at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sharpen
from sharpen import (
    Budget,
    BudgetError,
    Edit,
    ProviderError,
    Rollout,
    SettingsError,
    Skill,
    Task,
    TaskSet,
    TrainResult,
    Usage,
)
from sharpen.simulate import WORLDS, SimulatedStudent, SimulatedTeacher, Spec, World

from .child_run import CRISP, DIFFUSE
from .problems import FULL, RULE, START, Helpful, Polite, Problem, manners

LOOPS = ("draft", "batch")


def needed(tasks: TaskSet, unit: str = "rollouts") -> int:
    """What the refusal of a budget of one says is needed."""
    student, teacher = Polite(), Helpful()
    with pytest.raises(BudgetError) as refused:
        sharpen.train(START, tasks, student, teacher, Budget(**{unit: 1}))
    assert refused.value.exit_code == 4
    assert student.calls == teacher.calls == 0
    return int(re.findall(r"make (\d+)", str(refused.value))[0])


@pytest.mark.parametrize("name", WORLDS)
def test_never_one_rollout_over(name: str) -> None:
    with_test = name != "large"
    least = needed(Problem(name, test=with_test).tasks)
    more = (least + 1, least + 17, least + 60, least + 333, *((least + 1500,) if FULL else ()))
    for turn, budget in enumerate((least, *more)):
        problem = Problem(name, seed=turn, test=with_test, salt=turn)
        loop = LOOPS[turn % 2] if budget != least else "draft"
        result = problem.train(budget, concurrency=(1, 16, 5)[turn % 3], loop=loop)
        assert problem.student.calls == result.rollouts <= budget
        assert result.rollouts == len(problem.student.tried)
        assert result.spent["calls"] == problem.student.calls + problem.teacher.calls
        assert result.selection.tasks > 0


@pytest.mark.slow
@settings(max_examples=400 if FULL else 25, suppress_health_check=[HealthCheck.too_slow])
@given(
    spec=st.builds(
        Spec,
        slip=st.sampled_from([0.0, 0.1, 0.3]),
        errors=st.sampled_from([0.0, 0.1, 0.6]),
        bundle=st.integers(1, 4),
        diffuse=st.sampled_from([0.0, 0.5, 1.0]),
        train=st.integers(1, 30),
        selection=st.integers(1, 20),
        test=st.integers(0, 5),
    ),
    more=st.integers(0, 400),
    limit=st.sampled_from(["rollouts", "calls", "both"]),
    loop=st.sampled_from(LOOPS),
    gate=st.sampled_from(["race", "strict", "no_regression", "none"]),
    concurrency=st.integers(1, 20),
    lanes=st.sampled_from([None, 1, 7]),
)
def test_no_limit_is_ever_crossed(
    spec: Spec, more: int, limit: str, loop: str, gate: str, concurrency: int, lanes: int | None
) -> None:
    problem = Problem(spec, test=True, salt=more)
    total = needed(problem.tasks) + more
    limits = {"rollouts": total, "calls": total + 10} if limit == "both" else {limit: total}
    result = None
    with suppress(ProviderError):  # a student that mostly measures nothing may leave nothing to report
        result = problem.train(Budget(**limits), loop=loop, gate=gate, concurrency=concurrency, lanes=lanes)
    calls = problem.student.calls + problem.teacher.calls
    assert problem.student.calls <= total
    assert "calls" not in limits or calls <= limits["calls"]
    assert result is None or (problem.student.calls, calls) == (result.rollouts, result.spent["calls"])


# -- too small --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(6, 1, 0), (6, 6, 0), (6, 8, 0), (40, 20, 0), (6, 8, 5), (1, 40, 40)])
@pytest.mark.parametrize("unit", ["rollouts", "calls"])
def test_one_less_than_needed_is_refused_and_what_is_needed_is_enough(
    sizes: tuple[int, int, int], unit: str
) -> None:
    tasks = manners(*sizes)
    least = needed(tasks, unit)
    with pytest.raises(BudgetError, match=f"{least}"):
        sharpen.train(START, tasks, Polite(), Helpful(), Budget(**{unit: least - 1}))
    result = sharpen.train(START, tasks, Polite(), Helpful(), Budget(**{unit: least}))
    assert result.rollouts <= least
    assert result.selection.tasks == sizes[1]


@pytest.mark.parametrize("more", [0, 1, 5, 12, 20, 30, 45, 60])
@pytest.mark.parametrize("selection", [1, 6, 8, 20])
def test_a_budget_that_is_let_in_reaches_for_a_decision(selection: int, more: int) -> None:
    """The search must leave enough for the shortest gate: a rule that always helps then gets in."""
    tasks = manners(train=6, selection=selection)
    least = needed(tasks)
    result = sharpen.train(START, tasks, Polite(), Helpful(), Budget(rollouts=least + more))
    assert result.accepted, result.reason
    assert RULE in result.skill.text


def test_a_refused_budget_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BudgetError):
        sharpen.train(START, manners(), Polite(), Helpful(), Budget(rollouts=3), run_dir=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "limits", [{}, {"rollouts": 0}, {"rollouts": -5}, {"tokens": float("nan")}, {"usd": float("inf")}]
)
def test_a_budget_that_is_none(limits: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        Budget(**limits)


# -- tokens, money and time -------------------------------------------------------------------------------


class Metered(Polite):
    """Reports the same usage for every attempt."""

    def __init__(self, tokens: int = 100, usd: float | None = 0.01) -> None:
        super().__init__()
        self.usage = Usage(tokens, 0, usd=usd)
        self.tokens, self.usd = 0, 0.0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        await asyncio.sleep(0)
        self.tokens += self.usage.tokens
        self.usd += self.usage.usd or 0.0
        rollout = await super().attempt(task, skill, trial=trial)
        assert rollout.score is not None
        return Rollout.scored(task, hard=rollout.score.hard, usage=self.usage)


def metered(student: Metered, budget: Budget, loop: str) -> TrainResult | None:
    """None when the budget ended before anything could be said."""
    try:
        return sharpen.train(
            START,
            manners(train=60, selection=8),
            student,
            Helpful(),
            budget,
            sharpen.TrainSettings(loop="batch" if loop == "batch" else "draft", lanes=8),
        )
    except BudgetError as error:
        assert error.exit_code == 4
        return None


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("attempts", [1, 3, 10, 25, 60, 300, 3000])
def test_tokens_are_never_overspent(loop: str, attempts: int) -> None:
    """Every attempt costs the same here, so the worst case is known after the first."""
    student = Metered()
    result = metered(student, Budget(tokens=100 * attempts), loop)
    assert student.tokens <= 100 * attempts
    assert result is None or result.spent["tokens"] == student.tokens


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("attempts", [3, 25, 300])
def test_money_is_never_overspent(loop: str, attempts: int) -> None:
    student = Metered()
    result = metered(student, Budget(usd=0.01 * attempts + 1e-6), loop)
    assert student.usd <= 0.01 * attempts + 1e-6
    assert result is None or result.spent["usd"] == pytest.approx(student.usd)


def test_tokens_enough_for_a_small_run_let_a_rule_in() -> None:
    """A limit in tokens buys as much search as the rollouts it pays for, or nearly."""
    result = metered(Metered(), Budget(tokens=100 * 200), "draft")
    assert result is not None
    assert result.accepted, result.reason


@pytest.mark.parametrize(
    ("budget", "usage"), [(Budget(tokens=5000), None), (Budget(usd=5), Usage(10, 10)), (Budget(usd=5), None)]
)
def test_a_limit_nobody_reports_against_is_an_error(budget: Budget, usage: Usage | None) -> None:
    class Silent(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            self.calls += 1
            return Rollout.scored(task, hard=0, usage=usage)

    student = Silent()
    with pytest.raises(BudgetError, match="limit rollouts instead"):
        sharpen.train(START, manners(), student, Helpful(), budget)
    assert student.calls <= 16


@pytest.mark.parametrize("loop", LOOPS)
def test_time_that_ends_before_anything_is_known_is_a_matter_of_budget(loop: str) -> None:
    class Slow(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            await asyncio.sleep(0.02)
            return await super().attempt(task, skill, trial=trial)

    with pytest.raises(BudgetError):
        sharpen.train(
            START,
            manners(),
            Slow(),
            Helpful(),
            Budget(seconds=0.01),
            sharpen.TrainSettings(loop="batch" if loop == "batch" else "draft"),
        )


def test_enough_time_is_no_limit() -> None:
    result = sharpen.train(START, manners(), Polite(), Helpful(), Budget(seconds=600))
    assert result.accepted


# -- calls ------------------------------------------------------------------------------------------------


class Chatty(SimulatedTeacher):
    """Is asked a lot: everything it says is new and useless."""

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        self.calls += 1
        return [Edit.append(f"- N{self.calls % 100:02d}: thought {self.calls}")]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("spec", [CRISP, DIFFUSE], ids=["crisp", "diffuse"])
@pytest.mark.parametrize("more", [0, 3, 50, 200])
def test_questions_count_as_calls(spec: Spec, loop: str, more: int) -> None:
    world = World(spec)
    student, teacher = SimulatedStudent(world), Chatty(world)
    total = spec.selection + 24 + more
    chosen = sharpen.TrainSettings(loop="batch" if loop == "batch" else "draft", lanes=6)
    result = sharpen.train(world.skill, world.tasks(), student, teacher, Budget(calls=total), chosen)
    assert student.calls + teacher.calls == result.spent["calls"] <= total
    assert result.selection.tasks >= 0.8 * spec.selection, "the final pass was not reserved"
