"""The race: fair under the null whatever the stopping rule, and quick when there is something to see."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import partial
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharpen.stats import BETS, Race, spending_threshold

differences = st.floats(-1, 1)


def evidence_by_hand(sequence: Sequence[float]) -> float:
    """The definition, as plain products."""
    wealth = [1.0] * len(BETS)
    scale = 0.0
    for d in sequence:
        stake = max(-1.0, min(1.0, d / (scale or 1.0)))
        scale = max(scale, abs(d))
        wealth = [w * (1 + bet * stake) for w, bet in zip(wealth, BETS, strict=True)]
    return sum(wealth) / len(wealth)


def best_stopping_value(sequence: tuple[float, ...], steps: Sequence[Sequence[float]]) -> float:
    """The most evidence any stopping rule can expect from here on, each step's values equally likely."""
    stop_now = Race(sequence).evidence
    if len(sequence) == len(steps):
        return stop_now
    values = [best_stopping_value((*sequence, d), steps) for d in steps[len(sequence)]]
    return max(stop_now, math.fsum(values) / len(values))


def share_reaching(level: float, steps: Sequence[Sequence[float]]) -> float:
    """The exact probability that the evidence ever reaches `level`."""
    hits = total = 0
    for sequence in product(*steps):
        race = Race()
        total += 1
        for d in sequence:
            race.add(d)
            if race.evidence >= level:
                hits += 1
                break
    return hits / total


# --- what it computes


def test_starts_even_and_seven_wins_pass_the_first_gate() -> None:
    assert Race().evidence == Race().reverse == 1
    assert Race([1] * 6).evidence < spending_threshold(1) <= Race([1] * 7).evidence
    assert Race().pairs_to(spending_threshold(1)) == 7


@given(st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.1, 0.25, 1.0]), max_size=40))
def test_matches_the_definition(sequence: list[float]) -> None:
    race = Race(sequence)
    assert race.evidence == pytest.approx(evidence_by_hand(sequence), rel=1e-9)
    assert race.reverse == pytest.approx(evidence_by_hand([-d for d in sequence]), rel=1e-9)
    assert race.total == pytest.approx(sum(sequence))
    assert (race.wins, race.losses) == (sum(d > 0 for d in sequence), sum(d < 0 for d in sequence))
    assert race.n == len(sequence) == race.wins + race.ties + race.losses


def test_small_consistent_gains_count_in_full_after_the_first() -> None:
    assert Race([0.1] * 20).evidence == pytest.approx(evidence_by_hand([0.1] + [1.0] * 19))


def test_the_scale_of_a_difference_never_depends_on_itself() -> None:
    # Were 0.8 scaled by its own size, the first pair would already count as a full win.
    assert Race([0.8]).evidence == pytest.approx(1 + 0.8 * sum(BETS) / 3)


def test_rounding_noise_is_a_tie() -> None:
    race = Race([0.1 + 0.2 - 0.3] * 50)
    assert (race.ties, race.evidence, race.total) == (50, 1.0, 0.0)


def test_thousands_of_pairs_neither_overflow_nor_get_stuck_at_zero() -> None:
    race = Race([1] * 5_000)
    assert race.evidence == sys.float_info.max
    assert race.reverse == 0
    for _ in range(4_000):
        race.add(-1)
    assert race.evidence < 1
    more = race.pairs_to(40)
    for _ in range(more - 1):
        race.add(1)
    assert race.evidence < 40
    race.add(1)
    assert race.evidence >= 40


@pytest.mark.parametrize("bad", [1.01, -2, math.nan, math.inf])
def test_refuses_what_is_no_difference_of_scores(bad: float) -> None:
    with pytest.raises(ValueError, match="paired difference"):
        Race().add(bad)


# --- pairs_to


@given(st.lists(differences, max_size=25), st.floats(0.01, 1e6))
def test_pairs_to_is_the_first_moment_a_run_of_wins_gets_there(past: list[float], threshold: float) -> None:
    race = Race(past)
    promised = race.pairs_to(threshold)
    taken = 0
    while race.evidence < threshold:
        race.add(1)
        taken += 1
    assert taken == promised


