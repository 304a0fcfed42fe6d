"""What the search knows at a moment: two skills, the noise, a record per train task, and what was tried.

Lanes read and write it in lane order only. It holds no file and makes no call.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from sharpen.skills import Skill
from sharpen.train.beliefs import Beliefs
from sharpen.train.draft import Draft
from sharpen.train.noise import NoiseMeter
from sharpen.train.settings import TrainSettings
from sharpen.types import Rollout, Task

EditKeys = frozenset[object]


@dataclass
class State:
    """The search's memory. `incumbent` is what would be exported; only a gate changes it."""

    train: Sequence[Task]
    incumbent: Skill
    settings: TrainSettings
    draft: Draft = field(init=False)
    meter: NoiseMeter = field(init=False)
    beliefs: Beliefs = field(init=False)
    tried: set[tuple[str, int, EditKeys]] = field(default_factory=set)
    """(draft, task, edits): sets of edits that a lane has already checked."""
    refused: dict[int, list[str]] = field(default_factory=dict)
    """Per task, the edits that did not help there: what the teacher is told."""
    checking: dict[EditKeys, int] = field(default_factory=dict)
    """Edits being checked right now, and the task they are checked on."""
    waiting: dict[int, EditKeys] = field(default_factory=dict)
    """Tasks whose proposed edits are being checked by another lane."""
    failing: dict[int, tuple[str, Rollout]] = field(default_factory=dict)
    """Per task, the last attempt that fell short, and the skill it was made with."""
    fruitless: int = 0
    """Lanes that found nothing since a line last proved itself."""
    removals: int = 0
    """Lines taken out so far."""

    def __post_init__(self) -> None:
        self.draft = Draft(self.incumbent)
        self.meter = NoiseMeter(len(self.train))
        self.beliefs = Beliefs(len(self.train), self.meter, self.stream("order"))

    def stream(self, purpose: str, counter: int = 0) -> random.Random:
        """A named random stream: what it yields depends on seed, purpose and counter only."""
        return random.Random(f"{self.settings.seed}|{purpose}|{counter}")

    def value(self, rollout: Rollout) -> float | None:
        if rollout.score is None:
            return None
        return rollout.score.value(self.settings.metric, self.settings.mixed_weight)

    def note(self, skill: Skill, task: int, rollout: Rollout, *, lineage: bool = False) -> float | None:
        """Take in one attempt; `lineage` says it was the draft's own, so the task's record follows it."""
        value = self.value(rollout)
        if value is None:
            return None
        self.meter.observe(skill.digest, task, value)
        if lineage:
            self.beliefs.observe(task, value)
        if value < 1:
            self.failing[task] = skill.digest, rollout
        return value
