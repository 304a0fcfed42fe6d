"""A folder of attempts, as SkillOpt keeps them after a rollout or an evaluation.

results.jsonl                          one line per attempt
predictions/<id>/conversation.json     what the last attempt at a task did, where that was recorded
summary.json                           of an evaluation: the scores
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sharpen.store.projections.conversation import conversation_of
from sharpen.store.projections.files import Files, json_file, json_lines, safe_name
from sharpen.store.records import AttemptRecord, Evaluation, Store
from sharpen.store.steps import task_mean


def rollout_files(store: Store, folder: str, attempts: Sequence[AttemptRecord]) -> Files:
    """Attempts in the order given."""
    yield f"{folder}/results.jsonl", json_lines(result_row(one) for one in attempts)
    last = {one.task_id: one for one in attempts if one.has_trajectory}
    for task, attempt in last.items():
        trajectory = store.trajectory(attempt.key)
        if trajectory is not None:
            path = f"{folder}/predictions/{safe_name(task)}/conversation.json"
            yield path, json_file(conversation_of(trajectory))


def evaluation_files(
    store: Store,
    folder: str,
    attempts: Sequence[AttemptRecord],
    *,
    skill: str | None,
    evaluation: Evaluation | None,
) -> Files:
    """Attempts and what they come to."""
    yield from rollout_files(store, folder, attempts)
    yield f"{folder}/summary.json", json_file(_summary(attempts, skill, evaluation))


def result_row(attempt: AttemptRecord) -> dict[str, Any]:
    return {
        "id": attempt.task_id,
        "trial": attempt.key.trial,
        "outcome": attempt.outcome,
        "hard": attempt.hard,
        "soft": attempt.soft,
        "fail_reason": attempt.error or attempt.feedback,
        "agent_ok": attempt.outcome != "error",
    }


def _summary(
    attempts: Sequence[AttemptRecord], skill: str | None, evaluation: Evaluation | None
) -> dict[str, Any]:
    hard = task_mean(attempts, "hard")
    return {
        "overall": {"total": len(_tasks(attempts)), "hard_acc": hard},
        "skill": skill,
        "hard": hard,
        "soft": task_mean(attempts, "soft"),
        "estimate": asdict(evaluation.estimate) if evaluation else None,
        "tasks": dict(evaluation.counted) if evaluation else {},
    }


def _tasks(attempts: Iterable[AttemptRecord]) -> set[str]:
    return {attempt.task_id for attempt in attempts}
