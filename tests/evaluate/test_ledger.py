"""The ledger: no limit is ever crossed, whatever is granted and settled in whatever order."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sharpen.errors import BudgetError, SettingsError
from sharpen.evaluate import Ledger
from sharpen.types import Budget, Usage

LARGEST = Usage(input_tokens=60, output_tokens=40, usd=0.5)
"""The dearest call of the property test. Prices are multiples of 1/64, whose sums are exact."""

steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["attempt", "question"]), st.integers(0, 5)),
        st.tuples(st.just("settle"), st.integers(0, 10)),
    ),
    max_size=80,
)
usages = st.builds(
    Usage,
    input_tokens=st.integers(0, 60),
    output_tokens=st.integers(0, 40),
    usd=st.integers(0, 32).map(lambda n: n / 64),
)
limits: st.SearchStrategy[dict[str, float | None]] = st.builds(
    dict,
    rollouts=st.none() | st.integers(1, 30),
    calls=st.none() | st.integers(1, 30),
    tokens=st.none() | st.integers(100, 2000),
    usd=st.none() | st.integers(32, 640).map(lambda n: n / 64),
)


def _within(ledger: Ledger) -> bool:
    budget = ledger.budget
    spent = ledger.spent()
    named = {"rollouts": budget.rollouts, "calls": budget.calls, "tokens": budget.tokens, "usd": budget.usd}
    return all(limit is None or spent[name] <= limit for name, limit in named.items())


@given(limits=limits, steps=steps, data=st.data())
def test_no_limit_is_ever_crossed(
    limits: dict[str, float | None], steps: list[tuple[str, int]], data: st.DataObject
) -> None:
    """Once the dearest call has been seen, any order of grants and settlements stays within every limit."""
    assume(any(limit is not None for limit in limits.values()))
    ledger = Ledger(Budget(**limits))  # type: ignore[arg-type]
    assert ledger.grant_attempt()
    ledger.settle(LARGEST)
    in_flight = 0
    for step, number in steps:
        if step == "settle":
            if in_flight:
                ledger.settle(data.draw(usages))
                in_flight -= 1
        else:
            grant = ledger.grant_attempt if step == "attempt" else ledger.grant_question
            in_flight += grant(number)
        assert _within(ledger)
    for _ in range(in_flight):
        ledger.settle(LARGEST)
    assert _within(ledger)


@given(limit=st.integers(1, 40), reserves=st.lists(st.integers(0, 12), max_size=60))
def test_a_reserve_is_left_alone_and_nothing_else(limit: int, reserves: list[int]) -> None:
    """An attempt is granted exactly when it leaves the reserve."""
    ledger = Ledger(Budget(rollouts=limit))
    for reserve in reserves:
        before = ledger.rollouts
        assert ledger.grant_attempt(reserve) == (before + 1 + reserve <= limit)
        assert ledger.rollouts_left() == limit - ledger.rollouts


@given(limit=st.integers(1, 40), asked=st.lists(st.tuples(st.booleans(), st.integers(0, 12)), max_size=60))
def test_a_limit_of_calls_counts_students_and_teachers(limit: int, asked: list[tuple[bool, int]]) -> None:
    ledger = Ledger(Budget(calls=limit))
    for attempt, reserve in asked:
        before = ledger.calls
        granted = ledger.grant_attempt(reserve) if attempt else ledger.grant_question(reserve)
        assert granted == (before + 1 + reserve <= limit)
    assert ledger.rollouts <= ledger.calls <= limit


def test_questions_are_free_of_a_limit_of_rollouts() -> None:
    ledger = Ledger(Budget(rollouts=1))
    assert ledger.grant_attempt()
    assert not ledger.grant_attempt()
    assert ledger.grant_question()
    assert ledger.spent() == {"rollouts": 1, "calls": 2, "tokens": 0, "usd": 0.0}


@pytest.mark.parametrize("budget", [Budget(tokens=1000), Budget(usd=5.0)])
def test_calls_in_flight_count_as_the_dearest_so_far_and_the_reserve_as_a_share(budget: Budget) -> None:
    ledger = Ledger(budget)
    assert ledger.grant_attempt()
    ledger.settle(LARGEST)  # a tenth of either budget
    assert [ledger.grant_attempt() for _ in range(7)] == [True] * 7
    assert not ledger.grant_attempt(reserve=budget.planned // 5)
    assert ledger.grant_question(reserve=budget.planned // 10)
    assert ledger.grant_attempt()
    assert not ledger.grant_question()
    ledger.settle(Usage(usd=0.0))  # one was free: there is room again
    assert ledger.grant_question()


def test_an_answer_without_usage_frees_its_place() -> None:
    ledger = Ledger(Budget(tokens=200))
    assert ledger.grant_attempt()
    ledger.settle(LARGEST)
    assert ledger.grant_question()
    assert not ledger.grant_question()
    ledger.settle(None)
    assert ledger.grant_question()
    assert ledger.tokens == 100


def test_a_price_that_is_not_known_costs_nothing_in_money() -> None:
    ledger = Ledger(Budget(rollouts=5))
    assert ledger.grant_attempt()
    ledger.settle(Usage(3, 4))
    assert ledger.spent() == {"rollouts": 1, "calls": 1, "tokens": 7, "usd": 0.0}


def test_time_spent_by_earlier_processes_counts() -> None:
    assert Ledger(Budget(seconds=1000)).grant_attempt()
    assert Ledger(Budget(seconds=1000), earlier_seconds=900).grant_question()
    late = Ledger(Budget(seconds=1000, rollouts=10), earlier_seconds=1000)
    assert not late.grant_attempt()
    assert not late.grant_question()
    assert late.spent()["rollouts"] == 0
    assert late.seconds >= 1000


def test_what_is_left_of_the_counting_limits() -> None:
    assert Ledger(Budget(tokens=10)).rollouts_left() == math.inf
    ledger = Ledger(Budget(rollouts=10, calls=4))
    assert ledger.rollouts_left() == 4
    ledger.grant_question()
    assert ledger.rollouts_left() == 3
    assert Ledger(Budget(rollouts=2, calls=40)).rollouts_left() == 2


def test_usage_is_asked_for_only_where_a_limit_needs_it() -> None:
    Ledger(Budget(rollouts=5, calls=5, seconds=5)).require_usage(None, "student")
    Ledger(Budget(tokens=5)).require_usage(Usage(), "student")
    Ledger(Budget(usd=5)).require_usage(Usage(usd=0.0), "student")
    with pytest.raises(
        BudgetError, match="limits tokens, but the student reports no usage; limit rollouts instead"
    ):
        Ledger(Budget(tokens=5)).require_usage(None, "student")
    with pytest.raises(BudgetError, match="limits money, but the student reports no price"):
        Ledger(Budget(usd=5)).require_usage(Usage(), "student")


@pytest.mark.parametrize(
    "wrong", [{}, {"rollouts": 0}, {"usd": -1.0}, {"seconds": math.nan}, {"tokens": math.inf}]
)
def test_a_budget_without_a_sensible_limit_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingsError, match="budget"):
        Budget(**wrong)  # type: ignore[arg-type]
