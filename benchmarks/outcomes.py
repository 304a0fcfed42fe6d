"""What one run of one loop on one simulated world amounted to, judged by the world's truth.

Shared by every benchmark and by the rivals, also inside a rival's own environment: only the standard
library and `sharpen.simulate` are imported. It knows nothing of tables or targets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache

from sharpen.simulate import World

CLEAN = ("dense", "binary")


@dataclass(frozen=True)
class Outcome:
    """One run. Scores are true ones except `reported`, which is what the loop itself claims."""

    loop: str
    world: str
    seed: int
    rollouts: int
    calls: int  # teacher calls
    accepted: int  # candidates that became the exported skill on the way
    solved: bool  # nothing left to gain on the selection split
    test: float  # true test score over the best reachable one
    reported: float
    expected: float  # what an honest report of the exported skill would show
    own_seconds: float | None  # the loop's own time, student and teacher subtracted; None on a virtual clock
    wall: float | None = None  # virtual seconds with 16 rollouts in flight

    @property
    def bias(self) -> float:
        return self.reported - self.expected

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Outcome:
        return cls(**json.loads(line))


@dataclass(frozen=True)
class Claim:
    """What a loop hands over at its end, before the truth is asked."""

    text: str
    reported: float
    rollouts: int
    calls: int
    accepted: int
    own_seconds: float | None
    wall: float | None = None


def judged(loop: str, world: World, claim: Claim) -> Outcome:
    """The claim beside the truth."""
    return Outcome(
        loop=loop,
        world=world.name,
        seed=world.seed,
        rollouts=claim.rollouts,
        calls=claim.calls,
        accepted=claim.accepted,
        solved=is_solved(world, claim.text),
        test=world.clean_mean("test", claim.text) / _best(world.name, world.seed),
        reported=claim.reported,
        expected=world.expected_mean("val", claim.text),
        own_seconds=claim.own_seconds,
        wall=claim.wall,
    )


def is_solved(world: World, text: str) -> bool:
    """The true mean on the selection split is 1: where an oracle would stop in a clean world."""
    return world.clean_mean("val", text) >= 1.0


@lru_cache(maxsize=1024)
def _best(name: str, seed: int) -> float:
    return World.named(name, seed=seed).best_mean("test")


def parse_seeds(text: str) -> tuple[int, ...]:
    """`0-19`, `3` or `0-4,100-104`."""
    ranges = (part.partition("-") for part in text.split(","))
    return tuple(seed for low, _, high in ranges for seed in range(int(low), int(high or low) + 1))


def chunks(seeds: Iterable[int], size: int) -> list[tuple[int, ...]]:
    seeds = tuple(seeds)
    return [seeds[at : at + size] for at in range(0, len(seeds), size)]
