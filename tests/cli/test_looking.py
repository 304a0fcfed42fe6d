"""Readers of runs and skills: show, runs, report, rebuild, diff, blame, lint, doctor."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .conftest import Process, Program


def test_show(program: Program, finished: Path) -> None:
    result = program("show", finished)
    assert result.exit_code == 0
    assert "finished" in result.stdout
    assert json.loads(program("show", finished, "--json").stdout)["accepted"] is True


def test_show_of_a_folder_that_is_no_run(program: Program, here: Path) -> None:
    result = program("show", here)
    assert result.exit_code == 2
    assert "not a run folder" in result.stderr


def test_runs_lists_them_and_names_the_unreadable(program: Program, finished: Path, here: Path) -> None:
    shutil.copytree(finished, here / "runs" / "deep" / "good")
    (here / "runs" / "bad").mkdir()
    (here / "runs" / "bad" / "run.db").write_text("this is not a database, it only has the name of one")
    rows = {Path(row["run"]).name: row for row in json.loads(program("runs", "--json").stdout)}
    assert rows["good"]["state"] == "finished"
    assert rows["good"]["rollouts"] > 0
    assert rows["bad"]["state"] == "unreadable"
    listed = program("runs")
    assert "runs/deep/good" in listed.stdout
    assert "left out: runs/bad" in listed.stderr


@pytest.mark.parametrize("verb", ["show", "report", "blame", "diff"])
def test_a_folder_of_evaluations_is_no_run(program: Program, verb: str) -> None:
    assert program("eval", "--simulated", "binary", "--run", "kept").exit_code == 0
    result = program(verb, "kept")
    assert result.exit_code == 2
    assert "sharpen eval" in result.stderr


def test_runs_of_a_folder_that_is_not_there(program: Program) -> None:
    assert program("runs").exit_code == 2


def test_report_is_one_file(program: Program, finished: Path, here: Path) -> None:
    result = program("report", finished, "-o", here / "run.html")
    assert result.stdout == f"{here / 'run.html'}\n"
    page = (here / "run.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert program("report", finished, "-o", "-").stdout.strip() == page.strip()


def test_report_into_a_folder_that_is_not_there(program: Program, finished: Path, here: Path) -> None:
    result = program("report", finished, "-o", here / "no" / "run.html")
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


def test_rebuild_brings_files_back(program: Program, finished: Path, here: Path) -> None:
    run = here / "copy"
    shutil.copytree(finished, run)
    best = (run / "best_skill.md").read_text()
    (run / "best_skill.md").write_text("spoiled")
    shutil.rmtree(run / "steps")
    assert program("rebuild", run).exit_code == 0
    assert (run / "best_skill.md").read_text() == best
    assert (run / "steps" / "step_0001" / "candidate_skill.md").is_file()


def test_diff_of_a_run_shows_what_it_changed(program: Program, finished: Path) -> None:
    text = program("diff", finished).stdout
    assert " # Skill\n" in text
    assert "+- R03: follow rule R03\n" in text


def test_diff_of_files_by_line_and_by_word(program: Program, here: Path) -> None:
    (here / "a.md").write_text("# A\n- Write [short] lines.\n")
    (here / "b.md").write_text("# A\n- Write [long] lines.\n")
    assert "-- Write [short] lines.\n+- Write [long] lines.\n" in program("diff", "a.md", "b.md").stdout
    assert program("diff", "a.md", "b.md", "--words").stdout.endswith(
        "- Write [-[short] -]{+[long] +}lines.\n"
    )
    chunks = json.loads(program("diff", "a.md", "b.md", "--json").stdout)["words"]
    assert "".join(c["text"] for c in chunks if c["kind"] != "added") == (here / "a.md").read_text()


def test_diff_of_equal_skills_is_empty(program: Program, here: Path) -> None:
    (here / "a.md").write_text("# A\n")
    assert program("diff", "a.md", "a.md").stdout == ""


def test_diff_of_one_file_asks_for_the_other(program: Program, here: Path) -> None:
    (here / "a.md").write_text("# A\n")
    assert program("diff", "a.md").exit_code == 2


def test_blame_of_a_run_names_edit_evidence_and_gate(program: Program, finished: Path) -> None:
    rows = json.loads(program("blame", finished, "--json").stdout)
    best = (finished / "best_skill.md").read_text()
    assert [row["text"] for row in rows] == best.splitlines()
    assert rows[0]["origin"] == "start"
    line = next(row for row in rows if row["text"].startswith("- R"))
    assert line["witness"].startswith("train-")
    assert line["evidence"][0]["kind"] == "adopt"
    assert line["verdict"].startswith("better")
    text = program("blame", finished).stdout
    assert "gate 1: better" in text


def test_blame_of_a_plain_skill(program: Program, here: Path) -> None:
    (here / "a.md").write_text("# A\n- one\n")
    rows = json.loads(program("blame", "a.md", "--json").stdout)
    assert [(row["number"], row["origin"]) for row in rows] == [(1, "start"), (2, "start")]


def test_lint(program: Program, here: Path) -> None:
    (here / "warned.md").write_text("# No frontmatter\n")
    (here / "broken.md").write_text("---\nname: [\n---\n# Broken\n")
    warned = program("lint", "warned.md")
    assert warned.exit_code == 0
    assert "warned.md:1: warning:" in warned.stdout
    both = program("lint", "warned.md", "broken.md", "missing.md", "--json")
    assert both.exit_code == 1
    levels = {(Path(row["path"]).name, row["level"]) for row in json.loads(both.stdout)}
    assert levels >= {("warned.md", "warning"), ("broken.md", "error"), ("missing.md", "error")}


def test_doctor(process: Process, here: Path) -> None:
    done = process("doctor")
    assert done.returncode == 0, done.stdout
    for what in ("python", "sqlite", "store", "space", "terminal"):
        assert what in done.stdout
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("verb", ["show", "report", "rebuild", "blame", "diff", "runs"])
def test_readers_work_beside_a_moved_run(program: Program, finished: Path, here: Path, verb: str) -> None:
    moved = here / "elsewhere"
    shutil.copytree(finished, moved)
    assert program(verb, moved).exit_code == 0
