"""A run retold in SkillOpt's terms."""

from __future__ import annotations

import pytest

from sharpen.store import AttemptKey, Evaluation, MemoryStore, Version
from sharpen.store.steps import apply_report, apply_summary, gate_steps, history_record, task_mean
from sharpen.types import Estimate, Rollout, Task

from .samples import event, record_small_run


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    record_small_run(made)
    return made


def test_each_decision_becomes_a_record_with_skillopts_names(store: MemoryStore) -> None:
    records = [history_record(step) for step in gate_steps(store)]
    assert [record["action"] for record in records] == ["accept_new_best", "reject", "skip_no_decision"]
    assert [record["best_score"] for record in records] == [0.75, 0.75, 0.75]
    assert [record["candidate_gate_score"] for record in records] == [0.75, 0.25, 0.5]
    assert records[1] == {
        "step": 2,
        "action": "reject",
        "candidate_hash": "d2",
        "candidate_skill_len": len("# Skill\n- rule d2\n"),
        "n_edits_merged": 1,
        "edit_apply_summary": {"total": 1, "applied": 1, "skipped": 0, "errors": 0},
        "selection_hard": 0.0,
        "selection_soft": 0.25,
        "candidate_gate_score": 0.25,
        "current_score": 0.75,
        "best_score": 0.75,
        "best_step": 1,
        "current_origin": "step_0001",
        "best_origin": "step_0001",
        "wall_time_s": 20.0,
        "parent_hash": "d1",
        "verdict": {
            "gate": "race",
            "decision": "not better",
            "reason": "because",
            "pairs": 4,
            "difference": None,
        },
        "rollouts": 8,
    }


def test_only_the_attempts_the_gate_counted_belong_to_a_step(store: MemoryStore) -> None:
    later = Rollout.scored(Task("s1"), hard=1)  # the final pass measures the accepted skill once more
    store.finish_attempt(AttemptKey("d1", Task("s1").digest, "a-student", 3), later)
    on_train = Rollout.scored(Task("train-7"), hard=1)
    store.finish_attempt(AttemptKey("d1", Task("train-7").digest, "a-student", 1), on_train)
    counted = gate_steps(store)[0].attempts
    assert [(one.task_id, one.key.trial) for one in counted] == [("s1", 1), ("s1", 2), ("s2", 1), ("s2", 2)]


def test_errors_are_rows_but_not_scores() -> None:
    store, task = MemoryStore(), Task("s1")
    for trial, rollout in enumerate(
        [Rollout.failed_to_run(task, reason="down"), Rollout.scored(task, hard=1)], 1
    ):
        store.finish_attempt(AttemptKey("d1", task.digest, "a-student", trial), rollout)
    store.add_evaluation(Evaluation("d1", "selection", "gate", Estimate(1, 0, 1, 1, 1), {"s1": [1.0, 1, 1]}))
    store.add_event(event(1, "gate", candidate="d1"))
    (step,) = gate_steps(store)
    assert len(step.attempts) == 2
    assert task_mean(step.attempts, "hard") == 1.0


def test_an_event_that_says_almost_nothing_is_still_a_record() -> None:
    store = MemoryStore()
    store.add_event(event(1, "gate"))
    store.add_event(event(2, "gate", candidate="unknown", verdict=None, edits=None, step=None))
    first, second = (history_record(step) for step in gate_steps(store))
    assert (first["step"], second["step"]) == (1, 2)
    assert first["action"] == "skip_no_decision"
    assert {first[name] for name in ("candidate_hash", "selection_hard", "best_score", "wall_time_s")} == {
        None
    }
    assert first["best_origin"] == "start"


def test_an_apply_report_has_skillopts_fields_and_short_previews() -> None:
    edit = {"op": "replace", "target": "t" * 500, "content": None}
    statuses = ["applied_replace", "skipped_duplicate", "error", None]
    edits = tuple({"edit": edit, "status": status, "reason": "r"} for status in statuses)
    report = apply_report(Version("d", None, "", edits))
    assert report[0] == {
        "index": 1,
        "op": "replace",
        "target": "t" * 200,
        "content_preview": "",
        "status": "applied_replace",
        "reason": "r",
        "witness": None,
    }
    assert apply_summary(edits) == {"total": 4, "applied": 1, "skipped": 1, "errors": 1}
