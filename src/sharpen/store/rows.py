"""How the records of a run are written in rows, and read back equal.

Texts are UTF-8; a text with a lone surrogate (half an emoji, cut off by a model) has no UTF-8 form and is
kept as bytes. Nested values are JSON in the order given. Empty or absent values are NULL. Knows no SQL.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from sharpen.errors import UsageError
from sharpen.skills import Edit
from sharpen.store.records import (
    AttemptKey,
    AttemptRecord,
    Evaluation,
    Event,
    Proposal,
    ProposalKey,
    ProposalRecord,
    Version,
)
from sharpen.types import Estimate, Rollout, Score, Task, Usage

Cell = str | bytes | float | None
Row = Sequence[Any]

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def write_text(text: str) -> str | bytes | None:
    if text.isascii():
        return text or None
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def read_text(cell: str | bytes | None) -> str:
    return cell.decode("utf-8", "surrogatepass") if isinstance(cell, bytes) else cell or ""


def write_json(value: object, what: str) -> str:
    """JSON in UTF-8; a lone surrogate becomes its `\\udxxx` escape, from which JSON reads it back."""
    try:
        text = _encode(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} cannot be stored: {error}; use plain JSON values") from error
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def write_usage(usage: Usage | None) -> str | None:
    if usage is None:
        return None
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "calls": usage.calls}
    known = {"usd": usage.usd, "model": usage.model or None}
    return write_json(counts | {name: value for name, value in known.items() if value is not None}, "usage")


def _read_usage(cell: str | None) -> Usage | None:
    return None if cell is None else Usage(**json.loads(cell))


RECORD_COLUMNS = "outcome, task_id, hard, soft, feedback, error, usage, stage"
ATTEMPT_COLUMNS = f"{RECORD_COLUMNS}, trajectory"  # a list of attempts does without the trajectories


def write_attempt(rollout: Rollout, stage: str) -> tuple[Cell, ...]:
    """The values of ATTEMPT_COLUMNS."""
    score, trajectory = rollout.score, rollout.trajectory
    return (
        rollout.outcome,
        write_text(rollout.task.id),
        score.hard if score else None,
        score.soft if score else None,
        write_text(score.feedback) if score else None,
        write_text(rollout.error),
        write_usage(rollout.usage),
        stage or None,
        None if trajectory is None else write_json(trajectory, f"the trajectory of task {rollout.task.id!r}"),
    )


def read_rollout(row: Row, task: Task) -> Rollout:
    """A rollout of `task` from ATTEMPT_COLUMNS."""
    outcome, _, hard, soft, feedback, error, usage, _, trajectory = row
    score = None if outcome == "error" else Score(hard, soft, read_text(feedback))
    steps = None if trajectory is None else json.loads(trajectory)
    return Rollout(task, score, read_text(error), _read_usage(usage), steps)


def read_attempt_record(row: Row) -> AttemptRecord:
    """A record from skill, task, student, trial, RECORD_COLUMNS and whether there is a trajectory."""
    key, (outcome, task_id, hard, soft, feedback, error, usage, stage, told) = AttemptKey(*row[:4]), row[4:]
    return AttemptRecord(
        key=key,
        task_id=read_text(task_id),
        outcome=None if outcome == "lost" else outcome,
        hard=None if hard is None else float(hard),
        soft=None if soft is None else float(soft),
        feedback=read_text(feedback),
        error=read_text(error),
        usage=_read_usage(usage),
        stage=stage or "",
        has_trajectory=bool(told),
    )


PROPOSAL_COLUMNS = "outcome, edits, usage, error, stage"


def write_proposal(proposal: Proposal, stage: str) -> tuple[Cell, ...]:
    """The values of PROPOSAL_COLUMNS."""
    edits: object = [edit.to_json() for edit in proposal.edits]
    said = write_json({"edits": edits, "data": proposal.data} if proposal.data else edits, "a proposal")
    outcome = "error" if proposal.error else "answered"
    return (outcome, said, write_usage(proposal.usage), write_text(proposal.error), stage or None)


def read_proposal(row: Row) -> Proposal:
    _, said, usage, error, _ = row
    edits, data = _said(said)
    return Proposal(tuple(Edit.from_json(edit) for edit in edits), _read_usage(usage), read_text(error), data)


def read_proposal_record(row: Row) -> ProposalRecord:
    """A record from teacher, question, trial and PROPOSAL_COLUMNS."""
    key, (_, said, usage, error, stage) = ProposalKey(*row[:3]), row[3:]
    edits, _ = _said(said)
    return ProposalRecord(key, len(edits), read_text(error), _read_usage(usage), stage or "")


def _said(cell: str) -> tuple[list[object], dict[str, object]]:
    """Edits, and what was said beside them: a bare list when there was nothing."""
    found = json.loads(cell)
    return (found, {}) if isinstance(found, list) else (found["edits"], found["data"])


VERSION_COLUMNS = "digest, parent, text, edits, status, files"


def write_version(version: Version) -> tuple[Cell, ...]:
    """The values of VERSION_COLUMNS; the contents of its files are rows of their own."""
    edits = write_json(version.edits, f"the edits of version {version.digest}")
    listed = {path: content_digest(content) for path, content in version.files.items()}
    files = write_json(listed, f"the files of version {version.digest}") if listed else None
    text = write_text(version.text) or ""
    return (version.digest, version.parent, text, edits, version.status, files)


def read_version(row: Row, content_of: Callable[[str], bytes]) -> Version:
    """A version from VERSION_COLUMNS; `content_of` finds a file's content by its digest."""
    digest, parent, text, edits, status, listed = row
    files = {path: content_of(held) for path, held in json.loads(listed).items()} if listed else {}
    return Version(digest, parent, read_text(text), tuple(json.loads(edits)), status, files)


def content_digest(content: bytes) -> str:
    """The name under which a file's content is kept."""
    return sha256(content).hexdigest()


EVALUATION_COLUMNS = "skill, split, purpose, estimate, counted"


def write_evaluation(evaluation: Evaluation) -> tuple[Cell, ...]:
    estimate = write_json(asdict(evaluation.estimate), "an estimate")
    counted = write_json(evaluation.counted, f"the counts of skill {evaluation.skill}")
    return (evaluation.skill, evaluation.split, evaluation.purpose, estimate, counted)


def read_evaluation(row: Row) -> Evaluation:
    skill, split, purpose, estimate, counted = row
    return Evaluation(skill, split, purpose, Estimate(**json.loads(estimate)), json.loads(counted))


EVENT_COLUMNS = "number, kind, data, at"


def write_event(event: Event) -> tuple[Cell, ...]:
    return (event.number, event.kind, write_json(event.data, f"event {event.number}"), event.at)


def read_event(row: Row) -> Event:
    number, kind, data, at = row
    return Event(number, kind, json.loads(data), at)


def intern_keys(rows: Iterable[Row]) -> set[AttemptKey]:
    """Keys that share their strings: a run has many attempts of few skills and tasks."""
    known: dict[str, str] = {}
    share = known.setdefault
    return {
        AttemptKey(share(skill, skill), share(task, task), share(student, student), trial)
        for skill, task, student, trial in rows
    }
