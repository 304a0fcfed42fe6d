"""Mean scores and paired differences: the textbook where it applies, honest where it does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from sharpen.stats import mean_estimate, paired, wilson
from sharpen.types import Estimate

scores = st.floats(0, 1)
score_tables = st.lists(st.lists(scores, min_size=1, max_size=4), min_size=1, max_size=12).map(
    lambda rows: {f"task-{i}": row for i, row in enumerate(rows)}
)


def coverage(sample: Callable[[Random], Estimate], *, truth: float, rounds: int = 1_000) -> float:
    """How often the interval holds the truth; one standard error is 0.007."""
    random = Random(11)
    estimates = [sample(random) for _ in range(rounds)]
    return sum(estimate.low <= truth <= estimate.high for estimate in estimates) / rounds


# --- paired


def test_paired_without_clusters_is_the_one_sample_t_interval() -> None:
    differences = [0.2, -0.1, 0.4, 0.0, 0.3, 0.1]
    expected = scipy_stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    estimate = paired(differences, level=0.9)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.mean == pytest.approx(0.15)
    assert (estimate.n, estimate.tasks) == (6, 6)


def test_more_attempts_at_the_same_tasks_do_not_narrow_a_clustered_interval() -> None:
    differences = [0.2, -0.1, 0.4, 0.0, 0.3, 0.1]
    once, thrice = paired(differences), paired(differences * 3, list("abcdef") * 3)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert (thrice.n, thrice.tasks) == (18, 6)


@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 5)), min_size=1, max_size=30))
def test_paired_holds_its_mean_stays_in_range_and_is_never_a_point(rows: list[tuple[float, int]]) -> None:
    estimate = paired([d for d, _ in rows], [cluster for _, cluster in rows])
    assert -1 <= estimate.low <= estimate.mean + 1e-12
    assert estimate.mean - 1e-12 <= estimate.high <= 1
    assert estimate.low < estimate.high


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_swapping_the_sides_mirrors_the_interval(differences: list[float]) -> None:
    estimate, mirrored = paired(differences), paired([-d for d in differences])
    assert (mirrored.low, mirrored.high) == pytest.approx((-estimate.high, -estimate.low), abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_all_equal_differences_follow_the_rule_of_three(k: int) -> None:
    unseen = 1 - 0.05 ** (1 / k)
    zeros, ones = paired([0.0] * k), paired([1.0] * k)
    assert (zeros.low, zeros.high) == pytest.approx((-unseen, unseen))
    assert (ones.low, ones.high) == pytest.approx((1 - 2 * unseen, 1))
    assert unseen == pytest.approx(3 / k, rel=0.1) or k < 40


def test_rounding_is_not_mistaken_for_spread() -> None:
    estimate = paired([0.3 - 0.2, 0.1, 0.7 - 0.6, 0.4 - 0.3])
    assert estimate.high - estimate.low > 0.5


def test_one_task_says_little_however_often_it_was_tried() -> None:
    estimate = paired([0.0, 1.0, 0.0, 1.0] * 10, ["only"] * 40)
    assert (estimate.n, estimate.tasks) == (40, 1)
    assert estimate.high - estimate.low > 1.8


def clustered_differences(random: Random, *, tasks: int, gain: float) -> Estimate:
    """One to four attempts per task; tasks differ in their gain, attempts are noisy."""
    differences, clusters = [], []
    for task in range(tasks):
        own = gain + random.gauss(0, 0.15)
        for _ in range(1 + task % 4):
            differences.append(max(-1.0, min(1.0, own + random.gauss(0, 0.15))))
            clusters.append(task)
    return paired(differences, clusters)


@pytest.mark.parametrize("tasks", [6, 12, 40])
def test_paired_covers_with_unequal_clusters(tasks: int) -> None:
    covered = coverage(lambda random: clustered_differences(random, tasks=tasks, gain=0.1), truth=0.1)
    assert 0.92 <= covered <= 0.975


def test_ignoring_the_clusters_would_not_cover() -> None:
    def naive(random: Random) -> Estimate:
        own = [random.gauss(0, 0.2) for _ in range(12)]
        return paired([max(-1.0, min(1.0, x + random.gauss(0, 0.05))) for x in own for _ in range(4)])

    assert coverage(naive, truth=0.0) < 0.8


def test_paired_covers_pass_fail_differences() -> None:
    def sample(random: Random) -> Estimate:
        return paired([random.choices([-1, 0, 1], [0.1, 0.6, 0.3])[0] for _ in range(40)])

    assert 0.93 <= coverage(sample, truth=0.2) <= 0.975


@pytest.mark.parametrize("share", [0.02, 0.1, 0.2])
def test_paired_is_honest_when_differences_are_rare(share: float) -> None:
    # Rare wins: often none is seen, and the rule of three must then reach the truth.
    def sample(random: Random) -> Estimate:
        return paired([float(random.random() < share) for _ in range(20)])

    assert coverage(sample, truth=share) >= 0.85


@pytest.mark.parametrize("bad", [[], [1.5], [math.nan]])
def test_paired_refuses_nonsense(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="paired differences"):
        paired(bad)


# --- mean_estimate


def test_tasks_weigh_the_same_however_often_they_were_tried() -> None:
    estimate = mean_estimate({"a": [1.0] * 9, "b": [0.0], "c": [0.5, 0.5]})
    assert estimate.mean == pytest.approx(0.5)
    assert (estimate.n, estimate.tasks) == (12, 3)


def test_in_the_middle_of_the_scale_it_is_the_t_interval() -> None:
    random = Random(1)
    values = [random.uniform(0.4, 0.6) for _ in range(30)]
    expected = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)
    estimate = mean_estimate({str(i): [value] for i, value in enumerate(values)})
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high), abs=1e-3)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_tasks_that_all_agree_give_wilson_on_tasks(value: float) -> None:
    estimate = mean_estimate({str(i): [value] * 3 for i in range(10)})
    assert (estimate.low, estimate.high) == pytest.approx(tuple(wilson(10 * value, 10)))


def test_one_failure_never_looks_better_than_none() -> None:
    for k in (5, 10, 40, 100):
        all_solved = mean_estimate({str(i): [1.0] for i in range(k)})
        one_failed = mean_estimate({str(i): [float(i > 0)] for i in range(k)})
        assert one_failed.low < all_solved.low
        assert one_failed.high <= all_solved.high


@given(score_tables)
def test_a_mean_score_holds_its_mean_stays_in_range_and_is_never_a_point(
    table: dict[str, list[float]],
) -> None:
    estimate = mean_estimate(table)
    assert estimate.mean == pytest.approx(fmean(fmean(values) for values in table.values()))
    assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
    assert estimate.low < estimate.high


def test_groups_of_related_tasks_widen_the_interval() -> None:
    table = {f"{group}{i}": [value] for group, value in zip("abcdef", (0, 1, 1, 1, 0, 1), strict=True)
             for i in range(5)}  # fmt: skip
    alone = mean_estimate(table)
    grouped = mean_estimate(table, {task: task[0] for task in table})
    assert grouped.mean == alone.mean
    assert grouped.high - grouped.low > 1.5 * (alone.high - alone.low)
    assert grouped.tasks == 30


def test_a_group_and_a_task_of_the_same_name_stay_apart() -> None:
    table = {"a": [0.0], "b": [1.0], "c": [1.0]}
    assert mean_estimate(table, {"b": "a"}) == mean_estimate(table)


@pytest.mark.parametrize(("tasks", "repeats"), [(12, 3), (40, 1), (40, 3)])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_mean_score_covers_up_to_the_edge_of_the_scale(level: float, tasks: int, repeats: int) -> None:
    def sample(random: Random) -> Estimate:
        table = {}
        for task in range(tasks):
            p = random.betavariate(4 * level, 4 * (1 - level))  # tasks differ in difficulty
            table[str(task)] = [float(random.random() < p) for _ in range(repeats)]
        return mean_estimate(table)

    assert 0.92 <= coverage(sample, truth=level) <= 0.99


@pytest.mark.parametrize("bad", [{}, {"a": [1.2]}, {"a": [math.nan]}, {"a": [1.0], "b": []}])
def test_mean_estimate_refuses_nonsense(bad: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match="scores"):
        mean_estimate(bad)


def test_a_level_is_a_probability() -> None:
    for level in (0.0, 1.0, 95.0):
        with pytest.raises(ValueError, match="level"):
            paired([0.1, 0.2], level=level)
        with pytest.raises(ValueError, match="level"):
            paired([0.1], level=level)
        with pytest.raises(ValueError, match="level"):
            mean_estimate({"a": [1.0]}, level=level)
