"""A/A: a teacher whose every edit is useless. What gets in anyway got in by luck."""

from __future__ import annotations

import sys

import pytest

from sharpen import TrainResult
from sharpen.simulate import WORLDS, budget_of

from .problems import FULL, Problem, of_kind

NULLS = [name for name in WORLDS if name.startswith("null.")]
SEEDS = range(29) if FULL else range(3)


def runs(loop: str, gate: str) -> list[TrainResult]:
    return [
        Problem(name, seed=seed).train(budget_of(name), loop=loop, gate=gate, seed=seed)
        for name in NULLS
        for seed in SEEDS
    ]


def tell(capsys: pytest.CaptureFixture[str], what: str, results: list[TrainResult]) -> int:
    accepted = sum(result.accepted for result in results)
    gates = sum(len(of_kind(result, "gate")) for result in results)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{what}: {accepted} of {len(results)} null runs accepted something, {gates} gates\n"
        )
    return accepted


@pytest.mark.slow
@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_at_most_one_run_in_twenty_accepts_anything(loop: str, capsys: pytest.CaptureFixture[str]) -> None:
    results = runs(loop, "race")
    assert tell(capsys, f"race, {loop} loop", results) <= 0.05 * len(results)
    start = {name: Problem(name).world.skill for name in NULLS}
    refused = [result for result in results if not result.accepted]
    assert all(result.skill in start.values() for result in refused)
    assert all(result.selection.tasks > 0 for result in refused)


@pytest.mark.slow
def test_the_strict_gate_is_fooled_in_most(capsys: pytest.CaptureFixture[str]) -> None:
    """Why it is not the default."""
    results = runs("batch", "strict")
    assert tell(capsys, "strict, batch loop", results) > 0.5 * len(results)
