"""A batch run of two epochs as events tell it: accumulation, a skip, a rejection, probes, a slow update."""

from __future__ import annotations

from typing import Any

from sharpen.skills import Edit
from sharpen.store import AttemptKey, Evaluation, Proposal, ProposalKey, Store, Version, VersionStatus
from sharpen.types import Estimate, Rollout, Task, Usage, digest_of

from .samples import event

TRAIN = ("train/1", "train/2", "train-3", "train-4")
SELECTION = ("s1", "s2")
USED = Usage(input_tokens=10, output_tokens=2)
ATIF = {
    "schema_version": "ATIF-v1.8",
    "agent": {"name": "tools", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Be brief."},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Count."}, {"type": "image"}]},
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "tool_calls": [
                {"tool_call_id": "a", "function_name": "shell", "arguments": {"command": "ls"}},
                {"tool_call_id": "b", "function_name": "read", "arguments": {"path": "x"}},
            ],
            "observation": {
                "results": [
                    {"source_call_id": "a", "content": "x\ny"},
                    {"source_call_id": "b", "content": [{"type": "text", "text": "2"}]},
                    {"content": "a note of nobody's"},
                ]
            },
        },
        {"step_id": 4, "source": "agent", "message": "2"},
    ],
}


def attempt(
    store: Store, skill: str, task: str, trial: int, hard: float, *, stage: str, trajectory: Any = None
) -> dict[str, Any]:
    """Record an attempt and return its row, as the loop writes it into events."""
    rollout = Rollout.scored(
        Task(task), hard=hard, feedback="" if hard else "EM=0: wrong", usage=USED, trajectory=trajectory
    )
    store.finish_attempt(AttemptKey(skill, Task(task).digest, "a-student", trial), rollout, stage=stage)
    return {
        "id": task,
        "trial": trial,
        "outcome": rollout.outcome,
        "hard": hard,
        "soft": hard,
        "fail_reason": "" if hard else "EM=0: wrong",
    }


class BatchRun:
    """Writes the run into a store, event by event."""

    def __init__(self, store: Store) -> None:
        self.store, self._number = store, 0
        store.set_config({"loop": "batch", "metric": "hard", "settings": {"seed": 1}})
        store.add_version(Version("d0", None, "# Skill\n", (), "start"))
        self.tell("start", skill="d0")

    def tell(self, kind: str, **data: object) -> None:
        self._number += 1
        self.store.add_event(event(self._number, kind, at=100.0 + 10 * self._number, **data))

    def judge(
        self,
        digest: str,
        parent: str,
        *,
        score: float,
        decision: str,
        of: str = "step",
        step: int | None = None,
    ) -> None:
        """A candidate at the gate."""
        report = {"edit": Edit.append(f"- rule {digest}").to_json(), "status": "applied_append", "reason": ""}
        edits = (report,) if of == "step" else ()
        status: VersionStatus = "accepted" if decision == "better" else "rejected"
        self.store.add_version(Version(digest, parent, f"# Skill\n- rule {digest}\n", edits, status))
        counted: dict[str, list[float]] = {}
        for task, hard in zip(SELECTION, (1.0, 2 * score - 1.0) if score >= 0.5 else (0.0, 0.0), strict=True):
            attempt(self.store, digest, task, 1, hard, stage="gate")
            counted[task] = [hard, 1, 0]
        self.store.add_evaluation(
            Evaluation(digest, "selection", "gate", Estimate(score, 0, 1, 2, 2), counted)
        )
        verdict = {"gate": "strict", "decision": decision, "reason": "because", "pairs": 2}
        self.tell("gate", of=of, step=step, candidate=digest, parent=parent, edits=edits, verdict=verdict)

    def step(
        self, number: int, action: str, *, skill: str, current: str, epoch: int = 1, **data: Any
    ) -> None:
        told = {"step": number, "epoch": epoch, "step_in_epoch": 1 + (number - 1) % 2, "skill": skill}
        self.tell("step", **{**told, "mode": "patch", "action": action, "current": current, **data})

    def batch(
        self, index: int, rows: list[dict[str, Any]], *, fail: int = 0, succ: int = 0
    ) -> dict[str, Any]:
        hard = sum(row["hard"] for row in rows) / len(rows)
        counts = {"n_failure_patches": fail, "n_success_patches": succ}
        scores = {"n_envs": len(rows), "hard": hard, "soft": hard}
        return {"batch_idx": index, "batch_seed": 1000 + index, **scores, **counts, "rows": rows}


def record_batch_run(store: Store) -> None:
    """Step 1 accepted, 2 rejected at 0.0, slow update accepted, 3 skipped, 4 undecided."""
    run = BatchRun(store)
    for number, stage in enumerate(["search", "rank", "rate", "slow update", "meta reflect"], 1):
        proposal = Proposal((), Usage(input_tokens=100 * number, output_tokens=number))
        store.finish_proposal(ProposalKey("teacher", digest_of(stage), 1), proposal, stage=stage)
    _first_epoch(run)
    _second_epoch(run)


