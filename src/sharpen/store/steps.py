"""A run as SkillOpt told it: one step per gate decision, one flat record per step.

For runs that record gate decisions and no steps; `course.py` retells those of the batch loop.

Built from what the store lists and nothing else. Events are read leniently: a key that an event does not
carry becomes null in the record. Knows SkillOpt's field names; knows no file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sharpen.store.records import AttemptRecord, Evaluation, Event, Store, Version
from sharpen.types import Json

ACTIONS = {"better": "accept_new_best", "not better": "reject", "not enough data": "skip_no_decision"}


@dataclass(frozen=True, slots=True)
class GateStep:
    """One decision: what was offered, how it was measured, and which skill is the best afterwards."""

    number: int
    data: Json  # the gate event's
    candidate: Version | None
    evaluation: Evaluation | None
    attempts: tuple[AttemptRecord, ...]  # the candidate's, on the selection tasks the gate counted
    best_step: int  # 0 stands for the starting skill
    best_score: float | None
    wall_time: float | None  # seconds since the decision before, None where the clock was not recorded

    @property
    def verdict(self) -> Json:
        return self.data.get("verdict") or {}

    @property
    def action(self) -> str:
        return ACTIONS.get(self.verdict.get("decision", ""), "skip_no_decision")

    @property
    def accepted(self) -> bool:
        return self.action == "accept_new_best"


def gate_steps(
    store: Store, attempts: Sequence[AttemptRecord] | None = None, events: Sequence[Event] | None = None
) -> list[GateStep]:
    """The run's gate decisions in order; `attempts` and `events` save reading them twice."""
    versions = {version.digest: version for version in store.versions()}
    measured = {e.skill: e for e in store.evaluations() if (e.split, e.purpose) == ("selection", "gate")}
    start = next((digest for digest, version in versions.items() if version.status == "start"), "")
    tried = by_skill(store.attempts() if attempts is None else attempts)
    best_step, best = 0, start
    steps: list[GateStep] = []
    for number, (event, wall_time) in enumerate(
        _timed_gates(store.events() if events is None else events), 1
    ):
        offered, step = str(event.data.get("candidate") or ""), int(event.data.get("step") or number)
        evaluation = measured.get(offered)
        if _accepts(event):
            best_step, best = step, offered
        steps.append(
            GateStep(
                number=step,
                data=event.data,
                candidate=versions.get(offered),
                evaluation=evaluation,
                attempts=counted(evaluation, tried[offered]),
                best_step=best_step,
                best_score=measured[best].estimate.mean if best in measured else None,
                wall_time=wall_time,
            )
        )
    return steps


def history_record(step: GateStep) -> dict[str, Any]:
    """SkillOpt's record of a step, then what only we know."""
    candidate = step.candidate
    edits = candidate.edits if candidate else ()
    return {
        "step": step.number,
        "action": step.action,
        "candidate_hash": step.data.get("candidate"),
        "candidate_skill_len": len(candidate.text) if candidate else None,
        "n_edits_merged": len(edits) or len(step.data.get("edits") or ()),
        "edit_apply_summary": apply_summary(edits),
        "selection_hard": task_mean(step.attempts, "hard"),
        "selection_soft": task_mean(step.attempts, "soft"),
        "candidate_gate_score": step.evaluation.estimate.mean if step.evaluation else None,
        "current_score": step.best_score,
        "best_score": step.best_score,
        "best_step": step.best_step,
        "current_origin": origin(step.best_step),
        "best_origin": origin(step.best_step),
        "wall_time_s": step.wall_time,
        "parent_hash": step.data.get("parent"),
        "verdict": dict(step.verdict),
        "rollouts": step.data.get("rollouts"),
    }


def apply_report(version: Version) -> list[dict[str, Any]]:
    """SkillOpt's `edit_apply_report.json`, with the reason and the witness of each edit added."""
    return [_apply_entry(index, entry) for index, entry in enumerate(version.edits, 1)]


def apply_summary(edits: Iterable[Json]) -> dict[str, int]:
    statuses = [str(entry.get("status") or "") for entry in edits]
    return {
        "total": len(statuses),
        "applied": sum(status.startswith("applied") for status in statuses),
        "skipped": sum(status.startswith("skipped") for status in statuses),
        "errors": statuses.count("error"),
    }


def task_mean(attempts: Sequence[AttemptRecord], score: str) -> float | None:
    """The mean over tasks of each task's mean, errors left out; None where nothing was measured."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for attempt in attempts:
        value = attempt.hard if score == "hard" else attempt.soft
        if value is not None:
            values[attempt.task_id].append(value)
    return fmean(fmean(of_task) for of_task in values.values()) if values else None


def origin(step: int) -> str:
    """Where a skill came from, as SkillOpt's files name it."""
    return f"step_{step:04d}" if step else "start"


def _accepts(event: Event) -> bool:
    return (event.data.get("verdict") or {}).get("decision") == "better"


def by_skill(attempts: Iterable[AttemptRecord]) -> defaultdict[str, list[AttemptRecord]]:
    found: defaultdict[str, list[AttemptRecord]] = defaultdict(list)
    for attempt in attempts:
        if attempt.outcome is not None:
            found[attempt.key.skill].append(attempt)
    return found


def counted(evaluation: Evaluation | None, attempts: Iterable[AttemptRecord]) -> tuple[AttemptRecord, ...]:
    """The attempts of its skill that an evaluation counted, by task and trial.

    Those made for its purpose, as far as that was noted; of them the first of each task, because later
    purposes take later trials.
    """
    if evaluation is None:
        return ()
    left = {task: int(measured + errors) for task, (_, measured, errors) in evaluation.counted.items()}
    found = []
    own = (attempt for attempt in attempts if attempt.stage in ("", evaluation.purpose))
    for attempt in sorted(own, key=lambda attempt: (attempt.task_id, attempt.key.trial)):
        if left.get(attempt.task_id, 0) > 0:
            left[attempt.task_id] -= 1
            found.append(attempt)
    return tuple(found)


def _timed_gates(events: Sequence[Event]) -> list[tuple[Event, float | None]]:
    """Each gate event with the seconds since the one before it (the first: since the run's first event)."""
    timed, before = [], events[0].at if events else 0.0
    for event in events:
        if event.kind == "gate":
            timed.append((event, event.at - before if event.at and before else None))
            before = event.at
    return timed


def _apply_entry(index: int, entry: Json) -> dict[str, Any]:
    edit = entry.get("edit") or entry
    named = {"file": edit["file"]} if edit.get("file") else {}
    return {
        "index": index,
        **named,
        "op": edit.get("op"),
        "target": str(edit.get("target") or "")[:200],
        "content_preview": str(edit.get("content") or "")[:200],
        "status": entry.get("status"),
        "reason": entry.get("reason"),
        "witness": entry.get("witness"),
    }
