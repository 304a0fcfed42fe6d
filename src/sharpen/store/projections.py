"""The readable files beside the database, in SkillOpt's layout.

    config.json  history.json  runtime_state.json  summary.json  events.jsonl  best_skill.md
    skills/skill_vNNNN.md           v0000 is the starting skill, then every accepted one
    steps/step_NNNN/                one per gate decision: candidate, edits, record, selection_eval/

Nothing reads them back: they can be deleted, truncated or edited without harm, and rebuilt from the store.
Paths in them are relative, so a moved folder stays right. Apart from times they depend on the run alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sharpen.store.failures import DiskErrors
from sharpen.store.records import AttemptRecord, Store, Version
from sharpen.store.sqlite import SqliteStore
from sharpen.store.steps import GateStep, apply_report, gate_steps, history_record, origin, task_mean

Files = Iterator[tuple[str, bytes]]  # path inside the run folder, content


def write_projections(store: Store, run_dir: Path) -> list[Path]:
    """Write every file in one piece and return their paths; one that is right already is left alone."""
    written = []
    for name, content in _files(store):
        path = run_dir / name
        with DiskErrors(path):
            _write_atomically(path, content)
        written.append(path)
    return written


def rebuild(run_dir: Path) -> list[Path]:
    """Write the files again from the folder's database, also beside a live run."""
    with closing(SqliteStore.read(run_dir)) as store:
        return write_projections(store, run_dir)


def _files(store: Store) -> Files:
    attempts = store.attempts()
    steps = gate_steps(store, attempts)
    chain = _accepted_chain(store, steps)
    yield "config.json", _json(store.config())
    yield "history.json", _json([history_record(step) for step in steps])
    yield "runtime_state.json", _json(_runtime_state(steps, chain))
    yield "summary.json", _json(_summary(store, steps, attempts))
    yield "events.jsonl", _json_lines(asdict(event) for event in store.events())
    if best := _best_text(store, chain):
        yield "best_skill.md", _markdown(best)
    for number, version in enumerate(chain):
        yield _skill_path(number), _markdown(version.text)
    for step in steps:
        yield from _step_files(step)


def _step_files(step: GateStep) -> Files:
    folder = f"steps/step_{step.number:04d}"
    if step.candidate:
        yield f"{folder}/candidate_skill.md", _markdown(step.candidate.text)
        if step.candidate.edits:
            yield f"{folder}/edit_apply_report.json", _json(apply_report(step.candidate))
    yield f"{folder}/step_record.json", _json(history_record(step))
    yield f"{folder}/selection_eval/results.jsonl", _json_lines(_result_row(one) for one in step.attempts)
    yield f"{folder}/selection_eval/summary.json", _json(_selection_summary(step))


def _accepted_chain(store: Store, steps: Sequence[GateStep]) -> list[Version]:
    start = [version for version in store.versions() if version.status == "start"][:1]
    return start + [step.candidate for step in steps if step.accepted and step.candidate]


def _best_text(store: Store, chain: Sequence[Version]) -> str:
    """The result's skill once there is one; until then the last accepted."""
    result = store.result() or {}
    return str(result.get("skill") or (chain[-1].text if chain else ""))


def _runtime_state(steps: Sequence[GateStep], chain: Sequence[Version]) -> dict[str, Any]:
    best_step = steps[-1].best_step if steps else 0
    best_score = steps[-1].best_score if steps else None
    return {
        "last_completed_step": steps[-1].number if steps else 0,
        "current_skill_path": _skill_path(len(chain) - 1) if chain else None,
        "current_score": best_score,
        "current_origin": origin(best_step),
        "best_skill_path": "best_skill.md" if chain else None,
        "best_score": best_score,
        "best_step": best_step,
        "best_origin": origin(best_step),
    }


def _summary(store: Store, steps: Sequence[GateStep], attempts: Sequence[AttemptRecord]) -> dict[str, Any]:
    result = store.result() or {}
    actions = [step.action for step in steps]
    return {
        "finished": bool(result),
        "reason": result.get("reason"),
        "best_digest": result.get("digest"),
        "selection": result.get("selection"),
        "test": result.get("test"),
        "gain": result.get("gain"),
        "total_steps": len(steps),
        "total_accepts": actions.count("accept_new_best"),
        "total_rejects": actions.count("reject"),
        "total_skips": actions.count("skip_no_decision"),
        "rollouts": result.get("rollouts", sum(one.outcome is not None for one in attempts)),
        "lost": store.lost(),
        "seconds": round(store.seconds(), 3),
        "token_summary": _token_summary(attempts),
        "evaluations": [
            {"skill": one.skill, "split": one.split, "purpose": one.purpose, **asdict(one.estimate)}
            for one in store.evaluations()
        ],
    }


def _token_summary(attempts: Iterable[AttemptRecord]) -> dict[str, float | None]:
    """What the attempts used. The price is null as soon as one of them is not known."""
    used = [one.usage for one in attempts if one.usage]
    prices = [usage.usd for usage in used if usage.usd is not None]
    return {
        "calls": sum(usage.calls for usage in used),
        "prompt_tokens": sum(usage.input_tokens for usage in used),
        "completion_tokens": sum(usage.output_tokens for usage in used),
        "usd": sum(prices) if len(prices) == len(used) and used else None,
    }


def _selection_summary(step: GateStep) -> dict[str, Any]:
    return {
        "skill": step.data.get("candidate"),
        "hard": task_mean(step.attempts, "hard"),
        "soft": task_mean(step.attempts, "soft"),
        "estimate": asdict(step.evaluation.estimate) if step.evaluation else None,
        "tasks": dict(step.evaluation.counted) if step.evaluation else {},
    }


def _result_row(attempt: AttemptRecord) -> dict[str, Any]:
    return {
        "id": attempt.task_id,
        "trial": attempt.key.trial,
        "outcome": attempt.outcome,
        "hard": attempt.hard,
        "soft": attempt.soft,
        "fail_reason": attempt.error or attempt.feedback,
        "agent_ok": attempt.outcome != "error",
    }


def _skill_path(number: int) -> str:
    return f"skills/skill_v{number:04d}.md"


def _json(value: object) -> bytes:
    # A lone surrogate has no UTF-8 form; `backslashreplace` writes the escape that JSON uses for it.
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _json_lines(values: Iterable[object]) -> bytes:
    lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    return "".join(lines).encode("utf-8", "backslashreplace")


def _markdown(text: str) -> bytes:
    """The very bytes that were evaluated: no newline is added or translated."""
    return text.encode("utf-8", "surrogatepass")


def _write_atomically(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
