"""`summary.json`: what a run came to, what it measured and what it spent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sharpen.store.course import Course
from sharpen.store.projections.ends import ends_of
from sharpen.store.records import AttemptRecord, Store
from sharpen.store.step_records import epoch_stats, tokens, tokens_by_bucket
from sharpen.store.steps import by_skill, counted, task_mean
from sharpen.types import Json

SCORES = {
    "selection_eval_baseline": "baseline_selection",
    "final_selection_eval": "final_selection",
    "test_eval_baseline": "baseline_test",
    "test_eval": "test",
    "test_eval_final": "final_test",
}
"""The name in SkillOpt's summary of what each folder of an evaluation holds; `_hard` and `_soft` follow."""


def summary_of(store: Store, attempts: Sequence[AttemptRecord], history: Sequence[Json]) -> dict[str, Any]:
    result = store.result() or {}
    actions = [str(record["action"]) for record in history]
    return {
        "finished": bool(result),
        "reason": result.get("reason"),
        "best_digest": result.get("digest"),
        "selection": result.get("selection"),
        "test": result.get("test"),
        "gain": result.get("gain"),
        "total_steps": len(history),
        "total_accepts": sum("accept" in action for action in actions),
        "total_rejects": actions.count("reject"),
        "total_skips": sum(action.startswith("skip") for action in actions),
        "rollouts": result.get("rollouts", sum(one.outcome is not None for one in attempts)),
        "lost": store.lost(),
        "seconds": round(store.seconds(), 3),
        "token_summary": _token_summary(attempts),
        "evaluations": [
            {"skill": one.skill, "split": one.split, "purpose": one.purpose, **asdict(one.estimate)}
            for one in store.evaluations()
        ],
    }


def batch_summary(
    store: Store, attempts: Sequence[AttemptRecord], *, course: Course, history: Sequence[Json]
) -> dict[str, Any]:
    """The same with SkillOpt's scores, epochs and buckets of tokens."""
    proposals, standing = store.proposals(), course.standing
    made = [one for one in attempts if one.outcome is not None]
    scores = _scores(store, made, final=standing.current)
    return summary_of(store, attempts, history) | {
        "config": store.config(),
        **scores,
        "best_selection_hard": course.scores.get(standing.best),
        "test_delta_hard": _difference(scores.get("test_hard"), scores.get("baseline_test_hard")),
        "final_test_delta_hard": _difference(scores.get("final_test_hard"), scores.get("baseline_test_hard")),
        "best_step": standing.best_step,
        "current_origin": standing.current_origin,
        "best_origin": standing.best_origin,
        "epoch_stats": epoch_stats(history),
        "refused_edits": len(course.refused),
        "total_wall_time_s": round(store.seconds(), 1),
        "token_summary": tokens_by_bucket(made, proposals),
        "token_summary_by_role": {
            "student": tokens(one.usage for one in made),
            "teacher": tokens(one.usage for one in proposals),
        },
    }


def _scores(store: Store, attempts: Sequence[AttemptRecord], *, final: str) -> dict[str, float | None]:
    """Hard and soft of every evaluation; null for one that was not made."""
    tried = by_skill(attempts)
    found: dict[str, float | None] = {
        f"{name}_{score}": None for name in SCORES.values() for score in ("hard", "soft")
    }
    for folder, evaluation in ends_of(store, final=final):
        own = counted(evaluation, tried[evaluation.skill])
        for score in ("hard", "soft"):
            found[f"{SCORES[folder]}_{score}"] = task_mean(own, score)
    return found


def _difference(new: float | None, old: float | None) -> float | None:
    return None if new is None or old is None else new - old


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
