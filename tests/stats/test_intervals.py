"""Wilson, bootstrap and clustered standard errors."""

from __future__ import annotations

import math
from itertools import count
from random import Random
from statistics import median, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from sharpen.stats import bootstrap, by_cluster, clustered_se, wilson

# --- Wilson


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(trials: int, data: st.DataObject, level: float) -> None:
    successes = data.draw(st.integers(0, trials))
    expected = scipy_stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert tuple(wilson(successes, trials, level=level)) == pytest.approx(
        (expected.low, expected.high), abs=1e-9
    )


@given(st.integers(1, 200), st.data())
def test_wilson_contains_the_share_and_moves_with_it(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials - 1))
    here, above = wilson(successes, trials), wilson(successes + 1, trials)
    assert 0 <= here.low <= successes / trials <= here.high <= 1
    assert here.low < above.low
    assert here.high < above.high


@given(st.floats(0, 1), st.integers(1, 300))
def test_wilson_narrows_with_trials_and_widens_with_level(share: float, trials: int) -> None:
    few, many = wilson(share * trials, trials), wilson(share * trials * 4, trials * 4)
    assert many.high - many.low < few.high - few.low
    wide = wilson(share * trials, trials, level=0.99)
    assert wide.low <= few.low + 1e-12  # at shares within rounding of 0 or 1 the ends may swap by one bit
    assert few.high <= wide.high + 1e-12


def test_wilson_refuses_nonsense() -> None:
    for successes, trials in ((0, 0), (3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="successes"):
            wilson(successes, trials)
    for level in (0.0, 1.0, -0.5):
        with pytest.raises(ValueError, match="level"):
            wilson(1, 2, level=level)


# --- clusters


def test_by_cluster_keeps_order_of_first_appearance() -> None:
    assert by_cluster([1, 2, 3, 4], ["b", "a", "b", "c"]) == [[1, 3], [2], [4]]
    assert by_cluster([1, 2]) == [[1], [2]]
    with pytest.raises(ValueError, match="zip"):
        by_cluster([1, 2], ["a"])


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_single_values_give_the_textbook_standard_error(values: list[float]) -> None:
    assert clustered_se(values) == pytest.approx(stdev(values) / math.sqrt(len(values)), rel=1e-9, abs=1e-12)


@given(st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=2, max_size=12))
def test_equal_clusters_give_the_standard_error_of_their_means(groups: list[list[float]]) -> None:
    values = [value for group in groups for value in group]
    clusters = [i for i, group in enumerate(groups) for _ in group]
    means = [sum(group) / 3 for group in groups]
    expected = stdev(means) / math.sqrt(len(means))
    assert clustered_se(values, clusters) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=5), min_size=2, max_size=8))
def test_unequal_clusters_are_the_jackknife(groups: list[list[float]]) -> None:
    values = [value for group in groups for value in group]
    clusters = [i for i, group in enumerate(groups) for _ in group]
    mean = sum(values) / len(values)
    squares = 0.0
    for left_out in range(len(groups)):
        kept = [value for i, group in enumerate(groups) if i != left_out for value in group]
        squares += (sum(kept) / len(kept) - mean) ** 2
    expected = math.sqrt(squares * (len(groups) - 1) / len(groups))
    assert clustered_se(values, clusters) == pytest.approx(expected, abs=1e-9)


def test_repeating_every_attempt_does_not_shrink_the_error() -> None:
    values = [0.0, 1.0, 1.0, 0.0, 1.0]
    assert clustered_se(values * 4, list("abcde") * 4) == pytest.approx(clustered_se(values))


def test_one_cluster_has_no_standard_error() -> None:
    with pytest.raises(ValueError, match="two clusters"):
        clustered_se([0.1, 0.2], ["a", "a"])


# --- bootstrap


def test_bootstrap_is_repeatable_and_the_seed_matters() -> None:
    values = [0.1, 0.5, 0.2, 0.9, 0.4, 0.7]
    assert bootstrap(values, seed=3) == bootstrap(values, seed=3)
    assert bootstrap(values, seed=3) != bootstrap(values, seed=4)


def test_bootstrap_is_near_the_normal_interval_on_many_values() -> None:
    random = Random(5)
    values = [random.gauss(0, 1) for _ in range(300)]
    mean, half = sum(values) / 300, 1.96 * clustered_se(values)
    assert tuple(bootstrap(values)) == pytest.approx((mean - half, mean + half), abs=0.015)


def test_bootstrap_of_clusters_sees_that_repeats_are_no_news() -> None:
    random = Random(6)
    values = [random.gauss(0, 1) for _ in range(50)]
    honest = bootstrap(values * 5, list(range(50)) * 5, resamples=1000)
    naive = bootstrap(values * 5, resamples=1000)
    assert honest.high - honest.low == pytest.approx((naive.high - naive.low) * math.sqrt(5), rel=0.15)


def test_bootstrap_takes_any_statistic() -> None:
    values = [0.0] * 30 + [1.0] * 5
    assert bootstrap(values, statistic=median, resamples=500) == (0, 0)


def test_bootstrap_cuts_the_same_number_of_replicates_from_both_ends() -> None:
    counter = count(1)  # replicates 1..999 in place of means
    assert bootstrap([0.0], statistic=lambda _: next(counter), resamples=999) == (25, 975)


def test_bootstrap_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])
