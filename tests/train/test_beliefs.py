"""Beliefs: which train task to look at next."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.train.beliefs import Beliefs
from sharpen.train.noise import NoiseMeter

FLIPS = [1.0, 1.0, 0.0, 1.0, 1.0] * 6


def beliefs(tasks: int = 6, *, earlier: Sequence[float] = FLIPS, seed: int = 0) -> Beliefs:
    """Beliefs that know nothing of the tasks, with a meter that has seen one task again and again."""
    meter = NoiseMeter(tasks)
    for value in earlier:
        meter.observe("earlier", 0, value)
    return Beliefs(tasks, meter, random.Random(seed))


def nobody_busy(_: int) -> bool:
    return False


@pytest.mark.parametrize("earlier", [[], FLIPS], ids=["unknown", "noisy"])
def test_failures_raise_a_belief_and_passes_lower_it(earlier: list[float]) -> None:
    held = beliefs(earlier=earlier)
    before = held.of(1)
    for _ in range(3):
        held.observe(1, 0.0)
        held.observe(2, 1.0)
    assert held.of(2) < before < held.of(1)
    assert held.of(1) > 0.9
    assert held.of(2) < 0.2


def test_every_belief_is_a_chance() -> None:
    held, rng = beliefs(20), random.Random(3)
    for _ in range(300):
        held.observe(rng.randrange(20), float(rng.random() < 0.5))
        assert all(0 <= held.of(task) <= 1 for task in range(20))


def test_the_likeliest_failure_is_looked_at_first() -> None:
    held = beliefs()
    for task in range(6):
        for _ in range(4):
            held.observe(task, float(task != 4))
    assert held.pick(nobody_busy) == 4
    assert held.pick(lambda task: task == 4) != 4


def test_tries_in_vain_make_a_task_wait() -> None:
    held = beliefs(2)
    for _ in range(4):
        held.observe(0, 0.0)
        held.observe(1, 0.0)
    first = held.pick(nobody_busy)
    assert first is not None
    held.tries[first] += 3
    assert held.pick(nobody_busy) == 1 - first


def test_nothing_is_worth_a_look_when_all_tasks_pass() -> None:
    held = beliefs(8, earlier=[])
    assert held.pick(nobody_busy) is not None, "nothing is known yet"
    for task in range(8):
        for _ in range(6):
            held.observe(task, 1.0)
    assert held.pick(nobody_busy) is None
    assert held.level == 1.0


def test_nothing_to_pick_when_everyone_is_busy() -> None:
    assert beliefs().pick(lambda _: True) is None


def test_a_changed_draft_makes_old_records_fade_and_be_looked_at_again() -> None:
    held = beliefs(8)
    for task in range(8):
        for _ in range(6):
            held.observe(task, 1.0)
    assert held.pick(nobody_busy) is None
    for _ in range(8):
        held.fade(count=0.6, tries=0.5)
    assert all(0 < count < 0.6 for count in held.count)
    assert held.pick(nobody_busy) is not None


def test_a_replaced_record_is_what_counts() -> None:
    held = beliefs()
    for _ in range(5):
        held.observe(3, 0.0)
    held.replace(3, count=4, mean=1.0)
    assert held.of(3) < 0.2
    assert (held.count[3], held.mean[3]) == (4, 1.0)


def test_level_is_the_mean_over_tasks_seen() -> None:
    held = beliefs()
    assert held.level == 0.0
    held.observe(0, 1.0)
    held.observe(0, 0.0)
    held.observe(5, 1.0)
    assert held.level == pytest.approx(0.75)


def test_the_order_of_equals_is_the_stream_and_not_the_number() -> None:
    picks = {beliefs(30, seed=seed).pick(nobody_busy) for seed in range(20)}
    assert len(picks) > 5
    assert beliefs(30, seed=4).pick(nobody_busy) == beliefs(30, seed=4).pick(nobody_busy)


NOISE = {
    "steady": [1.0] * 12,
    "unknown": [],
    "flips": [0.0, 1.0, 1.0] * 8,
    "graded": [0.2, 0.4, 0.3, 0.9] * 5,
}


@pytest.mark.parametrize("kind", NOISE)
@given(st.floats(0.1, 60), st.floats(0, 1), st.floats(0, 1))
def test_a_better_record_is_never_likelier_to_fail(kind: str, count: float, mean: float, more: float) -> None:
    held = beliefs(4, earlier=NOISE[kind])
    low, high = sorted((mean, more))
    held.replace(0, count=count, mean=low)
    held.replace(1, count=count, mean=high)
    assert held.of(1) <= held.of(0) + 1e-12


@pytest.mark.parametrize("kind", NOISE)
def test_a_longer_record_says_more(kind: str) -> None:
    held = beliefs(7, earlier=NOISE[kind])
    for n, count in enumerate((1, 2, 4)):
        held.replace(n, count=count, mean=0.0)
        held.replace(3 + n, count=count, mean=1.0)
    failing, passing = [held.of(n) for n in range(3)], [held.of(3 + n) for n in range(3)]
    assert passing[2] <= passing[1] <= passing[0] < held.of(6) < failing[0] <= failing[1] <= failing[2]
