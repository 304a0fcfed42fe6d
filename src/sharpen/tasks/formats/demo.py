"""The problems of the demo: two on which a small model really gains from a skill, one on which nothing helps.

Sizes and budget are as small as the gate's proof and a readable interval allow. Temperature 0 and a server
that remembers nothing make every attempt repeatable, so the same seed ends in the same skill.
"""

from __future__ import annotations

from dataclasses import dataclass

from sharpen.skills import Skill
from sharpen.tasks.formats.families import FAMILIES
from sharpen.tasks.formats.family import Family, Sizes
from sharpen.types import Budget, TaskSet

SIZES = Sizes(train=8, selection=14, test=16)
ROLLOUTS = 112
LANES = 1
"""Tasks side by side in the search. Two at once find two wordings of one rule, and each then looks needless
beside the other."""
TEMPERATURE = 0.0


@dataclass(frozen=True, slots=True)
class DemoProblem:
    """One training run of the demo, but for the student's model and the teacher."""

    family: Family
    skill: Skill
    tasks: TaskSet
    budget: Budget
    lanes: int = LANES
    temperature: float = TEMPERATURE


DEMO: tuple[str, ...] = ("year", "record", "date")
"""The last one is there to be refused."""


def demo_problem(name: str, seed: int = 0) -> DemoProblem:
    """The problem of one family of the demo for this seed."""
    family = FAMILIES[name]
    return DemoProblem(family, family.skill, family.tasks(seed, SIZES), Budget(rollouts=ROLLOUTS))