def _first_epoch(run: BatchRun) -> None:
    store = run.store
    first = [attempt(store, "d0", "train/1", 1, 0.0, stage="search", trajectory=ATIF)]
    first.append(attempt(store, "d0", "train/2", 1, 1.0, stage="search", trajectory={"log": ["as it came"]}))
    second = [attempt(store, "d0", task, 1, 0.0, stage="search") for task in TRAIN[2:]]
    edits = [{**Edit.append(f"- rule {n}").to_json(), "support_count": n} for n in (3, 1)]
    run.tell(
        "refused", edits=[{"op": "append", "content": "The answer is 42.", "reason": "it quotes train/1"}]
    )
    run.tell("probe", step=1, turn=1, probes=[{"task": "train/1", "question": "why?", "outcome": "failed"}])
    run.judge("d1", "d0", score=1.0, decision="better", step=1)
    run.step(
        1,
        "accept_new_best",
        skill="d0",
        current="d1",
        candidate="d1",
        batches=[run.batch(0, first, fail=1, succ=1), run.batch(1, second, fail=1)],
        patches=[
            {
                "kind": "fail",
                "batch": 0,
                "index": 0,
                "batch_size": 1,
                "failure_summary": [{"failure_type": "wrong", "count": 1, "description": "d"}],
                "patch": {"reasoning": "r", "edits": edits[:1]},
            },
            {"kind": "succ", "batch": 0, "index": 0, "batch_size": 1, "error": "not JSON"},
            {
                "kind": "fail",
                "batch": 1,
                "index": 0,
                "batch_size": 2,
                "revise_suggestions": [{"type": "add_rule", "title": "t"}],
                "appendix_notes": ["a rule was there"],
            },
        ],
        merged={"reasoning": "m", "edits": edits},
        ranked={"reasoning": "k", "edits": edits[:1], "ranking_details": {"selected_indices": [0]}},
        edit_budget=1,
        lr_control_mode="autonomous",
        lr_decision={"learning_rate": 1, "confidence": 0.5},
        appendix_notes=["a rule was there"],
        digest={"step": 1, "action": "accept_new_best", "n_total": 4, "n_fail": 3, "failure_patterns": []},
    )
    rows = [attempt(store, "d1", task, 1, 0.0, stage="search") for task in TRAIN[:2]]
    run.judge("d2", "d1", score=0.0, decision="not better", step=2)
    run.step(
        2,
        "reject",
        skill="d1",
        current="d1",
        candidate="d2",
        mode="full_rewrite_minibatch",
        batches=[run.batch(0, rows, fail=1)],
        merged={"reasoning": "m", "skill_candidates": [{"title": "t", "new_skill": "…"}]},
        ranked={"reasoning": "m", "skill_candidates": [{"title": "t", "new_skill": "…", "support_count": 2}]},
        edit_budget=4,
        lr_control_mode="none",
        rewrite={"title": "t", "change_summary": ["all of it"]},
    )


def _second_epoch(run: BatchRun) -> None:
    store = run.store
    before = [attempt(store, "d0", task, 2, 0.0, stage="slow update") for task in TRAIN[:2]]
    after = [
        attempt(store, "d1", task, 2, hard, stage="slow update")
        for task, hard in zip(TRAIN[:2], (1.0, 0.0), strict=True)
    ]
    run.judge("d3", "d1", score=0.5, decision="better", of="slow_update")
    run.tell(
        "slow_update",
        epoch=2,
        action="accept",
        previous="d0",
        current="d1",
        rows_prev=before,
        rows_curr=after,
        pairs=[
            {"id": "train/1", "category": "improved", "before": {"score": 0}, "after": {"score": 1}},
            {"id": "train/2", "category": "persistent", "before": {"score": 0}, "after": {"score": 0}},
        ],
        shown=["train/1"],
        content="Keep it short.",
        reasoning="it got longer",
        candidate="d3",
    )
    run.tell("meta_skill", epoch=2, content="Small edits work.", reasoning="they did")
    run.tell("meta_reflect", epoch=2, action="skip", edits=[], candidate=None)
    rows = [attempt(store, "d3", task, 1, 1.0, stage="search") for task in TRAIN[:2]]
    run.step(
        3, "skip_no_patches", epoch=2, skill="d3", current="d3", batches=[run.batch(0, rows)], patches=[]
    )
    run.judge("d4", "d3", score=0.5, decision="not enough data", step=4)
    run.step(4, "skip_no_decision", epoch=2, skill="d3", current="d3", candidate="d4", batches=[])


def finish_batch_run(store: Store) -> None:
    """The final pass and the look at the test split; the exported skill is d3."""
    for skill, purpose, split, tasks in (
        ("d3", "final", "selection", SELECTION),
        ("d3", "test", "test", ("x1",)),
        ("d0", "test", "test", ("x1",)),
    ):
        hard = 0.0 if skill == "d0" else 1.0
        for task in tasks:
            attempt(store, skill, task, 2, hard, stage=purpose)
        counted = {task: [hard, 1, 0] for task in tasks}
        estimate = Estimate(hard, 0, 1, len(tasks), len(tasks))
        store.add_evaluation(Evaluation(skill, split, purpose, estimate, counted))
    mean = {"mean": 1.0, "low": 0.3, "high": 1.0, "n": 2, "tasks": 2}
    result = {"skill": "# Skill\n- rule d3\n", "digest": "d3", "selection": mean, "test": mean, "gain": None}
    store.set_result({**result, "rollouts": 30, "reason": "epochs", "accepted": True, "history": []})