@given(st.lists(differences, max_size=10), st.lists(differences, max_size=40))
def test_no_other_outcome_gets_there_sooner(past: list[float], future: list[float]) -> None:
    race = Race(past)
    promised = race.pairs_to(40)
    for pairs, d in enumerate(future, start=1):
        race.add(d)
        if race.evidence >= 40:
            assert pairs >= promised
            break


@pytest.mark.parametrize("bad", [0, -1, math.inf, math.nan])
def test_pairs_to_refuses_thresholds_that_are_none(bad: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        Race().pairs_to(bad)


# --- the guarantee, by complete enumeration


@pytest.mark.parametrize("steps", [[(-1, 1)] * 12, [(-1, 0, 1)] * 8, [(-1, 0, 0, 0, 1)] * 5])
def test_no_stopping_rule_gains_under_the_null(steps: list[tuple[int, ...]]) -> None:
    assert best_stopping_value((), steps) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("steps", [[(-1, 1)] * 12, [(-1, 0, 1)] * 8])
@pytest.mark.parametrize("level", [5, 20, 40])
def test_ville_bound_holds_exactly(steps: list[tuple[int, ...]], level: float) -> None:
    assert share_reaching(level, steps) <= 1 / level


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=2), min_size=1, max_size=5))
def test_symmetric_differences_of_any_size_are_fair(magnitudes: list[list[float]]) -> None:
    steps = [[sign * size for size in sizes for sign in (-1, 1)] for sizes in magnitudes]
    assert best_stopping_value((), steps) == pytest.approx(1, abs=1e-9)
    assert share_reaching(2, steps) <= 1 / 2


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_any_order_of_sizes_keeps_the_mean_at_one(sizes: list[float]) -> None:
    endings = [Race(sign * size for sign, size in zip(signs, sizes, strict=True)).evidence
               for signs in product((-1, 1), repeat=len(sizes))]  # fmt: skip
    assert math.fsum(endings) / len(endings) == pytest.approx(1, abs=1e-9)


def test_pass_fail_losses_on_average_never_gain() -> None:
    # The wider null: wins less likely than losses, not symmetric.
    assert best_stopping_value((), [(-1, -1, 0, 1)] * 6) == 1


# --- many gates in one run


def test_thresholds_spend_alpha_once() -> None:
    assert [spending_threshold(j) for j in (1, 2, 3)] == pytest.approx([40, 120, 240])
    assert math.fsum(1 / spending_threshold(j) for j in range(1, 100_000)) <= 0.05
    assert spending_threshold(1, alpha=0.1) == pytest.approx(20)
    for gate, alpha in ((0, 0.05), (1, 0.0), (1, 1.0)):
        with pytest.raises(ValueError, match="gate"):
            spending_threshold(gate, alpha)


def slipping(random: Random, *, slip: float) -> float:
    """Two equal skills on one task, each attempt flipped with probability `slip`."""
    return float((random.random() < slip) - (random.random() < slip))


def graded(random: Random, *, spread: float) -> float:
    """Two equal skills with graded scores, noisy alike."""
    return (random.uniform(0, spread) - random.uniform(0, spread)) * (random.random() < 0.5)


@pytest.mark.parametrize(
    "difference", [partial(slipping, slip=0.1), partial(slipping, slip=0.5), partial(graded, spread=0.2)]
)
def test_false_acceptances_over_many_gates_stay_below_alpha(difference: partial[float]) -> None:
    runs, accepted = 300, 0
    for run in range(runs):
        random = Random(run)
        accepted += any(false_accept(difference, random, gate=gate) for gate in range(1, 9))
    assert accepted <= 0.05 * runs


def false_accept(difference: partial[float], random: Random, *, gate: int) -> bool:
    """One gate of 100 pairs at most, looked at after every pair, on a candidate that is no better."""
    race, needed = Race(), spending_threshold(gate)
    for _ in range(100):
        race.add(difference(random))
        if race.evidence >= needed and race.total > 0:
            return True
        if race.reverse >= 20:
            return False
    return False
