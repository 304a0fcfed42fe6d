"""Attempts as run folders and teachers are told of them: plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharpen.types import Rollout


def row_of(rollout: Rollout, trial: int) -> dict[str, Any]:
    """SkillOpt's row of results."""
    score = rollout.score
    return {
        "id": rollout.task.id,
        "trial": trial,
        "outcome": rollout.outcome,
        "hard": score.hard if score else None,
        "soft": score.soft if score else None,
        "fail_reason": score.feedback if score else rollout.error,
    }


def outcome_of(rollout: Rollout) -> dict[str, Any]:
    """How an attempt went and what the student said."""
    score = rollout.score
    return {
        "outcome": rollout.outcome,
        "score": score.hard if score else None,
        "feedback": score.feedback if score else rollout.error,
        "answer": answer_of(rollout),
    }


def answer_of(rollout: Rollout) -> str:
    """The last thing the student said, where its trajectory shows it."""
    steps = (rollout.trajectory or {}).get("steps")
    for step in reversed(steps if isinstance(steps, list) else []):
        if (
            isinstance(step, Mapping)
            and step.get("source") == "agent"
            and isinstance(step.get("message"), str)
        ):
            return str(step["message"])
    return ""
