"""What later reflections are told: the steps of this epoch, edits the gate refused, notes from epochs before.

Built from what the loop saw, in order, so that a resumed run remembers the same. Rendered as one text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sharpen.types import Rollout

SHOWN_STEPS = 6
"""Steps of the epoch that are told; earlier ones fade."""
SHOWN_TASKS = 4
SHOWN_EDITS = 8


def step_digest(step: int, rollouts: Sequence[Rollout]) -> dict[str, Any]:
    """SkillOpt's digest of a step before its gate: how many failed, and in which ways."""
    failed = [rollout for rollout in rollouts if rollout.outcome == "failed"]
    ways: defaultdict[str, list[str]] = defaultdict(list)
    for rollout in failed:
        said = rollout.score.feedback if rollout.score else ""
        ways[" ".join(said.partition(":")[0].split())[:120] or "failed"].append(rollout.task.id)
    patterns = sorted(ways.items(), key=lambda way: (-len(way[1]), way[0]))
    return {
        "step": step,
        "n_total": len(rollouts),
        "n_fail": len(failed),
        "failure_patterns": [
            {"pattern": pattern, "count": len(ids), "task_ids": ids} for pattern, ids in patterns
        ],
    }


@dataclass
class Memory:
    """The epoch's diary and what outlives it."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    meta_skill: str = ""

    def new_epoch(self) -> None:
        """Steps are forgotten; the notes stay."""
        self.steps.clear()

    def add(self, digest: dict[str, Any]) -> None:
        self.steps.append(digest)

    def text(self, findings: str = "") -> str:
        """Everything, as the teacher reads it; empty when there is nothing."""
        parts = [_step_text(digest) for digest in self.steps[-SHOWN_STEPS:]]
        if parts:
            parts.insert(0, "## Earlier steps of this epoch")
        if self.meta_skill:
            parts.append(f"## Notes from earlier epochs\n\n{self.meta_skill}")
        if findings:
            parts.append(f"## What probes found\n\n{findings}")
        return "\n\n".join(parts)


def _step_text(digest: dict[str, Any]) -> str:
    head = f"### Step {digest['step']}: {digest.get('action', 'open')}"
    head += f" ({digest['n_fail']} of {digest['n_total']} failed)"
    change = digest.get("score_change")
    if change is not None:
        head += f", selection score {change:+.3f}"
    lines = [head]
    for pattern in digest["failure_patterns"]:
        some = ", ".join(pattern["task_ids"][:SHOWN_TASKS])
        lines.append(f"- {pattern['pattern']} ({pattern['count']}): {some}")
    refused = digest.get("rejected_edits", [])[:SHOWN_EDITS]
    lines += [f"- refused: {edit['op']} {edit.get('content') or edit.get('target')}" for edit in refused]
    return "\n".join(lines)
