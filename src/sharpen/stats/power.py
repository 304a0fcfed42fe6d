"""Planning: what a number of pairs can show, before they are paid for.

`detectable_effect` and `pairs_needed` are for a comparison of fixed size, looked at once; `race_pairs` is
for the race, which stops by itself.
"""

from __future__ import annotations

import math
from bisect import bisect_left

from sharpen.stats.distributions import normal_quantile, student_quantile
from sharpen.stats.race import BETS, spending_threshold


def detectable_effect(*, pairs: int, sd: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest mean paired difference that `pairs` pairs reveal with probability `power`.

    Two-sided test at `alpha`; `sd` is the standard deviation of one paired difference. The formula of Miller
    2024 ("Adding Error Bars to Evals", on power analysis), (z_{1-alpha/2} + z_power) · sd / sqrt(n), with
    Student quantiles in place of normal ones. Against the noncentral t distribution (alpha 0.01 to 0.05,
    power 0.5 to 0.95) the true power is within 0.02 of `power` from 15 pairs on, within 0.08 with five.
    """
    _check_plan(sd=sd, alpha=alpha, power=power)
    if pairs < 2:
        raise ValueError(f"a comparison needs at least two pairs, not {pairs!r}")
    quantiles = student_quantile(1 - alpha / 2, pairs - 1) + student_quantile(power, pairs - 1)
    return quantiles * sd / math.sqrt(pairs)


def pairs_needed(effect: float, *, sd: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """The fewest pairs whose `detectable_effect` is at most `effect`."""
    _check_plan(sd=sd, alpha=alpha, power=power)
    if not abs(effect) > 0:
        raise ValueError("no number of pairs shows an effect of zero")
    normal = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    pairs = max(2, math.ceil((normal * sd / effect) ** 2))  # a little too few: Student's quantiles are larger
    while detectable_effect(pairs=pairs, sd=sd, alpha=alpha, power=power) > abs(effect):
        pairs += 1
    return pairs


def race_pairs(effect: float, *, noise: float = 0.0, threshold: float | None = None) -> int | None:
    """About how many pairs the race takes to accept a candidate that is better by `effect`; None for never.

    Pass/fail scores: `noise` is the share of pairs that differ by luck alone, half of them wins, half losses
    (2 p (1 - p) when both sides slip with probability p); the candidate wins a further share `effect`.
    `threshold` is that of a run's first gate unless given. With w wins and l losses per pair, the log of a
    bet b grows by w·ln(1+b) + l·ln(1-b) per pair (Kelly 1956); the answer is when bets that grow at exactly
    that pace get there: close to the mean of real races, above their median. None means that even the
    smallest bet loses money, as for effects below 0.18 of the noise: only luck would have those accepted.
    """
    if not (effect > 0 and noise >= 0 and effect + noise <= 1):
        raise ValueError(f"effect {effect!r} and noise {noise!r} must be shares of the pairs, effect above 0")
    goal = math.log(spending_threshold(1) if threshold is None else threshold) + math.log(len(BETS))
    wins, losses = effect + noise / 2, noise / 2
    growth = [wins * math.log1p(bet) + losses * math.log1p(-bet) for bet in BETS]
    if max(growth) <= 0:
        return None

    def log_wealth(pairs: int) -> float:
        top = pairs * max(growth)
        return top + math.log(math.fsum(math.exp(pairs * rate - top) for rate in growth))

    enough = math.ceil(goal / max(growth))  # the best bet gets there without the others
    return bisect_left(range(max(0, enough)), goal, key=log_wealth)


def _check_plan(*, sd: float, alpha: float, power: float) -> None:
    if not sd >= 0:
        raise ValueError(f"a standard deviation is not negative: {sd!r}")
    if not 0 < alpha < power < 1:
        raise ValueError(f"alpha and power must satisfy 0 < alpha < power < 1, not {alpha!r} and {power!r}")
