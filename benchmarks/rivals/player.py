"""A world as the rivals see it: attempts are numbered, calls counted, errors score 0, time is added up.

The numbering follows the definition of the worlds: attempt n of a (task, set of lines) pair, teacher call n
of the run. Virtual time is that of barrier phases on 16 workers: a batch takes the makespan of its calls.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

from sharpen.simulate import Seen, Truth, World, tags_of
from sharpen.skills import Edit

WORKERS = 16
TEACHER_SECONDS = 2.0


class Player:
    """Plays one world for one run of a rival."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rollouts = self.calls = 0
        self.wall = 0.0
        self._attempts: Counter[tuple[str, frozenset[str]]] = Counter()

    def batch(self, truths: Sequence[Truth], text: str) -> list[Seen]:
        """One barrier phase of rollouts."""
        first = self.rollouts
        seen = [self._attempt(truth, text) for truth in truths]
        self.wall += makespan([self.world.latency(first + i) for i in range(len(seen))])
        return seen

    def propose(self, text: str, feedbacks: Iterable[str]) -> list[Edit]:
        """One teacher call. Its time is the loop's to add: some loops ask in parallel."""
        self.calls += 1
        return self.world.propose(text, feedbacks, call=self.calls - 1)

    def think(self, calls: int) -> None:
        """Virtual time of teacher calls made at once."""
        self.wall += makespan([TEACHER_SECONDS] * calls)

    def _attempt(self, truth: Truth, text: str) -> Seen:
        self.rollouts += 1
        key = truth.id, tags_of(text)
        self._attempts[key] += 1
        seen = self.world.rollout(truth, text, trial=self._attempts[key])
        return Seen(0.0, seen.feedback) if seen.score is None else seen


def makespan(times: Sequence[float], workers: int = WORKERS) -> float:
    """Seconds until the last of these calls ends when each goes to the first free worker."""
    free = [0.0] * min(workers, len(times))
    for seconds in times:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free, default=0.0)


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The skill with whole-line edits made; a line that is already there is not added again."""
    for edit in edits:
        lines = text.rstrip("\n").split("\n")
        if edit.op == "delete":
            lines = [line for line in lines if line != edit.target]
        elif edit.content not in lines:
            lines.append(edit.content)
        text = "\n".join(lines) + "\n"
    return text
