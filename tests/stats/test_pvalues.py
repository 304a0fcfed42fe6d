"""Sign test, McNemar and Holm, against enumeration and scipy."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from sharpen.stats import Alternative, fewest_wins, holm, mcnemar, sign_test

ALTERNATIVES: list[Alternative] = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(wins=st.integers(0, 300), losses=st.integers(0, 300))
def test_sign_test_agrees_with_scipy(alternative: Alternative, wins: int, losses: int) -> None:
    p = sign_test(wins, losses, alternative=alternative)
    if wins + losses == 0:
        assert p == 1
    else:
        expected = scipy_stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
        assert p == pytest.approx(float(expected), rel=1e-8)


@given(alpha=st.floats(1e-9, 0.5))
def test_fewest_wins_is_where_the_sign_test_begins_to_speak(alpha: float) -> None:
    fewest = fewest_wins(alpha)
    assert sign_test(fewest, 0) <= alpha * (1 + 1e-9)
    assert sign_test(fewest - 1, 0) > alpha * (1 - 1e-9)


@pytest.mark.parametrize("n", range(1, 11))
def test_sign_test_is_the_share_of_outcomes_at_least_as_extreme(n: int) -> None:
    outcomes = [sum(signs) for signs in product((0, 1), repeat=n)]
    for wins in range(n + 1):
        above = sum(outcome >= wins for outcome in outcomes) / len(outcomes)
        far = sum(abs(2 * outcome - n) >= abs(2 * wins - n) for outcome in outcomes) / len(outcomes)
        assert sign_test(wins, n - wins, alternative="greater") == pytest.approx(above)
        assert sign_test(n - wins, wins, alternative="less") == pytest.approx(above)
        assert sign_test(wins, n - wins) == pytest.approx(far)


def test_mcnemar_on_all_small_tables() -> None:
    for both, only_before, only_after, neither in product(range(4), range(6), range(6), range(3)):
        before = [True] * (both + only_before) + [False] * (only_after + neither)
        after = [True] * both + [False] * only_before + [True] * only_after + [False] * neither
        decided = only_before + only_after
        expected = scipy_stats.binomtest(only_after, decided).pvalue if decided else 1.0
        assert mcnemar(before, after) == pytest.approx(float(expected))


def test_mcnemar_one_sided_asks_about_after() -> None:
    before, after = [False] * 5 + [True], [True] * 5 + [True]
    assert mcnemar(before, after, alternative="greater") == pytest.approx(1 / 32)
    assert mcnemar(before, after, alternative="less") == 1


def test_counts_cannot_be_negative_and_pairs_must_match() -> None:
    with pytest.raises(ValueError, match="counts"):
        sign_test(-1, 3)
    with pytest.raises(ValueError, match="zip"):
        mcnemar([True], [])


def test_holm_on_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.7, 0.8]) == [1.0, 1.0]
    with pytest.raises(ValueError, match="p-values"):
        holm([0.5, 1.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float], alpha: float) -> None:
    rejected = 0
    for rank, p in enumerate(sorted(p_values)):
        if p * (len(p_values) - rank) > alpha:
            break
        rejected += 1
    assert sum(p <= alpha for p in holm(p_values)) == rejected


def test_holm_does_not_depend_on_the_order() -> None:
    p_values = [0.02, 0.001, 0.3, 0.02]
    expected = dict(zip(p_values, holm(p_values), strict=True))
    for order in permutations(p_values):
        assert holm(order) == [expected[p] for p in order]
