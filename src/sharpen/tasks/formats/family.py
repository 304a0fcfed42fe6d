"""A family of generated tasks: sentences made from a seed, each with its one right answer and a verifier.

Items of the three splits never share a sentence. Which model answers, and how well, a family does not know.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sharpen.errors import TaskError
from sharpen.skills import Skill
from sharpen.tasks.formats.scorers import ExactScorer, RecordScorer
from sharpen.types import Json, Task, TaskSet

TRIES = 50
"""Draws without a new sentence after which a family is exhausted."""


class Item(NamedTuple):
    """What the model is shown, and the right answer as the verifier wants it."""

    prompt: str
    answer: str | Json


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many tasks each split has."""

    train: int
    selection: int
    test: int

    @property
    def total(self) -> int:
        return self.train + self.selection + self.test


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of task: how items are made, judged, and what the skill says before training."""

    name: str
    about: str
    start: str  # the text of the skill that training starts from
    scorer: ExactScorer | RecordScorer
    draw: Callable[[random.Random], Item]
    max_tokens: int  # of an answer: a right one fits, a long one need not be finished to be wrong

    @property
    def skill(self) -> Skill:
        return Skill.from_text(self.start)

    def tasks(self, seed: int, sizes: Sizes) -> TaskSet:
        """The three splits for this seed."""
        items = self._items(random.Random(f"{seed}|{self.name}"), sizes.total)
        made = [
            Task(
                f"{self.name}-{number:03d}",
                item.prompt,
                {"answer": item.answer, "wanted": self.scorer.wanted},
            )
            for number, item in enumerate(items, start=1)
        ]
        until = sizes.train + sizes.selection
        return TaskSet(train=made[: sizes.train], selection=made[sizes.train : until], test=made[until:])

    def _items(self, rng: random.Random, count: int) -> list[Item]:
        found: dict[str, Item] = {}
        barren = 0
        while len(found) < count:
            item = self.draw(rng)
            barren = barren + 1 if item.prompt in found else 0
            if barren > TRIES:
                raise TaskError(f"{self.name} has about {len(found)} different items; {count} were asked for")
            found.setdefault(item.prompt, item)
        return list(found.values())
