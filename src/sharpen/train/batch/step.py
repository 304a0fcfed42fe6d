"""One step of the batch loop as it goes: what came in, what was chosen, how it ended, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sharpen.skills import Skill
from sharpen.store.steps import ACTIONS
from sharpen.train.batch.items import Kind
from sharpen.train.batch.memory import step_digest
from sharpen.train.batch.merging import Pool
from sharpen.train.batch.reflecting import Patch, Reflected
from sharpen.train.batch.schedule import Batch
from sharpen.train.batch.updating import Update
from sharpen.types import Rollout, Verdict


@dataclass
class Step:
    """Filled in from top to bottom."""

    number: int
    epoch: int
    in_epoch: int
    start: Skill
    batches: Sequence[Batch]
    kind: Kind
    reflected: list[Reflected] = field(default_factory=list)
    merged: Pool = field(default_factory=lambda: Pool(()))
    limit: int = 0
    decision: dict[str, Any] | None = None
    chosen: Pool = field(default_factory=lambda: Pool(()))
    notes: list[str] = field(default_factory=list)
    update: Update = field(default_factory=lambda: Update(None))
    verdict: Verdict | None = None

    @property
    def rollouts(self) -> list[Rollout]:
        return [rollout for one in self.reflected for rollout in one.rollouts]

    @property
    def patches(self) -> list[Patch]:
        return [patch for one in self.reflected for patch in one.patches]

    @property
    def complete(self) -> bool:
        """Did the budget reach for all attempts and reflections?"""
        return all(one.complete for one in self.reflected)

    @property
    def current(self) -> Skill:
        """The skill after the step."""
        accepted = self.verdict is not None and self.verdict.accepted
        return self.update.skill if accepted and self.update.skill is not None else self.start

    @property
    def action(self) -> str:
        """SkillOpt's word for how the step ended."""
        if self.verdict is None:
            return "skip_no_rewrite" if self.merged.items and self.kind != "edits" else "skip_no_patches"
        forced = self.verdict.accepted and self.verdict.gate == "none"
        return "force_accept" if forced else ACTIONS[self.verdict.decision]

    def digest(self) -> dict[str, Any]:
        """What later steps remember of it."""
        told = step_digest(self.number, self.rollouts) | {"action": self.action}
        if self.verdict is not None:
            change = self.verdict.difference
            told["score_change"] = change.mean if change else None
            if not self.verdict.accepted:
                told["rejected_edits"] = [dict(item) for item in self.chosen.items if "op" in item]
        return told

    def as_json(self) -> dict[str, Any]:
        """The step as its run folder keeps it."""
        any_items = bool(self.merged.items)
        return {
            "step": self.number,
            "epoch": self.epoch,
            "step_in_epoch": self.in_epoch,
            "skill": self.start.digest,
            "action": self.action,
            "batches": [
                _batch(i, batch, one)
                for i, (batch, one) in enumerate(zip(self.batches, self.reflected, strict=True))
            ],
            "patches": [
                patch.as_json(self.kind, i) for i, one in enumerate(self.reflected) for patch in one.patches
            ],
            "merged": self.merged.as_json(self.kind) if any_items else None,
            "ranked": self.chosen.as_json(self.kind) if any_items else None,
            "edit_budget": self.limit,
            "lr_decision": self.decision,
            "rewrite": self.update.record or None,
            "appendix_notes": self.notes,
            "digest": self.digest(),
            "candidate": self.update.skill.digest if self.update.skill else None,
            "current": self.current.digest,
        }


def _batch(index: int, batch: Batch, reflected: Reflected) -> dict[str, Any]:
    sides = [patch.side for patch in reflected.patches]
    return {
        "batch_idx": index,
        "batch_seed": batch.seed,
        "n_envs": len(batch.tasks),
        "hard": reflected.mean("hard"),
        "soft": reflected.mean("soft"),
        "n_failure_patches": sides.count("fail"),
        "n_success_patches": sides.count("succ"),
        "rows": reflected.rows,
    }
