"""A batch run from its loop to its files, its screen and its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sharpen.report import RunView, load_run, render_html, render_terminal
from sharpen.store import Event, SqliteStore

from .advised import GUIDANCE, train_advised
from .test_terminal import shown


@pytest.fixture(scope="module")
def advised_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("advised") / "run"
    train_advised(folder)
    return folder


@pytest.fixture(scope="module")
def advised(advised_dir: Path) -> RunView:
    return load_run(advised_dir)


def test_epochs_tell_the_loops_own_steps(advised: RunView, advised_dir: Path) -> None:
    history = json.loads((advised_dir / "history.json").read_text())
    steps = [step for epoch in advised.epochs for step in epoch.steps]
    assert [epoch.number for epoch in advised.epochs] == [1, 2]
    assert [step.action for step in steps] == [record["action"] for record in history]
    assert [step.train for step in steps] == [record["rollout_hard"] for record in history]
    assert [step.edit_budget for step in steps] == [record["edit_budget"] for record in history]
    assert [step.score.mean if step.score else None for step in steps] == [
        record.get("candidate_gate_score") for record in history
    ]
    assert steps[0].version == "v1"
    assert steps[0].gate is not None
    assert steps[0].gate.place == "1"


def test_the_end_of_an_epoch_shows_what_was_compared_and_written(advised: RunView) -> None:
    (slow,) = [end for end in advised.epochs[1].ends if end.kind == "slow_update"]
    assert slow.content == GUIDANCE
    assert sum(slow.compared.values()) > 0
    assert slow.action == "reject"  # the tasks are solved with and without it
    assert slow.version == "s1"
    assert slow.gate is not None
    assert slow.gate.place == "slow update"
    assert [end.kind for end in advised.epochs[0].ends][-1] == "meta_skill"


def test_the_files_of_the_layout_are_there_and_re_readable(advised_dir: Path) -> None:
    for path in advised_dir.rglob("*.json"):
        json.loads(path.read_text())
    for name in (
        "skills/skill_v0004.md",
        "steps/step_0001/rollout/results.jsonl",
        "steps/step_0001/patches/minibatch_fail_000.json",
        "steps/step_0001/merged_patch.json",
        "steps/step_0001/selection_eval/summary.json",
        "steps/step_0001/trajectory_digest.json",
        "slow_update/epoch_02/slow_result.json",
        "meta_skill/epoch_01/meta_skill_result.json",
        "selection_eval_baseline/results.jsonl",
        "final_selection_eval/results.jsonl",
        "test_eval/results.jsonl",
        "test_eval_baseline/summary.json",
        "test_eval_final/summary.json",
    ):
        assert (advised_dir / name).is_file(), name
    talks = list((advised_dir / "steps/step_0001/rollout/predictions").glob("*/conversation.json"))
    rows = (advised_dir / "steps/step_0001/rollout/results.jsonl").read_text().splitlines()
    assert len(talks) == len(rows) == 8
    assert json.loads(talks[0].read_text())[0] == {"role": "user", "content": "Do it."}


@pytest.mark.parametrize("width", [60, 80, 110, 160])
def test_the_screen_has_a_line_per_step_and_end(advised: RunView, width: int) -> None:
    text = shown(render_terminal(advised), width=width)
    assert max(map(len, text.splitlines())) <= width
    for step in (step for epoch in advised.epochs for step in epoch.steps):
        assert any(
            line.strip().startswith((f"{step.epoch}     {step.number}", f"{step.number}  "))
            for line in text.splitlines()
        )
    assert "slow update:" in text
    assert "meta skill: noted" in text


def test_spend_is_told_by_stage(advised: RunView) -> None:
    stages = {(line.role, line.stage) for line in advised.spend.lines}
    assert {("student", "slow updates"), ("teacher", "slow updates"), ("teacher", "meta skill")} <= stages
    assert "student, slow updates, test:student" in shown(render_terminal(advised))
    assert sum(phase.rollouts for phase in advised.spend.phases) == advised.spend.rollouts


def test_the_page_has_the_training(advised: RunView) -> None:
    page = render_html(advised)
    assert 'id="training"' in page
    assert GUIDANCE in page
    assert "slow update" in page


def test_refused_edits_are_told_with_their_reason(advised_dir: Path, tmp_path: Path) -> None:
    train_advised(tmp_path)
    store = SqliteStore.open(tmp_path)
    edit = {"op": "append", "content": "The answer is <42>.", "reason": "it quotes the answer of train/3"}
    number = len(store.events())
    for again in (1, 2):
        store.add_event(Event(number + again, "refused", {"edits": [edit]}))
    store.close()
    view = load_run(tmp_path)
    (leak,) = [refusal for refusal in view.refusals if refusal.kind == "leak"]
    assert (leak.reason, leak.times) == ("it quotes the answer of train/3", 2)
    assert "2 edits were refused by the leak check" in shown(render_terminal(view))
    page = render_html(view)
    assert "Refused by the leak check" in page
    assert "The answer is &lt;42&gt;." in page


def test_the_other_loop_has_no_epochs(accepted: RunView) -> None:
    assert accepted.epochs == ()
    assert 'id="training"' not in render_html(accepted)


def test_a_slow_update_without_a_gate_is_in_the_exported_skill(tmp_path: Path) -> None:
    train_advised(tmp_path, gated=False)
    view = load_run(tmp_path)
    best = view.version(view.best)
    assert best is not None
    assert best.text == (tmp_path / "best_skill.md").read_text()
    assert GUIDANCE in best.text
    (line,) = [line for line in view.blame if line.text == GUIDANCE]
    assert line.verdict == "better: let in without a gate"
    state = json.loads((tmp_path / "runtime_state.json").read_text())
    assert state["best_origin"] == "slow_update_epoch_02"
    assert "accepted, no gate" in shown(render_terminal(view))
    assert "let in without a gate" in render_html(view)
