"""What a run's view says, on real runs: accepted, refused, interrupted, live."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

import sharpen
from sharpen.errors import RunFolderError
from sharpen.report import RunView, load_run
from sharpen.report.grid import UNKNOWN_SPLIT
from sharpen.report.status import HOLDER_NAME
from sharpen.simulate import SimulatedStudent, World
from sharpen.store import SqliteStore

from .samples import HOSTILE_ID, OfficeStudent, kill_run, train_office, train_world


def test_an_accepted_run_says_so_with_its_numbers(accepted: RunView) -> None:
    assert accepted.status.state == "finished"
    assert accepted.accepted
    assert accepted.best == "v1"
    assert accepted.headline.text.startswith("Accepted: selection 0.")
    assert "; test gain +0." in accepted.headline.text
    assert accepted.headline.text.endswith("over 200 tasks.")
    assert accepted.headline.tone == "good"


def test_a_null_run_says_that_nothing_was_accepted_and_why(null: RunView, refused: RunView) -> None:
    for view in (null, refused):
        assert not view.accepted
        assert view.best == "start"
        assert view.headline.text.startswith("Nothing was accepted: ")
        assert "The starting skill stays, selection 0." in view.headline.text
    last = refused.steps[-1]
    counts = f"wins {last.wins}, ties {last.ties}, losses {last.losses}"
    assert f"({last.reason}; {counts})" in refused.headline.text


def test_the_search_is_told_in_sentences(accepted: RunView) -> None:
    dropped = sum(refusal.times for refusal in accepted.refusals if refusal.kind == "dropped")
    assert dropped
    assert accepted.search[0].startswith("Edits adopted into the draft: ")


def test_a_run_without_candidates_says_that_none_reached_the_gate(tmp_path: Path) -> None:
    class Silent:
        async def propose(self, *_: object, **__: object) -> list[sharpen.Edit]:
            return []

    world = World.named("null.small", seed=1)
    budget = sharpen.Budget(rollouts=300)
    sharpen.train(world.skill, world.tasks(), SimulatedStudent(world), Silent(), budget, None, tmp_path)
    assert load_run(tmp_path).headline.text.startswith("Nothing was accepted: no candidate reached the gate")


def test_the_view_is_plain_json(accepted: RunView, null: RunView, killed: RunView, office: RunView) -> None:
    for view in (accepted, null, killed, office):
        data = view.as_json()
        assert json.loads(json.dumps(data)) == data
        assert data["headline"]["text"] == view.headline.text
        assert len(data["steps"]) == len(view.steps)


def test_the_curve_goes_from_the_start_to_the_final_pass(accepted: RunView) -> None:
    kinds = [point.kind for point in accepted.curve]
    assert kinds == ["start", "accepted", "final", "test start", "test"]
    rollouts = [point.rollouts for point in accepted.curve]
    assert rollouts == sorted(rollouts)
    final = next(point for point in accepted.curve if point.kind == "final")
    assert final.score == accepted.selection
    assert all(point.score.low <= point.score.mean <= point.score.high for point in accepted.curve)


def test_steps_tell_everything_needed_to_check_a_verdict(accepted: RunView) -> None:
    (step,) = accepted.steps
    assert step.accepted
    assert step.decision == "better"
    assert step.wins + step.ties + step.losses == step.pairs
    assert step.difference is not None
    assert step.evidence is not None
    assert step.needed is not None
    assert step.evidence >= step.needed
    assert step.reason


def test_lineage_follows_acceptance(batch: RunView) -> None:
    best = "start"
    for step in batch.steps:
        assert step.parent == best
        if step.accepted:
            best = step.version
    assert best == batch.best
    assert {version.label for version in batch.versions} >= {"start", "v1", "v2"}
    rejected = [step.version for step in batch.steps if not step.accepted]
    assert rejected
    assert all(label.startswith("c") for label in rejected)


def test_blame_lays_every_line_to_an_edit_its_task_and_its_gate(accepted: RunView) -> None:
    best = accepted.version(accepted.best)
    assert best is not None
    assert [line.text for line in accepted.blame] == best.text.splitlines()
    assert accepted.blame[0].origin == "start"
    learned = [line for line in accepted.blame if line.step]
    assert learned
    for line in learned:
        assert line.step == 1
        assert line.edit is not None
        assert line.witness is not None
        assert line.witness.startswith("train-")
        edit = accepted.steps[0].edits[line.edit - 1]
        assert line.text.strip() in edit.content


def test_blame_of_a_refused_run_is_all_start(null: RunView) -> None:
    assert {line.origin for line in null.blame} == {"start"}


def test_the_grid_agrees_with_the_estimates(accepted: RunView) -> None:
    grid = next(grid for grid in accepted.grids if grid.split == "test")
    assert len(grid.tasks) == 200
    row = grid.cells[grid.versions.index("v1")]
    shares = [cell.share for cell in row if cell is not None and cell.share is not None]
    assert accepted.test is not None
    assert sum(shares) / len(shares) == pytest.approx(accepted.test.mean)


def test_not_measured_failed_and_error_are_three_things(outage: RunView) -> None:
    selection = next(grid for grid in outage.grids if grid.split == "selection")
    states = {
        (version, task): cell.state if cell else None
        for version, row in zip(selection.versions, selection.cells, strict=True)
        for task, cell in zip(selection.tasks, row, strict=True)
    }
    assert states["v1", "selection-5"] == "error"
    start = [states["start", task] for task in selection.tasks]
    assert None in start  # the race stopped before it reached all tasks
    assert "failed" in start
    assert any("measured nothing" in note for note in outage.notes)


def test_tasks_come_in_natural_order(accepted: RunView) -> None:
    grid = next(grid for grid in accepted.grids if grid.split == "selection")
    assert grid.tasks == tuple(f"val-{i}" for i in range(20))


def test_refusals_say_what_where_and_why(null: RunView, refused: RunView, office: RunView) -> None:
    assert {refusal.kind for refusal in refused.refusals} == {"gate"}
    assert "dropped" in {refusal.kind for refusal in null.refusals}
    for refusal in (*refused.refusals, *null.refusals):
        assert refusal.edits
        assert refusal.reason
        assert refusal.step or refusal.tasks or refusal.kind == "group"
    (beware,) = [r for r in office.refusals if "Beware" in r.edits[0].content]
    assert beware.kind == "dropped"
    assert beware.accepted_in is None


def test_an_edit_dropped_on_several_tasks_is_one_entry(null: RunView) -> None:
    keys = [(r.kind, r.edits) for r in null.refusals if r.kind == "dropped"]
    assert len(keys) == len(set(keys))


def test_spend_is_split_by_role_and_by_purpose(office: RunView) -> None:
    spend = office.spend
    assert spend.student.calls == spend.rollouts
    assert sum(phase.rollouts for phase in spend.phases) == spend.rollouts
    assert spend.student.tokens == 220 * spend.rollouts
    assert spend.student.usd == pytest.approx(0.001 * spend.rollouts)
    assert spend.teacher.calls > 0
    assert spend.calls == spend.rollouts + spend.teacher.calls
    assert spend.budget == {"rollouts": 400}
    stages = {line.stage: line for line in spend.lines if line.role == "student"}
    assert list(stages) == [phase.name for phase in spend.phases]
    assert sum(line.usd or 0 for line in stages.values()) == pytest.approx(spend.student.usd)


def test_a_price_that_nobody_reported_is_unknown(outage: RunView, accepted: RunView) -> None:
    assert outage.spend.student.tokens is not None
    assert outage.spend.student.usd is None
    assert accepted.spend.student.tokens is None
    assert accepted.spend.student.usd is None
    assert accepted.spend.teacher.usd is None


def test_a_killed_run_is_stopped_and_shows_what_it_has(killed: RunView) -> None:
    assert killed.status.state == "stopped"
    assert str(killed.spend.rollouts) in killed.headline.text
    assert "Run the same command again" in killed.headline.text
    assert killed.steps
    assert killed.best.startswith("v")
    assert killed.selection is None
    assert {phase.name for phase in killed.spend.phases} == {"search on train", "gates on selection"}
    assert [line.text for line in killed.blame]


def test_splits_of_a_killed_run_are_not_guessed(killed: RunView) -> None:
    assert {grid.split for grid in killed.grids} <= {"selection", "test", UNKNOWN_SPLIT}


def test_a_run_killed_at_its_first_call_can_be_viewed(unborn: RunView) -> None:
    assert unborn.status.state == "stopped"
    assert unborn.spend.rollouts == 0
    assert unborn.curve == ()
    assert unborn.steps == ()
    assert "nothing accepted yet" in unborn.headline.text


def test_a_live_run_is_running_and_its_numbers_grow(tmp_path: Path) -> None:
    seen: list[RunView] = []

    def look(kind: str, data: object) -> None:
        if kind in ("adopt", "gate", "final"):
            seen.append(load_run(tmp_path))

    train_world("slip.1", tmp_path, on_event=look)
    assert {view.status.state for view in seen} == {"running"}
    assert f"process {os.getpid()}" in seen[0].status.holder
    spent = [view.spend.rollouts for view in seen]
    assert spent == sorted(spent)
    assert spent[0] < spent[-1]
    assert seen[-1].selection is not None  # the final pass is told before the result is there


def test_a_holder_on_another_machine_is_unclear(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_office(tmp_path, student=OfficeStudent(dies_after=20))
    assert load_run(tmp_path).status.state == "stopped"
    host = f"{socket.gethostname()}-other"
    holder: dict[str, Any] = {"pid": 1, "host": host, "since": "?", "command": "sharpen"}
    (tmp_path / HOLDER_NAME).write_text(json.dumps(holder))
    assert load_run(tmp_path).status.state == "unclear"
    (tmp_path / HOLDER_NAME).write_text('{"pid": ')
    assert load_run(tmp_path).status.state == "stopped"


def test_lost_calls_are_told_after_the_resume(tmp_path: Path) -> None:
    kill_run(tmp_path / "run", after=300)
    SqliteStore.open(tmp_path / "run").close()  # the next writer counts what the killed one had in flight
    view = load_run(tmp_path / "run")
    assert view.spend.lost > 0
    assert any("lost" in note for note in view.notes)


def test_ids_that_are_not_words_are_kept_as_they_are(office: RunView) -> None:
    tasks = {task for grid in office.grids for task in grid.tasks}
    assert f"held {HOSTILE_ID}" in tasks


def test_the_recipe_makes_the_very_same_run(accepted: RunView) -> None:
    """In its own folder it returns the finished result; a difference in any setting would be refused."""
    made: dict[str, object] = {}
    exec(accepted.recipe.replace("sharpen.train(", "result = sharpen.train("), made)
    assert isinstance(made["result"], sharpen.TrainResult)
    assert made["result"].selection == accepted.selection


def test_the_recipe_of_a_users_run_names_what_must_be_brought(office: RunView) -> None:
    compile(office.recipe, "recipe", "exec")
    assert "student=...,  # fingerprint 'office-student <1>'" in office.recipe
    assert office.config["skill"] in office.recipe


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"holds no run\.db"):
        load_run(tmp_path)
