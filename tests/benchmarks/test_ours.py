"""sharpen as the benchmarks play it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ours


def test_a_clean_world_is_solved_and_honestly_reported() -> None:
    outcome = ours.play("binary", 0)
    assert outcome.solved
    assert outcome.bias == 0
    assert outcome.own_seconds is not None
    assert outcome.own_seconds > 0


def test_the_clock_changes_nothing_but_the_clock() -> None:
    real, virtual = ours.play("small", 0), ours.play_virtual("small", 0)
    assert virtual.wall is not None
    assert virtual.wall > 0
    assert replace(real, own_seconds=None) == replace(virtual, wall=None)


def test_a_run_folder_changes_nothing_but_the_time(tmp_path: Path) -> None:
    kept, unkept = ours.play("small", 1, run_dir=tmp_path / "run"), ours.play("small", 1)
    assert replace(kept, own_seconds=None) == replace(unkept, own_seconds=None)


def test_settings_reach_the_loop() -> None:
    outcome = ours.play("slip.2", 0, budget=300, loop="batch", gate="strict")
    assert outcome.rollouts <= 300
