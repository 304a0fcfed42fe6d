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


def test_diff_covers_the_files_of_a_skill(program: Program, here: Path) -> None:
    for name, page, more in (("a", "one\n", {}), ("b", "two\n", {"scripts/new.py": "print(1)\n"})):
        for path, text in {"SKILL.md": "# S\n", "references/x.md": page, **more}.items():
            (here / name / path).parent.mkdir(parents=True, exist_ok=True)
            (here / name / path).write_text(text)
    shown = program("diff", "a", "b").stdout
    assert "--- a/references/x.md\n+++ b/references/x.md\n@@ -1 +1 @@\n-one\n+two\n" in shown
    assert "--- /dev/null\n+++ b/scripts/new.py\n" in shown
    assert "\nreferences/x.md (changed):\n[-one\n-]{+two\n+}" in program("diff", "a", "b", "--words").stdout
    files = json.loads(program("diff", "a", "b", "--json").stdout)["files"]
    assert [(one["file"], one["kind"]) for one in files] == [
        ("references/x.md", "changed"),
        ("scripts/new.py", "added"),
    ]


def test_blame_shows_the_effect_and_says_whose_it_is(program: Program, finished: Path) -> None:
    rows = json.loads(program("blame", finished, "--json").stdout)
    line = next(row for row in rows if row["text"].startswith("- R"))
    effect = line["effect"]
    assert effect["difference"]["low"] <= effect["difference"]["mean"] <= effect["difference"]["high"]
    assert effect["pairs"] > 0
    shown = program("blame", finished).stdout
    assert f"over {effect['pairs']} pairs, {effect['edits']} edits together" in shown
    assert rows[0]["effect"] is None


def test_blame_covers_the_files_of_a_skill(program: Program, here: Path) -> None:
    (here / "a/references").mkdir(parents=True)
    (here / "a/SKILL.md").write_text("# S\n")
    (here / "a/references/x.md").write_text("one\ntwo\n")
    rows = json.loads(program("blame", "a", "--json").stdout)
    assert [(row["file"], row["number"]) for row in rows] == [
        ("", 1),
        ("references/x.md", 1),
        ("references/x.md", 2),
    ]
    assert "references/x.md:2" in program("blame", "a").stdout


SKILLOPT = Path(__file__).parents[1] / "report" / "data" / "skillopt_run"


def test_a_run_of_skillopts_is_shown_and_listed(program: Program, here: Path) -> None:
    shutil.copytree(SKILLOPT, here / "runs" / "theirs")
    shown = program("show", "runs/theirs")
    assert shown.exit_code == 0
    assert "made by SkillOpt" in shown.stdout
    assert json.loads(program("show", "runs/theirs", "--json").stdout)["best_step"] == 4
    (row,) = json.loads(program("runs", "--json").stdout)
    assert (row["made_by"], row["state"], row["best_selection_hard"]) == ("SkillOpt", "finished", 0.75)
    assert "SkillOpt, 4 steps" in program("runs").stdout


def test_of_a_run_of_skillopts_is_said_what_cannot_be_known(program: Program, here: Path) -> None:
    shutil.copytree(SKILLOPT, here / "theirs")
    assert "+- Copy the answer span exactly" in program("diff", "theirs").stdout
    assert program("diff", "theirs/best_skill.md", "theirs").stdout == ""
    blamed = program("blame", "theirs")
    assert "cannot be known" in blamed.stderr
    rows = json.loads(program("blame", "theirs", "--json").stdout)
    assert [row["origin"] for row in rows if "shortest span" in row["text"]] == ["step 4"]
    (here / "theirs/skills/skill_v0000.md").unlink()
    lacking = program("diff", "theirs")
    assert lacking.exit_code == 2
    assert "skills/skill_v0000.md" in lacking.stderr
    assert "cannot be known" in lacking.stderr


@pytest.mark.parametrize("verb", ["report", "rebuild"])
def test_what_a_run_of_skillopts_cannot_give_is_refused(program: Program, here: Path, verb: str) -> None:
    shutil.copytree(SKILLOPT, here / "theirs")
    result = program(verb, "theirs")
    assert result.exit_code == 2
    assert "made by SkillOpt" in result.stderr
    assert not (here / "theirs/report.html").exists()
