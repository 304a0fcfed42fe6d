"""Which files a run has, and what the ones at its top say.

A run of the batch loop has a course of its own steps and all of SkillOpt's files (`batch.py`); any other run
has a step per gate decision. Knows no disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sharpen.skills import Skill
from sharpen.skills.folder import SKILL_FILE, checked_files
from sharpen.store.course import Course
from sharpen.store.projections.batch import BatchFiles, skill_path
from sharpen.store.projections.ends import end_files
from sharpen.store.projections.files import Files, json_file, json_lines, markdown
from sharpen.store.projections.measured import evaluation_files
from sharpen.store.projections.summary import batch_summary, summary_of
from sharpen.store.records import AttemptRecord, Event, Store, Version
from sharpen.store.steps import GateStep, apply_report, gate_steps, history_record, origin

PACKAGE = "best_skill"
"""The folder of the best skill, for one that has files."""


def files_of(store: Store) -> Files:
    """Every file of a run."""
    attempts, events = store.attempts(), store.events()
    course = Course.of(store, events, attempts)
    told = _gate_run(store, attempts, events) if course is None else _batch_run(store, attempts, course)
    yield "config.json", json_file(store.config())
    yield "history.json", json_file(told.history)
    yield "runtime_state.json", json_file(told.state)
    yield "summary.json", json_file(told.summary)
    yield "events.jsonl", json_lines(map(_event_line, events))
    if best := _best(store, told.last):
        yield "best_skill.md", markdown(best.text)
        yield from _package_files(best)
    yield from told.files


@dataclass(frozen=True)
class _Told:
    """What differs between the two kinds of run."""

    history: list[dict[str, Any]]
    state: dict[str, Any]
    summary: dict[str, Any]
    last: Version | None  # the best skill so far
    files: Files


def _gate_run(store: Store, attempts: Sequence[AttemptRecord], events: Sequence[Event]) -> _Told:
    steps = gate_steps(store, attempts, events)
    start = [version for version in store.versions() if version.status == "start"][:1]
    accepted = start + [step.candidate for step in steps if step.accepted and step.candidate]
    history = [history_record(step) for step in steps]
    return _Told(
        history=history,
        state=_gate_state(steps, accepted),
        summary=summary_of(store, attempts, history),
        last=accepted[-1] if accepted else None,
        files=_gate_files(store, steps, accepted),
    )


def _batch_run(store: Store, attempts: Sequence[AttemptRecord], course: Course) -> _Told:
    run = BatchFiles(store, course, attempts)
    return _Told(
        history=run.records,
        state=_batch_state(course),
        summary=batch_summary(store, attempts, course=course, history=run.records),
        last=course.versions.get(course.standing.best),
        files=chain(run.files(), end_files(store, attempts, final=course.standing.current)),
    )


def _best(store: Store, last: Version | None) -> Skill | None:
    """The result's skill once there is one; until then the last accepted."""
    result = store.result() or {}
    named = next((one.skill for one in store.versions() if one.digest == result.get("digest")), None)
    if named is not None:
        return named
    if result.get("skill"):
        return Skill(str(result["skill"]))
    return last.skill if last else None


def _event_line(event: Event) -> dict[str, Any]:
    return {"number": event.number, "kind": event.kind, "data": event.data, "at": event.at}


def _package_files(skill: Skill) -> Files:
    """The skill as a folder; nothing for one that is a single text."""
    if skill.files:
        yield f"{PACKAGE}/{SKILL_FILE}", markdown(skill.text)
        for name, content in sorted(checked_files(skill.files).items()):
            yield f"{PACKAGE}/{name}", content


def _gate_files(store: Store, steps: Sequence[GateStep], accepted: Sequence[Version]) -> Files:
    for number, version in enumerate(accepted):
        yield skill_path(number), markdown(version.text)
    for step in steps:
        folder = f"steps/step_{step.number:04d}"
        if step.candidate:
            yield f"{folder}/candidate_skill.md", markdown(step.candidate.text)
            if step.candidate.edits:
                yield f"{folder}/edit_apply_report.json", json_file(apply_report(step.candidate))
        yield f"{folder}/step_record.json", json_file(history_record(step))
        yield from evaluation_files(
            store,
            f"{folder}/selection_eval",
            step.attempts,
            skill=step.data.get("candidate"),
            evaluation=step.evaluation,
        )


def _gate_state(steps: Sequence[GateStep], accepted: Sequence[Version]) -> dict[str, Any]:
    best_step = steps[-1].best_step if steps else 0
    best_score = steps[-1].best_score if steps else None
    return {
        "last_completed_step": steps[-1].number if steps else 0,
        "current_skill_path": skill_path(len(accepted) - 1) if accepted else None,
        "current_score": best_score,
        "current_origin": origin(best_step),
        "best_skill_path": "best_skill.md" if accepted else None,
        "best_score": best_score,
        "best_step": best_step,
        "best_origin": origin(best_step),
    }


def _batch_state(course: Course) -> dict[str, Any]:
    after, last = course.standing, max(course.skills, default=0)
    return {
        "last_completed_step": last,
        "current_skill_path": skill_path(last) if after.current in course.versions else None,
        "current_score": course.scores.get(after.current),
        "current_origin": after.current_origin,
        "best_skill_path": "best_skill.md" if after.best in course.versions else None,
        "best_score": course.scores.get(after.best),
        "best_step": after.best_step,
        "best_origin": after.best_origin,
    }
