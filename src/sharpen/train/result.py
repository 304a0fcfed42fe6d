"""What a training run returns, and how it is kept so that a finished run never has to be run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sharpen.skills import Skill
from sharpen.types import Estimate


@dataclass(frozen=True)
class TrainResult:
    """The best accepted skill and the measurements that speak for it."""

    skill: Skill
    """The best accepted skill; the starting one when nothing was accepted."""
    selection: Estimate
    """Fresh attempts on the selection split, made after the last decision."""
    test: Estimate | None
    """The one look at the test split; None when there is none."""
    gain: Estimate | None
    """Final minus starting skill on the test split, paired."""
    rollouts: int
    """Recorded attempts, errors included."""
    history: list[dict[str, Any]] = field(repr=False)
    """One record per decision, without clock values."""
    reason: str
    """Why the run ended."""
    accepted: bool
    """Whether any candidate got through the gate."""
    spent: Mapping[str, float]
    """Rollouts, calls, tokens and money."""

    def as_json(self) -> dict[str, Any]:
        return {
            "skill": self.skill.text,
            "digest": self.skill.digest,
            "selection": asdict(self.selection),
            "test": asdict(self.test) if self.test else None,
            "gain": asdict(self.gain) if self.gain else None,
            "rollouts": self.rollouts,
            "history": self.history,
            "reason": self.reason,
            "accepted": self.accepted,
            "spent": dict(self.spent),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], skill: Skill) -> TrainResult:
        """Read back; `skill` is the one whose digest the result names."""

        def estimate(name: str) -> Estimate | None:
            return Estimate(**data[name]) if data.get(name) else None

        selection = estimate("selection")
        assert selection is not None
        return cls(
            skill=skill,
            selection=selection,
            test=estimate("test"),
            gain=estimate("gain"),
            rollouts=data["rollouts"],
            history=data["history"],
            reason=data["reason"],
            accepted=data["accepted"],
            spent=data["spent"],
        )
