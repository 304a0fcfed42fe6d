"""A/A: skills that behave alike, so that every acceptance is a false one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest
from scipy.stats import binom

from sharpen.evaluate import Held, make_gate, valued_by
from sharpen.simulate import SimulatedStudent, World, line_of, uniform
from sharpen.skills import Skill
from sharpen.types import Budget

from .players import Player, held_by, lucky, runner_for

FULL = os.environ.get("SHARPEN_TEST_FULL") == "1"
RUNS = 2000 if FULL else 400
FEWER = 2000 if FULL else 80
START = Skill("# Skill\n")


def any_accepted(name: str, held: Held, *, gates: int, start: Skill = START) -> bool:
    """One run of candidates with a neutral line each; says whether any of them was accepted."""
    gate = make_gate(name, held)

    async def run() -> bool:
        for n in range(gates):
            candidate = start.with_text(f"{start.text}{line_of(f'N{n:02d}')}\n")
            if (await gate.decide(candidate, start, reserve=0)).accepted:
                return True
        return False

    return asyncio.run(run())


def accepted(runs: int, name: str, held: Callable[[int], Held], *, gates: int) -> int:
    """How many of so many runs accepted anything."""
    return sum(any_accepted(name, held(seed), gates=gates) for seed in range(runs))


def coin(chance: float) -> Callable[[int], Held]:
    """Every task is solved with this chance, whatever the skill."""
    return lambda seed: held_by(Player(lucky(chance, seed=seed)), rollouts=240)


def allowed(runs: int) -> int:
    """What a gate that errs in exactly 5 % of runs exceeds in one test of a hundred: for few runs."""
    return int(binom.ppf(0.99, runs, 0.05))


@pytest.mark.slow
def test_the_race_keeps_its_promise() -> None:
    """At most 5 % of runs accept anything, however many gates a run has."""
    assert accepted(RUNS, "race", coin(0.5), gates=5) <= 0.05 * RUNS


@pytest.mark.slow
def test_the_race_keeps_its_promise_where_most_is_solved() -> None:
    assert accepted(FEWER, "race", coin(0.9), gates=5) <= allowed(FEWER)


@pytest.mark.slow
def test_the_race_keeps_its_promise_for_graded_scores() -> None:
    def graded(seed: int) -> Held:
        student = Player(lambda task, skill, trial: uniform(seed, task.id, skill.text, trial))
        return held_by(student, rollouts=240)

    assert accepted(FEWER, "race", graded, gates=3) <= allowed(FEWER)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["null.2", "null.flaky", "null.soft"])
def test_the_race_keeps_its_promise_in_the_null_worlds(name: str) -> None:
    def fooled(seed: int) -> bool:
        world = World.named(name, seed=seed)
        runner = runner_for(SimulatedStudent(world), budget=Budget(rollouts=240))
        held = Held(runner, world.tasks().selection, valued_by("hard"))
        return any_accepted("race", held, gates=3, start=world.skill)

    runs = FEWER // 2
    assert sum(map(fooled, range(runs))) <= allowed(runs)


def test_strict_is_fooled_for_contrast() -> None:
    """One pass and a larger mean: most runs of only five useless candidates let one in."""
    assert accepted(100, "strict", coin(0.5), gates=5) > 70


def test_no_regression_is_fooled_when_noise_is_rare() -> None:
    """One lucky win and no loss is all it asks: much noise brings losses, a little noise often does not."""
    assert accepted(100, "no_regression", coin(0.5), gates=5) <= allowed(100)
    assert accepted(100, "no_regression", coin(0.95), gates=5) > 30


@pytest.mark.parametrize("name", ["race", "strict", "no_regression"])
@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_without_noise_no_measuring_gate_is_fooled(name: str, score: float) -> None:
    assert not any_accepted(name, held_by(Player(lambda *_: score)), gates=3)
