"""The demo: a result in seconds, called simulated, and there again at once."""

from __future__ import annotations

from pathlib import Path

from .conftest import Program


def test_the_demo_trains_and_says_what_to_look_at(program: Program, here: Path) -> None:
    result = program("demo", "--simulated", "--seed", 3)
    assert result.exit_code == 0
    assert "simulated" in result.stdout
    assert "simulated" in result.stderr
    assert "gain" in result.stdout
    assert (here / "runs" / "demo-3" / "best_skill.md").read_text() in result.stdout
    for verb in ("show", "report", "blame", "diff"):
        assert f"sharpen {verb} runs/demo-3" in result.stderr


def test_a_finished_demo_is_there_at_once(program: Program) -> None:
    first, again = program("demo", "--simulated"), program("demo", "--simulated")
    assert "finished before" in again.stderr
    assert first.stdout == again.stdout


def test_an_unknown_world_is_answered_with_the_known_ones(program: Program) -> None:
    result = program("demo", "--simulated", "--world", "mars")
    assert result.exit_code == 2
    assert "slip.1" in result.stderr


def test_a_world_is_simulated_and_must_be_called_so(program: Program) -> None:
    result = program("demo", "--world", "slip.1")
    assert result.exit_code == 2
    assert "--simulated" in result.stderr
