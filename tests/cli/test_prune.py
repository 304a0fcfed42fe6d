"""`sharpen prune`: parts judged by leaving them out, and written only when asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Process, Program

HALF = "# Manners\n\n- Say please.\n- Count to ten.\n"
ARGS = ("-t", "tasks.jsonl", "-s", "agents:Student")
WORLD = ("--simulated", "binary")


@pytest.fixture
def manners(agents: Path) -> Path:
    (agents / "half.md").write_text(HALF)
    return agents


def test_verdicts_and_nothing_written(manners: Path, process: Process) -> None:
    done = process("prune", "half.md", *ARGS, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(part["parts"][0]["name"], part["verdict"]) for part in found["parts"]] == [
        ("line 3", "keep"),
        ("line 4", "no evidence it helps"),
    ]
    assert found["parts"][0]["effect"]["low"] > 0
    assert found["written"] is None
    shown = process("prune", "half.md", *ARGS)
    assert "- Count to ten." in shown.stdout
    assert "nothing: no part is shown to harm; 1 without evidence stay" in shown.stdout


def test_the_pruned_skill_is_written_when_asked(manners: Path, process: Process) -> None:
    args = ("prune", "half.md", *ARGS, "--drop-below", "0.3", "--run", "kept")
    asked = process(*args)
    assert "add --write PATH" in asked.stdout
    done = process(*args, "--write", "less.md", BROKEN="1")  # every attempt is kept
    assert done.returncode == 0, done.stderr
    assert (manners / "less.md").read_text() == "# Manners\n\n- Say please.\n"
    assert "tokens" in done.stdout
    assert (manners / "half.md").read_text() == HALF


def test_the_edits_of_a_run_are_its_parts(program: Program, finished: Path) -> None:
    found = json.loads(program("prune", finished, "--simulated", "binary", "--json").stdout)
    names = [part["parts"][0]["name"] for part in found["parts"]]
    assert names
    assert all(name.startswith("v1 edit") for name in names)
    assert {part["verdict"] for part in found["parts"]} <= {"keep", "no evidence it helps"}


def test_the_cost_is_said_first(manners: Path, program: Program) -> None:
    result = program("prune", "half.md", *WORLD, "--dry-run")
    assert result.stdout.startswith("at most 300 attempts: 2 parts, 20 selection tasks, 3 passes\n")
    assert "smallest effect" in result.stdout
    assert json.loads(program("prune", "half.md", *WORLD, "-n", "--json").stdout)["attempts"] == 300


def test_a_budget_from_a_configuration_holds(manners: Path, program: Program) -> None:
    found = program("prune", "half.md", *WORLD, "--cfg-options", "budget.rollouts=12", "--json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["spent"]["rollouts"] <= 12


def test_a_place_that_cannot_hold_the_skill_is_refused_before_anything_is_paid(
    manners: Path, program: Program
) -> None:
    folder = program("prune", "half.md", *WORLD, "--write", "less")
    assert folder.exit_code == 2
    assert "not be a valid skill folder" in folder.stderr
    (manners / "manners/references").mkdir(parents=True)
    (manners / "manners/SKILL.md").write_text(
        '---\nname: "manners"\ndescription: "Use when asked."\n---\n- x\n'
    )
    (manners / "manners/references/a.md").write_text("a\n")
    single = program("prune", "manners", *WORLD, "--write", "less.md")
    assert single.exit_code == 2
    assert "the skill has files" in single.stderr


def test_a_skill_without_parts(manners: Path, program: Program) -> None:
    result = program("prune", "skill.md", *WORLD)
    assert result.exit_code == 2
    assert "no part to leave out" in result.stderr
