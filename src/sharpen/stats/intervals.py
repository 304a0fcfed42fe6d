"""Intervals from counts and from resampling.

Wilson for shares, bootstrap for any statistic. The intervals of mean scores and of paired differences,
which also know about tasks, are in `estimates`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from random import Random
from statistics import fmean
from typing import NamedTuple

from sharpen.stats.clusters import by_cluster
from sharpen.stats.distributions import normal_quantile


class Interval(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float


def upper_point(level: float) -> float:
    """The probability below the upper end of a two-sided interval: 0.975 for level 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies strictly between 0 and 1, not {level!r}")
    return (1 + level) / 2


def wilson(successes: float, trials: float, *, level: float = 0.95) -> Interval:
    """Wilson's score interval for a share (Wilson 1927; Brown, Cai & DasGupta 2001, §3.1.1)."""
    if not 0 <= successes <= trials or not trials > 0:
        raise ValueError(f"no share of {successes!r} successes in {trials!r} trials")
    return score_interval(successes / trials, trials, quantile=normal_quantile(upper_point(level)))


def score_interval(share: float, trials: float, *, quantile: float) -> Interval:
    """Every true share p with |share - p| <= quantile · sqrt(p (1 - p) / trials): Wilson's inversion.

    Never empty, never outside 0..1, wider towards the middle: what a share near 0 or 1 needs.
    """
    weight = quantile * quantile / trials
    centre = (share + weight / 2) / (1 + weight)
    half = math.sqrt(weight * share * (1 - share) + weight * weight / 4) / (1 + weight)
    return Interval(min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def bootstrap(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    statistic: Callable[[Sequence[float]], float] = fmean,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap of `statistic` (Efron & Tibshirani 1993, §13.3); whole clusters are drawn.

    The same arguments give the same interval. It is too narrow with fewer than about 20 clusters; for a
    plain mean `paired` and `mean_estimate` are the better choice.
    """
    groups = by_cluster(values, clusters)
    if not groups:
        raise ValueError("nothing to resample: no values")
    random = Random(seed)
    replicates = sorted(
        statistic([value for group in random.choices(groups, k=len(groups)) for value in group])
        for _ in range(resamples)
    )
    rank = max(1, math.floor((resamples + 1) * (1 - upper_point(level))))
    return Interval(replicates[rank - 1], replicates[-rank])
