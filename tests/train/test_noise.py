"""The noise meter: how much attempts scatter, from repeats alone."""

from __future__ import annotations

import random
from statistics import fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.train.noise import (
    CALM_REPEATS,
    PRIOR_REPEATS,
    PRIOR_VARIANCE,
    VAGUE_REPEATS,
    NoiseMeter,
    flip_rate,
)

SEEN = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.floats(0, 1)), max_size=40)


def metered(values: list[float], *, skill: str = "a", task: int = 0, tasks: int = 3) -> NoiseMeter:
    meter = NoiseMeter(tasks)
    for value in values:
        meter.observe(skill, task, value)
    return meter


def test_before_any_repeat_the_prior_speaks() -> None:
    meter = NoiseMeter(2)
    assert meter.variance == PRIOR_VARIANCE == meter.variance_of(1)
    meter.observe("a", 0, 1.0)
    meter.observe("a", 1, 0.0)
    meter.observe("b", 0, 0.0)
    assert (meter.variance, meter.repeats) == (PRIOR_VARIANCE, 0), "other tasks and skills are no repeats"
    assert not (meter.calm or meter.noisy or meter.known or meter.vague)


@given(SEEN)
def test_squares_are_pooled_around_each_mean(seen: list[tuple[str, int, float]]) -> None:
    meter = NoiseMeter(3)
    cells: dict[tuple[str, int], list[float]] = {}
    for skill, task, value in seen:
        meter.observe(skill, task, value)
        cells.setdefault((skill, task), []).append(value)
    squares = sum(pvariance(values) * len(values) for values in cells.values())
    repeats = sum(len(values) - 1 for values in cells.values())
    assert meter.repeats == repeats
    for (skill, task), values in cells.items():
        count, mean = meter.seen(skill, task)
        assert count == len(values)
        assert mean == pytest.approx(fmean(values))
    if not meter.calm:
        pooled = (PRIOR_VARIANCE * PRIOR_REPEATS + squares) / (PRIOR_REPEATS + repeats)
        assert meter.variance == pytest.approx(pooled)
    assert meter.graded == any(0 < value < 1 for _, _, value in seen)
    assert 0 < meter.variance < 0.3
    assert 0 < meter.flip < 0.5
    assert meter.ceiling == pytest.approx(1 - meter.flip)


def test_agreement_long_enough_is_calm() -> None:
    meter = metered([1.0] * CALM_REPEATS)
    assert not meter.calm
    meter.observe("a", 0, 1.0)
    assert meter.calm
    assert meter.known
    assert not meter.noisy
    assert meter.variance < PRIOR_VARIANCE / 4


def test_one_disagreement_is_noise() -> None:
    meter = metered([1.0] * 20 + [0.0])
    assert meter.noisy
    assert not meter.calm


def test_coin_flips_are_vague_and_rare_flips_are_not() -> None:
    rng = random.Random(1)
    flips = [[float(rng.random() < chance) for _ in range(8 * VAGUE_REPEATS)] for chance in (0.5, 0.9)]
    assert metered(flips[0]).vague
    assert not metered(flips[1]).vague
    assert not metered([0.0, 1.0]).vague, "too few repeats to say so"


def test_a_flaky_task_gets_its_own_noise() -> None:
    meter = NoiseMeter(2)
    for n in range(40):
        meter.observe("a", 0, float(n % 2))
        meter.observe("a", 1, 1.0)
    assert meter.variance_of(1) < meter.variance < meter.variance_of(0)


@given(st.floats(0.0, 0.23))
def test_the_flip_rate_explains_the_variance(variance: float) -> None:
    rate = flip_rate(variance)
    assert 0 <= rate < 0.5
    assert rate * (1 - rate) == pytest.approx(variance, abs=1e-12)


def test_a_flip_rate_stays_below_one_half() -> None:
    assert flip_rate(0.25) < 0.5
    assert flip_rate(1.0) < 0.5


@pytest.mark.parametrize("slip", [0.05, 0.1, 0.2])
def test_the_true_flip_rate_is_found(slip: float) -> None:
    rng, meter = random.Random(7), NoiseMeter(40)
    for task in range(40):
        for _ in range(25):
            meter.observe("a", task, float(rng.random() >= slip))
    assert meter.flip == pytest.approx(slip, abs=0.04)
