"""The two numbers every report shows: a mean score and a mean paired difference, with their intervals.

Both describe tasks like the ones measured, so the task (or its group) is the unit: more attempts at the
same tasks sharpen each task's own mean, only more tasks say more about other tasks. An interval of width
zero is never given: that everything looked alike so far is weak news when little was looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import fmean

from sharpen.stats.clusters import by_cluster, clustered_se
from sharpen.stats.distributions import student_quantile
from sharpen.stats.intervals import Interval, score_interval, upper_point, wilson
from sharpen.types import Estimate

_NO_SPREAD = 1e-9  # scores are of size 1: a smaller standard error is rounding


def paired(
    differences: Sequence[float], clusters: Sequence[Hashable] | None = None, *, level: float = 0.95
) -> Estimate:
    """Mean of paired differences (each in -1..1) with a Student t interval, clustered by task or group.

    `clusters` names the task (or group) of each difference; without it every difference is its own.
    The standard error is `clustered_se`, the degrees of freedom are clusters - 1 (Cameron & Miller 2015,
    "A Practitioner's Guide to Cluster-Robust Inference", on few clusters). If there is one cluster, or all
    clusters agree, there is no spread to measure and the interval is that of `_nothing_else_seen`.
    """
    _check_range(differences, low=-1, what="paired differences")
    upper = upper_point(level)
    mean, k = fmean(differences), len(by_cluster(differences, clusters))
    error = clustered_se(differences, clusters) if k > 1 else 0.0
    if error <= _NO_SPREAD:
        low, high = _nothing_else_seen(mean, k, level=level)
    else:
        half = student_quantile(upper, k - 1) * error
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
    return Estimate(mean, low, high, n=len(differences), tasks=k)


def mean_estimate(
    values_by_task: Mapping[str, Sequence[float]],
    groups: Mapping[str, str] | None = None,
    *,
    level: float = 0.95,
) -> Estimate:
    """Mean score (each in 0..1) over tasks, every task weighing the same however often it was attempted.

    `groups` maps task ids to groups of related tasks; a task without one stands alone. The interval is
    Wilson's, at the number of independent tasks that would give the standard error seen, m (1 - m) / se²,
    with Student's t for the normal quantile (the effective sample size of Korn & Graubard 1998, "Confidence
    intervals for proportions with small expected number of positive counts"). In the middle of the scale this
    is the t interval; near 0 and 1, where good skills end up, it covers where the t interval is too short.
    If all task means agree it is Wilson's interval for that mean with the tasks (or groups) as trials.
    """
    _check_range((value for values in values_by_task.values() for value in values), low=0, what="scores")
    if empty := sorted(task for task, values in values_by_task.items() if not values):
        raise ValueError(f"no scores for task {empty[0]!r}; leave out tasks that were not measured")
    means = [fmean(values) for values in values_by_task.values()]
    group_of = groups or {}
    clusters = [("group", group_of[task]) if task in group_of else ("task", task) for task in values_by_task]
    low, high = _mean_interval(means, clusters, level=level)
    attempts = sum(len(values) for values in values_by_task.values())
    return Estimate(fmean(means), low, high, n=attempts, tasks=len(means))


def _mean_interval(means: Sequence[float], clusters: Sequence[Hashable], *, level: float) -> Interval:
    mean, k = fmean(means), len(set(clusters))
    error = clustered_se(means, clusters) if k > 1 else 0.0
    if error <= _NO_SPREAD:
        return wilson(mean * k, k, level=level)
    quantile = student_quantile(upper_point(level), k - 1)
    return score_interval(mean, mean * (1 - mean) / error**2, quantile=quantile)


def _nothing_else_seen(mean: float, clusters: int, *, level: float) -> Interval:
    """The interval of a mean difference when all clusters gave the same one.

    A share s of tasks that behave differently stays unseen in k draws with probability (1 - s)^k, so with
    confidence `level` s is at most 1 - (1 - level)^(1/k): about 3/k, the rule of three (Hanley &
    Lippman-Hand 1983). That share may have any difference from -1 to 1.
    """
    unseen = 1 - (1 - level) ** (1 / clusters)
    seen = (1 - unseen) * mean
    return Interval(seen - unseen, seen + unseen)


def _check_range(values: Iterable[float], *, low: float, what: str) -> None:
    count = 0
    for value in values:
        count += 1
        if not low <= value <= 1:  # NaN fails the comparison too
            raise ValueError(f"{what} lie in {low}..1, not {value!r}")
    if not count:
        raise ValueError(f"no {what}: nothing was measured, so there is nothing to estimate")
