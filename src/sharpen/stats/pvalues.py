"""Exact tests for pairs that were won or lost, and the correction for having made several.

For a fixed number of pairs, looked at once. Evidence that may be looked at all the time is in `race`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from sharpen.stats.distributions import binomial_tail

Alternative = Literal["two-sided", "greater", "less"]


def sign_test(wins: int, losses: int, *, alternative: Alternative = "two-sided") -> float:
    """Exact p-value of the sign test: wins against losses of a fair coin, ties left out (Dixon & Mood 1946).

    "greater" asks whether there are too many wins, "less" too few; "two-sided" doubles the smaller tail.
    """
    if min(wins, losses) < 0:
        raise ValueError(f"wins and losses are counts, not {wins!r} and {losses!r}")
    decided = wins + losses
    if alternative == "greater":
        return binomial_tail(wins, decided)
    if alternative == "less":
        return binomial_tail(losses, decided)
    return min(1.0, 2 * binomial_tail(max(wins, losses), decided))


def fewest_wins(alpha: float) -> int:
    """Pairs that must be won, none lost, before the two-sided sign test can say anything."""
    return math.ceil(1 - math.log2(alpha))


def mcnemar(
    before: Sequence[bool], after: Sequence[bool], *, alternative: Alternative = "two-sided"
) -> float:
    """Exact McNemar test on paired outcomes: the sign test on the pairs that differ (McNemar 1947).

    "greater" asks whether `after` succeeds more often.
    """
    pairs = list(zip(before, after, strict=True))
    wins = sum(new and not old for old, new in pairs)
    losses = sum(old and not new for old, new in pairs)
    return sign_test(wins, losses, alternative=alternative)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: those at most alpha hold together at level alpha (Holm 1979)."""
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values lie in 0..1: {list(p_values)!r}")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
