"""Small runs and records that the store's tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sharpen.skills import Edit
from sharpen.store import AttemptKey, Evaluation, Event, ProposalKey, Store, Version, VersionStatus
from sharpen.types import Estimate, Rollout, Task, Usage, digest_of

TASK = Task("t1", "add two numbers", {"a": 1, "b": 2})
USAGE = Usage(input_tokens=120, output_tokens=8, calls=2, usd=0.0025)
WRITER = Path(__file__).with_name("writer_process.py")


def key(trial: int = 1, *, skill: str = "skill-a", task: Task = TASK) -> AttemptKey:
    return AttemptKey(skill, task.digest, "a-student", trial)


def question(trial: int = 1) -> ProposalKey:
    return ProposalKey("a-teacher", digest_of("question"), trial)


def solved(task: Task = TASK) -> Rollout:
    return Rollout.scored(
        task, hard=1, soft=0.75, feedback="right", usage=USAGE, trajectory={"steps": [1, "ü"]}
    )


def event(number: int, kind: str = "adopt", *, at: float = 0.0, **data: object) -> Event:
    return Event(number, kind, {"kind": kind, **data}, at)


def child(*arguments: str | Path, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """The writer of `writer_process.py` in a process of its own."""
    return subprocess.Popen(
        [*before, sys.executable, str(WRITER), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def record_small_run(store: Store) -> None:
    """Start, one accepted candidate, one rejected, one undecided; selection tasks s1 and s2."""
    store.set_config({"settings": {"seed": 1}})
    store.add_version(Version("d0", None, "# Skill\n", (), "start"))
    store.add_event(event(1, "start", at=100.0, skill="d0"))
    _offer(store, step=1, digest="d1", parent="d0", decision="better", score=0.75)
    _offer(store, step=2, digest="d2", parent="d1", decision="not better", score=0.25)
    _offer(store, step=3, digest="d3", parent="d1", decision="not enough data", score=0.5)


def finish_small_run(store: Store) -> None:
    estimate = {"mean": 0.75, "low": 0.4, "high": 0.95, "n": 4, "tasks": 2}
    store.add_event(event(8, "stop", at=190.0, reason="budget"))
    store.set_result(
        {
            "skill": "# Skill\n- rule d1\n",
            "digest": "d1",
            "selection": estimate,
            "test": None,
            "gain": None,
            "rollouts": 12,
            "reason": "the budget is spent",
            "history": [],
        }
    )


def _offer(store: Store, *, step: int, digest: str, parent: str, decision: str, score: float) -> None:
    report = {
        "edit": Edit.append(f"- rule {digest}").to_json(),
        "status": "applied_append",
        "reason": "",
        "witness": None,
    }
    text = f"# Skill\n- rule {digest}\n"
    counted = {name: [2 * score, 2, 0] for name in ("s1", "s2")}
    store.add_version(Version(digest, parent, text, (report,), "candidate"))
    for name in counted:
        for trial in (1, 2):
            attempt = Rollout.scored(
                Task(name), hard=0, soft=score, feedback=f"{name} went so-so", usage=USAGE
            )
            store.finish_attempt(key(trial, skill=digest, task=Task(name)), attempt)
    store.add_evaluation(Evaluation(digest, "selection", "gate", Estimate(score, 0.0, 1.0, 4, 2), counted))
    verdict = {"gate": "race", "decision": decision, "reason": "because", "pairs": 4, "difference": None}
    gate = event(
        2 * step + 1,
        "gate",
        at=100.0 + 20 * step,
        step=step,
        candidate=digest,
        parent=parent,
        edits=[report],
        verdict=verdict,
        rollouts=4 * step,
    )
    store.add_event(gate)
    status: VersionStatus = "accepted" if decision == "better" else "rejected"
    store.add_version(Version(digest, parent, text, (report,), status))
