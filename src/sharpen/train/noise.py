"""How much attempts scatter, measured from repeats, so that nobody has to configure a noise level.

Whenever the same skill meets the same task again, the squared deviation from the running mean is pooled.
A pessimistic prior (a fifth of all outcomes flip) counts as much as four repeats.
"""

from __future__ import annotations

import math

PRIOR_VARIANCE = 0.16
PRIOR_REPEATS = 4
CALM_REPEATS = 10
"""Repeats that must agree before outcomes are taken as deterministic."""

VAGUE, VAGUE_REPEATS = 0.19, 30
"""Variance from which a solved task would score below 0.75, and the repeats needed to say so."""


class NoiseMeter:
    """Pooled and per-task variance of one attempt. Means are kept per (skill, task)."""

    def __init__(self, tasks: int) -> None:
        self._means: dict[tuple[str, int], tuple[int, float]] = {}
        self._squares, self.repeats = 0.0, 0
        self.graded = False
        self._task_squares, self._task_repeats = [0.0] * tasks, [0] * tasks

    def observe(self, skill: str, task: int, value: float) -> None:
        n, mean = self._means.get((skill, task), (0, 0.0))
        self.graded = self.graded or 0 < value < 1
        if n:
            square = (value - mean) ** 2 * n / (n + 1)  # Welford's update of a sum of squares
            self._squares += square
            self.repeats += 1
            self._task_squares[task] += square
            self._task_repeats[task] += 1
        self._means[skill, task] = n + 1, mean + (value - mean) / (n + 1)

    def seen(self, skill: str, task: int) -> tuple[int, float]:
        """Attempts so far and their mean."""
        return self._means.get((skill, task), (0, 0.0))

    @property
    def variance(self) -> float:
        pooled = (PRIOR_VARIANCE * PRIOR_REPEATS + self._squares) / (PRIOR_REPEATS + self.repeats)
        return pooled / 4 if self.calm else pooled

    @property
    def calm(self) -> bool:
        """Enough repeats, and not one differed: outcomes are probably deterministic."""
        return self.repeats >= CALM_REPEATS and self._squares == 0.0

    @property
    def noisy(self) -> bool:
        return self._squares > 0.0

    @property
    def vague(self) -> bool:
        """Attempts scatter so much that a solved task would hardly stand out."""
        return self.repeats >= VAGUE_REPEATS and self.variance >= VAGUE

    @property
    def known(self) -> bool:
        return self.repeats >= CALM_REPEATS

    def variance_of(self, task: int) -> float:
        """A task's own variance, drawn towards the pooled one: flaky tasks get their own noise."""
        repeats = self._task_repeats[task]
        if not repeats:
            return self.variance
        return (PRIOR_REPEATS * self.variance + self._task_squares[task]) / (PRIOR_REPEATS + repeats)

    @property
    def flip(self) -> float:
        return flip_rate(self.variance)

    @property
    def ceiling(self) -> float:
        """What a solved task scores on average when outcomes flip."""
        return 1 - self.flip


def flip_rate(variance: float) -> float:
    """The p with p(1-p) = variance: how often an outcome flips if flips are all the noise there is."""
    return (1 - math.sqrt(1 - 4 * min(variance, 0.24))) / 2
