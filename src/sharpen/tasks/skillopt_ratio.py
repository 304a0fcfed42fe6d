"""SkillOpt's way of dividing items by a ratio: the same shuffle and the same counts, for the same seed.

Unlike `split.py` it depends on the order of the file and does not know groups; it is here so that a split
made by SkillOpt and one made by us hold the same items. It knows no files; `skillopt_folder.py` does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from sharpen.errors import TaskError

Item = TypeVar("Item")
DEFAULT_RATIO, DEFAULT_SEED = "2:1:7", 42


class Counts(NamedTuple):
    """How many items each split gets."""

    train: int
    val: int
    test: int


@dataclass(frozen=True)
class Ratio:
    """Parts for train, val and test; `text` is kept as it was written, because the manifest repeats it."""

    text: str
    parts: tuple[int, int, int]

    @classmethod
    def parse(cls, text: str) -> Ratio:
        """`2:1:7`: three positive whole numbers."""
        words = [word.strip() for word in text.split(":") if word.strip()]
        if len(words) != 3 or not all(word.isdecimal() and int(word) > 0 for word in words):
            raise TaskError(
                f"the split ratio {text!r} is not of the form train:val:test; "
                f"give three positive whole numbers such as {DEFAULT_RATIO}"
            )
        train, val, test = map(int, words)
        return cls(text, (train, val, test))

    def counts(self, total: int) -> Counts:
        """Largest remainders; of equal fractions the larger part goes first, then the earlier split."""
        shares = [total * part / sum(self.parts) for part in self.parts]
        counts = [int(share) for share in shares]
        order = sorted(
            range(3), key=lambda at: (shares[at] - counts[at], self.parts[at]), reverse=True
        )  # reverse keeps the order of equals
        for at in order[: total - sum(counts)]:
            counts[at] += 1
        return Counts(*counts)


@dataclass(frozen=True)
class Divided(Generic[Item]):
    """The items of each split, in shuffled order."""

    train: tuple[Item, ...]
    val: tuple[Item, ...]
    test: tuple[Item, ...]

    @property
    def counts(self) -> Counts:
        return Counts(len(self.train), len(self.val), len(self.test))


def divide(items: Sequence[Item], ratio: Ratio, *, seed: int = DEFAULT_SEED) -> Divided[Item]:
    """Shuffle by the seed, then cut. TaskError when train or val would be empty."""
    counts = ratio.counts(len(items))
    if not counts.train or not counts.val:
        empty = "train" if not counts.train else "val"
        raise TaskError(
            f"{len(items)} items at {ratio.text} leave the {empty} split empty; "
            "give more items, or a ratio with a larger part for it"
        )
    shuffled = list(items)
    random.Random(seed).shuffle(shuffled)
    val_at, test_at = counts.train, counts.train + counts.val
    return Divided(tuple(shuffled[:val_at]), tuple(shuffled[val_at:test_at]), tuple(shuffled[test_at:]))


def split_seed_or(split_seed: int, seed: int) -> int:
    """The seed of a split: SkillOpt takes a split seed of 0 as not given, and the run's seed instead."""
    return split_seed or seed
