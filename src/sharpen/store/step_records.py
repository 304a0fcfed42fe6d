"""A step of the batch loop as SkillOpt's record of it, the one in `history.json` and `step_record.json`.

Knows SkillOpt's field names; knows no file. What is not known here is left out: SkillOpt's seconds per phase,
and whose tokens the teacher spent in which step, because answers are kept by what was asked and not by when.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from sharpen.store.course import Course, CourseStep, Offer
from sharpen.store.records import AttemptRecord, ProposalRecord
from sharpen.store.steps import apply_summary, task_mean
from sharpen.types import Json, Usage

PAYLOADS = ("edits", "revise_suggestions", "skill_candidates")
"""The key under which a patch holds what it proposes, by update mode."""
BUCKETS = {
    "search": "analyst",
    "rank": "ranking",
    "rate": "lr_autonomous",
    "slow update": "slow_update",
    "meta skill": "meta_skill",
    "": "not_noted",
}
"""SkillOpt's names for what the teacher was asked; one that is not here has the same name there."""


def payload(patch: Json | None) -> list[Json]:
    """What a patch proposes: edits, suggestions or whole skills."""
    held = patch or {}
    found: list[Json] = next((held[key] for key in PAYLOADS if held.get(key)), [])
    return found


def step_record(
    course: Course, step: CourseStep, rollouts: Sequence[AttemptRecord], metric: str
) -> dict[str, Any]:
    """SkillOpt's fields, then ours. A step that offered nothing has fewer of them, as SkillOpt's skips."""
    return {
        **_rolled_out(step.data, rollouts),
        **_reflected(step.data),
        **_offered(step.data, step.offer, metric),
        "action": step.data.get("action"),
        **_standing(course, step),
        "tokens": {"rollout": tokens([one.usage for one in (*rollouts, *step.offer.attempts)])},
        "wall_time_s": step.wall_time,
        "mode": step.data.get("mode"),
        "parent_hash": step.data.get("skill"),
        "verdict": dict(step.offer.verdict),
        "rollouts": step.data.get("rollouts"),
    }


def tokens(usages: Iterable[Usage | None]) -> dict[str, int]:
    """What calls came to, in SkillOpt's terms; a call that reported nothing counts as a call."""
    used = list(usages)
    known = [usage for usage in used if usage is not None]
    prompt, completion = sum(u.input_tokens for u in known), sum(u.output_tokens for u in known)
    return {
        "calls": sum(usage.calls if usage else 1 for usage in used),
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def tokens_by_bucket(
    attempts: Iterable[AttemptRecord], proposals: Iterable[ProposalRecord]
) -> dict[str, dict[str, int]]:
    """SkillOpt's `token_summary`: every bucket, and `_total`."""
    grouped: dict[str, list[Usage | None]] = {"rollout": [one.usage for one in attempts]}
    for proposal in proposals:
        bucket = BUCKETS.get(proposal.stage, proposal.stage.replace(" ", "_"))
        grouped.setdefault(bucket, []).append(proposal.usage)
    summary = {bucket: tokens(grouped[bucket]) for bucket in sorted(grouped)}
    return {**summary, "_total": tokens(usage for usages in grouped.values() for usage in usages)}


def _rolled_out(data: Json, rollouts: Sequence[AttemptRecord]) -> dict[str, Any]:
    batches = data.get("batches") or ()
    said = {"rollout_hard": _mean(batches, "hard"), "rollout_soft": _mean(batches, "soft")}
    return {
        "step": data.get("step"),
        "epoch": data.get("epoch"),
        "step_in_epoch": data.get("step_in_epoch"),
        **said,
        "rollout_n": sum(int(batch.get("n_envs") or 0) for batch in batches),
        "rollout_errors": sum(one.outcome == "error" for one in rollouts),
        "accumulation_batches": [
            {key: value for key, value in batch.items() if key != "rows"} for batch in batches
        ],
    }


def _mean(batches: Sequence[Json], score: str) -> float | None:
    """The mean over the batches, each weighted by its attempts."""
    known = [(float(b[score]), int(b.get("n_envs") or 0)) for b in batches if b.get(score) is not None]
    total = sum(n for _, n in known)
    return sum(value * n for value, n in known) / total if total else None


def _reflected(data: Json) -> dict[str, Any]:
    batches = data.get("batches") or ()
    failures, successes = (
        sum(int(batch.get(key) or 0) for batch in batches)
        for key in ("n_failure_patches", "n_success_patches")
    )
    notes = data.get("appendix_notes") or ()
    return {
        "n_patches": failures + successes,
        "n_failure_patches": failures,
        "n_success_patches": successes,
        "n_dropped_answers": sum(bool(patch.get("error")) for patch in data.get("patches") or ()),
        **({"n_execution_lapse_notes": len(notes)} if notes else {}),
    }


def _offered(data: Json, offer: Offer, metric: str) -> dict[str, Any]:
    if data.get("merged") is None and not data.get("candidate"):
        return {}
    ranked = payload(data.get("ranked"))
    record = {
        "n_edits_merged": len(payload(data.get("merged"))),
        "n_edits_ranked": len(ranked),
        "edit_budget": data.get("edit_budget"),
        "lr_control_mode": data.get("lr_control_mode"),
        **({"lr_decision": data["lr_decision"]} if data.get("lr_decision") else {}),
        "support_counts": [item.get("support_count") for item in ranked],
    }
    if not data.get("candidate"):
        return record
    rewrite = data.get("rewrite") or {}
    edits = offer.version.edits if offer.version else ()
    return record | {
        "candidate_hash": data["candidate"],
        "candidate_skill_len": len(offer.version.text) if offer.version else None,
        **({"rewrite_change_summary": rewrite.get("change_summary", [])} if rewrite else {}),
        "edit_apply_summary": apply_summary(edits),
        "selection_hard": task_mean(offer.attempts, "hard"),
        "selection_soft": task_mean(offer.attempts, "soft"),
        "gate_metric": metric,
        "candidate_gate_score": offer.evaluation.estimate.mean if offer.evaluation else None,
    }


def _standing(course: Course, step: CourseStep) -> dict[str, Any]:
    after = step.after
    held = course.text(after.current)
    return {
        "current_score": course.scores.get(after.current),
        "best_score": course.scores.get(after.best),
        "best_step": after.best_step,
        "current_origin": after.current_origin,
        "best_origin": after.best_origin,
        "skill_len": None if held is None else len(held),
    }


def epoch_stats(records: Sequence[Json]) -> list[dict[str, Any]]:
    """What each epoch came to, from the records of its steps."""
    return [
        {
            "epoch": epoch,
            "steps": [record["step"] for record in own],
            "accepts": sum("accept" in str(record["action"]) for record in own),
            "rejects": sum(record["action"] == "reject" for record in own),
            "skips": sum(str(record["action"]).startswith("skip") for record in own),
            "rollout_hard": _known_mean(record["rollout_hard"] for record in own),
            "best_score_at_epoch_end": own[-1]["best_score"],
            "current_score_at_epoch_end": own[-1]["current_score"],
        }
        for epoch in dict.fromkeys(record["epoch"] for record in records)
        for own in [[record for record in records if record["epoch"] == epoch]]
    ]


def _known_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
