"""Planning numbers against the exact power of the t-test and against simulated races."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from sharpen.stats import Race, detectable_effect, pairs_needed, race_pairs, spending_threshold


def exact_power(effect: float, *, pairs: int, sd: float, alpha: float) -> float:
    """Power of the two-sided one-sample t-test, from the noncentral t distribution."""
    critical = scipy_stats.t.ppf(1 - alpha / 2, pairs - 1)
    shift = effect / sd * math.sqrt(pairs)
    return float(
        scipy_stats.nct.sf(critical, pairs - 1, shift) + scipy_stats.nct.cdf(-critical, pairs - 1, shift)
    )


@pytest.mark.parametrize(("pairs", "tolerance"), [(5, 0.08), (15, 0.02), (40, 0.01), (500, 0.001)])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_the_detectable_effect_has_the_power_asked_for(
    pairs: int, tolerance: float, power: float, alpha: float
) -> None:
    effect = detectable_effect(pairs=pairs, sd=0.4, alpha=alpha, power=power)
    assert exact_power(effect, pairs=pairs, sd=0.4, alpha=alpha) == pytest.approx(power, abs=tolerance)


def test_many_pairs_give_the_textbook_formula() -> None:
    assert detectable_effect(pairs=100_000, sd=0.5) == pytest.approx(
        2.8016 * 0.5 / math.sqrt(100_000), rel=1e-3
    )


@given(st.floats(0.02, 1), st.floats(0, 0.7), st.sampled_from([0.01, 0.05]), st.sampled_from([0.5, 0.8, 0.9]))
def test_pairs_needed_is_the_smallest_number_that_detects(
    effect: float, sd: float, alpha: float, power: float
) -> None:
    pairs = pairs_needed(effect, sd=sd, alpha=alpha, power=power)
    assert detectable_effect(pairs=pairs, sd=sd, alpha=alpha, power=power) <= effect
    if pairs > 2:
        assert detectable_effect(pairs=pairs - 1, sd=sd, alpha=alpha, power=power) > effect
    assert pairs_needed(-effect, sd=sd, alpha=alpha, power=power) == pairs


def test_plans_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="two pairs"):
        detectable_effect(pairs=1, sd=0.4)
    with pytest.raises(ValueError, match="alpha and power"):
        detectable_effect(pairs=10, sd=0.4, power=0.01)
    with pytest.raises(ValueError, match="standard deviation"):
        pairs_needed(0.1, sd=math.nan)
    with pytest.raises(ValueError, match="effect of zero"):
        pairs_needed(0.0, sd=0.4)
    with pytest.raises(ValueError, match="shares"):
        race_pairs(0.6, noise=0.5)


# --- the race


def test_a_candidate_that_always_wins_takes_as_many_pairs_as_the_race_says() -> None:
    for gate in (1, 2, 5):
        threshold = spending_threshold(gate)
        assert race_pairs(1.0, threshold=threshold) == Race().pairs_to(threshold)
    assert race_pairs(1.0) == 7


def race_length(random: Random, *, effect: float, noise: float) -> int:
    race = Race()
    while race.evidence < spending_threshold(1) and race.n < 3_000:
        race.add(random.choices((1, -1, 0), (effect + noise / 2, noise / 2, 1 - effect - noise))[0])
    return race.n


@pytest.mark.parametrize(("effect", "noise"), [(0.5, 0.0), (0.3, 0.18), (0.2, 0.18), (0.1, 0.18)])
def test_race_pairs_is_near_the_length_of_simulated_races(effect: float, noise: float) -> None:
    random = Random(4)
    lengths = [race_length(random, effect=effect, noise=noise) for _ in range(200)]
    planned = race_pairs(effect, noise=noise)
    assert planned is not None
    assert 0.9 * median(lengths) <= planned <= 1.35 * fmean(lengths)


def test_an_effect_far_below_the_noise_never_gets_there() -> None:
    assert race_pairs(0.02, noise=0.4) is None
    assert race_pairs(0.13, noise=0.13 / 0.185) is not None
    assert race_pairs(0.13, noise=0.13 / 0.175) is None


@given(st.floats(0.05, 0.5), st.floats(0, 0.2))
def test_larger_effects_and_less_noise_need_fewer_pairs(effect: float, noise: float) -> None:
    pairs = race_pairs(effect, noise=noise) or math.inf
    assert (race_pairs(effect * 1.5, noise=noise) or math.inf) <= pairs
    assert (race_pairs(effect, noise=noise / 2) or math.inf) <= pairs
