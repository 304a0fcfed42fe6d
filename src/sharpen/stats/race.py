"""The race: is the candidate better? Evidence that may be looked at after every single pair.

A paired difference d (candidate minus incumbent, same task, fresh attempts of both) is a bet: wealth
starts at 1 and is multiplied by 1 + b·d. If the two are alike, d is as likely to be +x as -x, the bet is
fair and wealth reaches W with probability at most 1/W, however often one looks and whenever one stops
(Ville's inequality; Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by
betting"). The file knows bets and thresholds; which tasks are paired and when to give up, the gate knows.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Iterable, Sequence

BETS = (0.3, 0.6, 0.9)
"""Shares of the wealth put on each pair. Three, because the best share depends on the unknown effect; the
mean of three fair games is fair, and costs at most a factor of three against the best of them."""

_ROUNDING = 1e-12  # scores are sums of a few floats: smaller differences are rounding, not wins
_LARGEST_LOG = math.log(sys.float_info.max)


def spending_threshold(gate: int, alpha: float = 0.05, *, planned: int | None = None) -> float:
    """The evidence that the `gate`-th gate of a run (1, 2, ...) needs: gate·(gate + 1) / alpha.

    Gate j then accepts a candidate that is no better with probability at most alpha / (j·(j + 1)). These
    shares sum to alpha over any number of gates, so alpha bounds the chance of any false acceptance in a run.
    A run that can have no more than `planned` gates gives each the same share, alpha / planned.
    """
    if planned is not None and gate > planned:
        raise ValueError(f"gate {gate} of {planned} that were planned")
    if gate < 1 or not 0 < alpha < 1:
        raise ValueError(
            f"gates count from 1, alpha lies between 0 and 1: not gate {gate!r}, alpha {alpha!r}"
        )
    return (gate * (gate + 1) if planned is None else planned) / alpha


class Race:
    """Paired differences fed one at a time, and what they prove so far.

    Each difference is divided by the largest one seen before it, so that small but consistent gains count
    in full; what then exceeds 1 is cut to 1. The first non-zero difference is taken as it is, since scores
    lie in 0..1. Scale and cut treat +x and -x alike and use the past only, so a fair bet stays fair: under
    the null "draft and incumbent behave alike on every task" the guarantee is exact. Under the wider null
    "the draft is no better on average" it is exact for pass/fail scores (nothing is ever cut) on tasks drawn
    at random with replacement, and an approximation for graded scores or whole passes over the tasks.
    """

    def __init__(self, differences: Iterable[float] = ()) -> None:
        self.wins = self.ties = self.losses = 0
        self.total = 0.0
        self._scale = 0.0
        self._log_for = [0.0] * len(BETS)  # logs, since thousands of losses would underflow to a wealth of 0
        self._log_against = [0.0] * len(BETS)
        for difference in differences:
            self.add(difference)

    def add(self, difference: float) -> None:
        """One more pair: candidate's score minus incumbent's."""
        if not -1 <= difference <= 1:  # NaN fails the comparison too
            raise ValueError(f"a paired difference of scores lies in -1..1, not {difference!r}")
        if abs(difference) < _ROUNDING:
            self.ties += 1
            return
        self.wins += difference > 0
        self.losses += difference < 0
        self.total += difference
        stake = max(-1.0, min(1.0, difference / (self._scale or 1.0)))
        self._scale = max(self._scale, abs(difference))
        for i, bet in enumerate(BETS):
            self._log_for[i] += math.log1p(bet * stake)
            self._log_against[i] += math.log1p(-bet * stake)

    @property
    def n(self) -> int:
        """Pairs seen."""
        return self.wins + self.ties + self.losses

    @property
    def evidence(self) -> float:
        """Evidence that the candidate is better: 1 at the start, fair when the two are alike."""
        return _mean_wealth(self._log_for)

    @property
    def reverse(self) -> float:
        """Evidence that the candidate is worse: the same bets on the opposite side."""
        return _mean_wealth(self._log_against)

    def pairs_to(self, threshold: float) -> int:
        """The fewest further pairs, all of them full wins, after which `evidence` reaches `threshold`.

        The candidate cannot be accepted earlier, so that many pairs may go out at once. (It can be refused
        earlier: `reverse` may reach its own threshold first.)
        """
        if not 0 < threshold < math.inf:
            raise ValueError(f"a threshold is a positive number, not {threshold!r}")
        bets = [(wealth, math.log1p(bet)) for wealth, bet in zip(self._log_for, BETS, strict=True)]

        def evidence_after(wins: int) -> float:
            return _mean_wealth([wealth + wins * gain for wealth, gain in bets])

        goal = math.log(threshold) + math.log(len(BETS))
        enough = min((goal - wealth) / gain for wealth, gain in bets)  # one bet gets there without the others
        return bisect_left(range(max(0, math.ceil(enough))), threshold, key=evidence_after)

    def __repr__(self) -> str:
        return (
            f"Race(n={self.n}, wins={self.wins}, ties={self.ties}, losses={self.losses}, "
            f"evidence={self.evidence:.3g}, reverse={self.reverse:.3g})"
        )


def _mean_wealth(logs: Sequence[float]) -> float:
    """Mean of the exponentials; the largest float where that would overflow, so records stay finite."""
    top = max(logs)
    log_mean = top + math.log(math.fsum(math.exp(log - top) for log in logs) / len(logs))
    return math.exp(log_mean) if log_mean < _LARGEST_LOG else sys.float_info.max
