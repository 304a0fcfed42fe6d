"""A loop shaped like SkillOpt (arXiv 2605.23904): wide batches, several edits at once, a strict gate.

Not SkillOpt itself: a calibration loop with its shape and its habits. An error scores 0, the incumbent's
score is measured once and frozen, ties are rejected, and the reported score is the one the gate saw. Merging
and ranking cost teacher time here but change nothing: the simulated edits neither overlap nor compete.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterator

from outcomes import CLEAN, Claim, Outcome, is_solved, judged
from rivals.player import Player, applied
from sharpen.simulate import Seen, Truth, World, budget_of
from sharpen.skills import Edit

BATCH = 40
ANALYSTS = 4
SHOWN = 3  # failures one analyst reads


class SkillOptShaped:
    """One run; `passes` is how often each gate goes through the selection split."""

    def __init__(self, world: World, *, passes: int = 1) -> None:
        self.world, self.passes = world, passes
        self.player = Player(world)
        self.accepted = 0
        self._batches = _batches(world)
        self.text = world.skill.text
        self.score = self._measure(self.text)

    def run(self, budget: int) -> None:
        """Steps until the budget is spent (the last one may cross it) or, in a clean world, until solved."""
        oracle = self.world.name in CLEAN
        while self.player.rollouts < budget and not (oracle and is_solved(self.world, self.text)):
            self.step()

    def step(self) -> None:
        seen = self.player.batch(next(self._batches), self.text)
        candidate = applied(self.text, self._reflect(seen))
        if candidate != self.text:
            self._gate(candidate)

    def _reflect(self, seen: list[Seen]) -> list[Edit]:
        """An analyst for each quarter of the batch that holds a failure; all edits are tried together."""
        size = math.ceil(len(seen) / ANALYSTS)
        quarters = (seen[at : at + size] for at in range(0, len(seen), size))
        failures = [[one.feedback for one in quarter if one.feedback != "OK"] for quarter in quarters]
        shares = [share[:SHOWN] for share in failures if share]
        answers = [self.player.propose(self.text, share) for share in shares]
        if shares:
            for at_once in (len(shares), 1, 1):  # the analysts side by side, then merging, then ranking
                self.player.think(at_once)
        return [edit for answer in answers for edit in answer]

    def _gate(self, candidate: str) -> None:
        score = self._measure(candidate)
        if score > self.score:
            self.text, self.score = candidate, score
            self.accepted += 1

    def _measure(self, text: str) -> float:
        seen = self.player.batch(self.world.splits["val"] * self.passes, text)
        return sum(one.score or 0.0 for one in seen) / len(seen)


def _batches(world: World) -> Iterator[list[Truth]]:
    """Train tasks in epochs, each shuffled; a batch may reach into the next epoch."""
    chance = random.Random(f"skillopt-shaped:{world.seed}")
    train = world.splits["train"]
    size = min(BATCH, len(train))
    tasks = itertools.chain.from_iterable(chance.sample(train, len(train)) for _ in itertools.count())
    while True:
        yield list(itertools.islice(tasks, size))


def play(name: str, seed: int, *, passes: int = 1) -> Outcome:
    """One run on a named world with its usual budget."""
    world = World.named(name, seed=seed)
    began = time.perf_counter()
    loop = SkillOptShaped(world, passes=passes)
    loop.run(budget_of(name))
    claim = Claim(
        text=loop.text,
        reported=loop.score,
        rollouts=loop.player.rollouts,
        calls=loop.player.calls,
        accepted=loop.accepted,
        own_seconds=time.perf_counter() - began,
        wall=loop.player.wall,
    )
    return judged("skillopt" if passes == 1 else f"skillopt.x{passes}", world, claim)
