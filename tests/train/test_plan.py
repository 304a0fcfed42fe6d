"""The plan: what the end of a run needs is set aside before the first call."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen import Budget, BudgetError, TaskSet
from sharpen.train import Plan, make_plan
from sharpen.train.plan import SHORTEST_GATE

from .problems import manners

SIZES = st.tuples(st.integers(1, 120), st.integers(1, 120), st.integers(0, 120))


def least(tasks: TaskSet) -> int:
    with pytest.raises(BudgetError) as refused:
        make_plan(Budget(rollouts=1), tasks)
    return int(re.findall(r"make (\d+)", str(refused.value))[0])


@given(SIZES, st.integers(0, 5000))
def test_the_parts_fit_into_the_whole(sizes: tuple[int, int, int], more: int) -> None:
    tasks = manners(*sizes)
    plan = make_plan(Budget(rollouts=least(tasks) + more), tasks)
    assert plan.total == least(tasks) + more
    assert plan.test == 2 * len(tasks.test)
    assert plan.final == plan.passes * len(tasks.selection)
    assert plan.passes >= 1
    assert plan.ending == plan.test + plan.final
    assert plan.ending <= plan.pooled <= plan.search == plan.ending + plan.gate
    assert plan.search < plan.total, "something is left to search with"
    assert plan.lanes >= 1


@given(SIZES, st.integers(0, 5000))
def test_the_shortest_gate_is_always_reserved(sizes: tuple[int, int, int], more: int) -> None:
    tasks = manners(*sizes)
    plan = make_plan(Budget(rollouts=least(tasks) + more), tasks)
    assert plan.gate >= SHORTEST_GATE


def test_the_refusal_says_what_each_part_needs() -> None:
    tasks = manners(train=10, selection=20, test=50)
    with pytest.raises(BudgetError) as refused:
        make_plan(Budget(rollouts=100), tasks)
    assert all(f"{n}" in str(refused.value) for n in (100, 20, 2 * 50, least(tasks)))
    assert isinstance(make_plan(Budget(rollouts=least(tasks)), tasks), Plan)


def test_the_smaller_of_two_counting_limits_decides() -> None:
    assert make_plan(Budget(rollouts=900, calls=500), manners()).total == 500
    assert make_plan(Budget(rollouts=500, calls=900), manners()).total == 500


def test_lanes_come_from_the_split_or_the_settings() -> None:
    sizes = {n: make_plan(Budget(rollouts=1000), manners(train=n)).lanes for n in (1, 40, 400)}
    assert 1 == sizes[1] <= sizes[40] < sizes[400]
    assert make_plan(Budget(rollouts=1000), manners(), lanes=7).lanes == 7


def test_a_small_split_is_passed_over_more_often() -> None:
    small, large = (make_plan(Budget(rollouts=2000), manners(selection=n)) for n in (5, 200))
    assert small.passes > large.passes >= 1


def test_without_a_counting_limit_a_usual_run_is_assumed() -> None:
    assert make_plan(Budget(seconds=60), manners()).total == 2000
