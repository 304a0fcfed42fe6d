"""Many small effects at once: every edit in or out at random in every attempt, one additive model for all.

score = level of the task + sum of the effects of the edits present + noise. In a balanced design every effect
is known to 2·sigma/sqrt(N) however many edits there are, which is why nothing is tested alone. Levels and
effects have Gaussian priors, so the posterior is exact. Pure arithmetic: no task, no skill, no call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

LEVEL_SPREAD = 0.2
"""Standard deviation of task levels around their mean."""
INTERCEPT_SPREAD = 0.2
"""How far the recorded level of a stratum may be off."""

Vector = list[float]
Matrix = list[list[float]]


@dataclass(frozen=True)
class Prior:
    """What is believed of the effects before the data: mean + slope·votes + own part, each Gaussian."""

    common: float = 0.02
    """Spread of the mean that all effects share."""
    spread: float = 0.04
    """Spread of each effect around it."""
    vote: float = 0.015
    """Expected effect per net vote of the teacher."""
    vote_spread: float = 0.005
    """How unsure that is: the data decide how much the teacher's word is worth."""


@dataclass
class Factorial:
    """Data of one stratum of tasks, kept as sums so that a round costs the same early and late.

    Column 0 is the intercept: what the tasks' recorded level is off by, since tasks were put into their
    stratum by that very record.
    """

    level: float
    """Recorded mean level of the tasks without any of the edits."""
    size: int = 0
    """Edits; their columns follow the intercept."""
    _gram: Matrix = field(default_factory=lambda: [[0.0]])
    _moment: Vector = field(default_factory=lambda: [0.0])
    _tasks: dict[int, tuple[list[int], Vector, list[float]]] = field(default_factory=dict)

    def grow(self, size: int) -> None:
        """Make room for edits up to `size`."""
        new = size - self.size
        for row in self._gram:
            row.extend([0.0] * new)
        self._gram.extend([0.0] * (size + 1) for _ in range(new))
        self._moment.extend([0.0] * new)
        self.size = size

    def add(self, task: int, present: Sequence[int], score: float) -> None:
        """One attempt at a task with these edits present."""
        residual = score - self.level
        count, sums, total = self._tasks.setdefault(task, ([0], [], [0.0]))
        sums.extend([0.0] * (self.size + 1 - len(sums)))
        count[0] += 1
        total[0] += residual
        columns = [0, *(i + 1 for i in present)]
        for i in columns:
            row = self._gram[i]
            self._moment[i] += residual
            sums[i] += 1.0
            for j in columns:
                row[j] += 1.0

    def evidence(self, variance: float) -> tuple[Matrix, Vector]:
        """Precision and weighted mean that the data alone give, with the task levels integrated out."""
        precision = [row[:] for row in self._gram]
        moment = self._moment[:]
        for (count,), sums, (total,) in self._tasks.values():
            shrink = LEVEL_SPREAD**2 / (variance + count * LEVEL_SPREAD**2)
            held = [(i, s) for i, s in enumerate(sums) if s]
            for i, s in held:
                moment[i] -= shrink * s * total
                row, weight = precision[i], shrink * s
                for j, other in held:
                    row[j] -= weight * other
        return [[x / variance for x in row] for row in precision], [x / variance for x in moment]


@dataclass(frozen=True)
class Effects:
    """Posterior of the effects: means and standard deviations."""

    mean: Vector
    sd: Vector

    def chance_of_help(self, i: int) -> float:
        return 0.5 * math.erfc(-self.mean[i] / (self.sd[i] * math.sqrt(2)))

    def regret(self) -> float:
        """What knowing every sign would still be worth, summed over edits."""
        total = 0.0
        for mean, sd in zip(self.mean, self.sd, strict=True):
            z = abs(mean) / sd
            density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
            total += sd * (density - z * 0.5 * math.erfc(z / math.sqrt(2)))
        return total


def posterior(data: Factorial, votes: Sequence[float], *, variance: float, prior: Prior) -> Effects:
    """Exact Gaussian posterior of all effects of one stratum."""
    n = data.size + 1
    before = inverse(_covariance(votes, prior))
    expected = [0.0, *(prior.vote * vote for vote in votes)]
    precision, moment = data.evidence(variance)
    after = inverse(
        [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(before, precision, strict=True)]
    )
    pull = [
        m + sum(b * e for b, e in zip(row, expected, strict=True))
        for m, row in zip(moment, before, strict=True)
    ]
    mean = [sum(c * p for c, p in zip(row, pull, strict=True)) for row in after]
    return Effects(mean[1:], [math.sqrt(after[i][i]) for i in range(1, n)])


def _covariance(votes: Sequence[float], prior: Prior) -> Matrix:
    """Of the intercept and the effects, before the data."""
    rows: Matrix = [[INTERCEPT_SPREAD**2, *(0.0 for _ in votes)]]
    for i, vote in enumerate(votes):
        shared = (prior.common**2 + prior.vote_spread**2 * vote * other for other in votes)
        rows.append([0.0, *shared])
        rows[-1][i + 1] += prior.spread**2
    return rows


def inverse(matrix: Matrix) -> Matrix:
    """Inverse of a small symmetric positive definite matrix (Gauss-Jordan; those need no pivoting)."""
    n = len(matrix)
    rows = [[*row, *(1.0 if i == j else 0.0 for j in range(n))] for i, row in enumerate(matrix)]
    for k, row in enumerate(rows):
        scale = 1.0 / row[k]
        row[:] = [x * scale for x in row]
        for i, other in enumerate(rows):
            if i != k and other[k]:
                factor = other[k]
                other[:] = [x - factor * y for x, y in zip(other, row, strict=True)]
    return [row[n:] for row in rows]
