"""What a loop works with: who runs, who judges, what may be spent, and where it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sharpen.evaluate import Gate, Leaks, Runner, evaluation_of
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
    quoted: Leaks | None = None
    """Finds right answers in texts; None where the teacher quotes them on purpose."""

    async def judge(
        self,
        candidate: Skill,
        incumbent: Skill,
        *,
        changes: Sequence[Change],
        of: str = "step",
        step: int | None = None,
    ) -> Verdict:
        """Put a candidate to the gate; it becomes a version, its scores and the verdict are kept.

        `of` says what the candidate came from, `step` its number where the loop counts steps itself.
        """
        with self.runner.stage("gate"):
            verdict = await self.gate.decide(candidate, incumbent, reserve=self.plan.ending)
        status: VersionStatus = "accepted" if verdict.accepted else "rejected"
        first = self.settings.loop == "batch" and self.settings.batch.first_match
        reports = apply_edits(incumbent, [change.edit for change in changes], first_occurrence=first).reports
        edits = [{**e, "status": r.status} for e, r in zip(self.told(changes), reports, strict=True)]
        store = self.journal.store
        store.add_version(
            Version(candidate.digest, incumbent.digest, candidate.text, tuple(edits), status, candidate.files)
        )
        for skill in (incumbent, candidate):
            seen = self.gate.measured.get(skill.digest)
            evaluation = seen and evaluation_of(seen, skill, split="selection", purpose="gate")
            if evaluation:
                store.add_evaluation(evaluation)
        self.journal.record(
            "gate",
            step=step or 1 + self.journal.count("gate"),
            of=of,
            candidate=candidate.digest,
            parent=incumbent.digest,
            edits=edits,
            verdict=asdict(verdict),
        )
        return verdict

    def leaks(self, text: str, skill: Skill) -> bool:
        """Does a text that is no edit, such as a rewritten skill, quote a right answer of a train task?

        If so it is written down; whoever asked drops the text. Single edits are checked where they come in.
        """
        if self.quoted is None:
            return False
        task = self.quoted.in_text(text, skill)
        if task is None:
            return False
        told = {"op": "rewrite", "target": "", "content": text, "reason": Leaks.reason(task)}
        self.journal.record("refused", edits=[told])
        return True

    def admit(self, candidate: Skill, incumbent: Skill) -> None:
        """Keep a candidate as accepted without a gate, where the settings ask for that."""
        self.journal.store.add_version(
            Version(
                candidate.digest, incumbent.digest, candidate.text, status="accepted", files=candidate.files
            )
        )

    def told(self, changes: Sequence[Change]) -> list[dict[str, Any]]:
        """Changes as history shows them, each with the id of the task that spoke for it."""
        return [
            {**c.edit.to_json(), "witness": None if c.witness is None else self.train[c.witness].id}
            for c in changes
        ]
