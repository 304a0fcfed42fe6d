"""Run folders that SkillOpt made: shown from whatever of its files is there, and never touched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sharpen.errors import RunFolderError
from sharpen.report import is_skillopt_run, load_run, load_skillopt, render_skillopt, runs_table

from .test_terminal import shown

SAMPLE = Path(__file__).parent / "data" / "skillopt_run"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLE, tmp_path / "run")
    return tmp_path / "run"


def test_a_whole_folder_is_told_whole() -> None:
    run = load_skillopt(SAMPLE)
    assert run.finished
    assert [step.action for step in run.steps] == [
        "accept_new_best",
        "skip_no_patches",
        "reject",
        "accept_new_best",
    ]
    assert [step.score for step in run.steps] == [0.5, None, 0.0, 0.75]
    assert run.scores == {
        "baseline_selection_hard": 0.25,
        "best_selection_hard": 0.75,
        "final_selection_hard": None,
        "baseline_test_hard": 0.25,
        "test_hard": 0.75,
        "final_test_hard": 0.5,
    }
    assert (run.best_step, run.best_origin) == (4, "step_0004")
    assert run.best_skill == (SAMPLE / "best_skill.md").read_text()
    assert run.slow_updates == {1: "inject_placeholder", 2: "force_accept"}
    assert run.tokens["rollout"] == {"calls": 88, "prompt_tokens": 79200, "completion_tokens": 3520}
    assert "_total" not in run.tokens


def test_stale_paths_are_named_and_not_followed() -> None:
    (problem,) = load_skillopt(SAMPLE).problems
    assert "runtime_state.json names files in another folder" in problem


def test_the_screen_has_status_curve_verdicts_skill_scores_and_tokens() -> None:
    text = shown(render_skillopt(load_skillopt(SAMPLE)))
    assert "finished  made by SkillOpt" in text
    assert "best selection 0.75 (step_0004), start 0.25; test 0.75, start 0.25, last skill 0.50" in text
    assert all(sign in text for sign in ("○", "●", "×", "■"))
    assert "95 % interval" not in text
    lines = [line.split() for line in text.splitlines()]
    assert ["2", "3", "rejected", "0.50", "3", "of", "3", "3", "0.00", "0.50", "0.50"] in lines
    assert ["1", "2", "no", "patches", "0.75", "–", "–", "–", "0.50", "0.50"] in lines
    assert "slow update: accepted, no gate" in text
    assert "Prefer the shortest span" in text
    assert "79,200" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = shown(render_skillopt(load_skillopt(SAMPLE)), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_keys_in_its_configuration_are_not_shown() -> None:
    run = load_skillopt(SAMPLE)
    assert "sk-not-a-real-key" in (SAMPLE / "config.json").read_text()
    assert "sk-not-a-real-key" not in json.dumps(run.as_json()) + shown(render_skillopt(run))


def test_without_history_the_step_folders_speak(copied: Path) -> None:
    text = (copied / "history.json").read_text()
    (copied / "history.json").write_text(text[: len(text) // 2])
    (copied / "steps/step_0003/step_record.json").write_text("{")
    run = load_skillopt(copied)
    assert [step.step for step in run.steps] == [1, 2, 4]
    assert any("history.json cannot be read, it may be cut short" in problem for problem in run.problems)
    assert any("steps/step_0003/step_record.json" in problem for problem in run.problems)


def test_an_unfinished_run_is_told_from_what_is_there(copied: Path) -> None:
    for name in ("summary.json", "config.json", "best_skill.md"):
        (copied / name).unlink()
    shutil.rmtree(copied / "slow_update")
    rows = copied / "selection_eval_baseline/results.jsonl"
    rows.write_text(rows.read_text()[:-30])
    run = load_skillopt(copied)
    assert not run.finished
    assert run.scores["best_selection_hard"] == 0.75
    assert run.scores["baseline_selection_hard"] == 0.0  # the row of the solved task is cut short
    assert run.tokens["analyst"]["calls"] == 4
    told = " ".join(run.problems)
    for name in (
        "summary.json is missing",
        "config.json is missing",
        "best_skill.md is missing",
        "results.jsonl",
    ):
        assert name in told
    assert "unfinished" in shown(render_skillopt(run))


def test_a_step_recorded_twice_is_named(copied: Path) -> None:
    history = json.loads((copied / "history.json").read_text())
    (copied / "history.json").write_text(json.dumps([history[0], *history]))
    assert any("several records of step 1" in problem for problem in load_skillopt(copied).problems)


@pytest.mark.parametrize("content", ["[]", "null", "3", '{"steps": 1}', "[1, null]", "\x00"])
def test_nonsense_in_a_file_is_left_out(copied: Path, content: str) -> None:
    for path in copied.rglob("*.json"):
        path.write_text(content)
    run = load_skillopt(copied)
    assert run.problems
    assert shown(render_skillopt(run))


def test_reading_changes_nothing(copied: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copied.rglob("*")}
    shown(render_skillopt(load_skillopt(copied)))
    assert {path: path.stat().st_mtime_ns for path in copied.rglob("*")} == before


def test_our_own_folders_and_others_are_not_skillopts(accepted_dir: Path, tmp_path: Path) -> None:
    assert not is_skillopt_run(accepted_dir)
    shutil.copytree(accepted_dir, tmp_path / "bare", ignore=shutil.ignore_patterns("run.db*"))
    assert not is_skillopt_run(tmp_path / "bare")
    assert not is_skillopt_run(tmp_path / "nothing")
    with pytest.raises(RunFolderError, match="is not a run folder"):
        load_skillopt(tmp_path / "bare")


def test_the_table_labels_it(accepted_dir: Path) -> None:
    text = shown(runs_table([load_run(accepted_dir), load_skillopt(SAMPLE)]), width=200)
    assert "SkillOpt, 4 steps" in text
    assert "+0.50" in text
