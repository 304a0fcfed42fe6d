"""What a loop works with: who runs, who judges, what may be spent, and where it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sharpen.evaluate import Gate, Runner, evaluation_of
from sharpen.skills import Skill, apply_edits
from sharpen.store import Version, VersionStatus
from sharpen.train.draft import Change
from sharpen.train.journal import Journal
from sharpen.train.plan import Plan
from sharpen.train.settings import TrainSettings
from sharpen.types import Task, Verdict


@dataclass(frozen=True)
class Means:
    """Shared by both loops. `judge` is the only way in which either can have a skill accepted."""

    runner: Runner
    gate: Gate
    plan: Plan
    settings: TrainSettings
    journal: Journal
    train: Sequence[Task]

    async def judge(self, candidate: Skill, incumbent: Skill, *, changes: Sequence[Change]) -> Verdict:
        """Put a candidate to the gate; it becomes a version, its scores and the verdict are kept."""
        with self.runner.stage("gate"):
            verdict = await self.gate.decide(candidate, incumbent, reserve=self.plan.ending)
        status: VersionStatus = "accepted" if verdict.accepted else "rejected"
        reports = apply_edits(incumbent, [change.edit for change in changes]).reports
        edits = [{**e, "status": r.status} for e, r in zip(self.told(changes), reports, strict=True)]
        store = self.journal.store
        store.add_version(Version(candidate.digest, incumbent.digest, candidate.text, tuple(edits), status))
        for skill in (incumbent, candidate):
            seen = self.gate.measured.get(skill.digest)
            evaluation = seen and evaluation_of(seen, skill, split="selection", purpose="gate")
            if evaluation:
                store.add_evaluation(evaluation)
        self.journal.record(
            "gate",
            step=1 + self.journal.count("gate"),
            candidate=candidate.digest,
            parent=incumbent.digest,
            edits=edits,
            verdict=asdict(verdict),
        )
        return verdict

    def told(self, changes: Sequence[Change]) -> list[dict[str, Any]]:
        """Changes as history shows them, each with the id of the task that spoke for it."""
        return [
            {**c.edit.to_json(), "witness": None if c.witness is None else self.train[c.witness].id}
            for c in changes
        ]
