"""The few distributions the other files need: normal, Student t, binomial.

Pure Python on floats, no tables. Everything rests on one function, the regularized incomplete beta;
its continued fraction is accurate to about 1e-12 for the sizes an evaluation has (up to 1e5 tasks).
Knows nothing of tasks, skills or scores.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_MAX_TERMS = 100_000


def normal_cdf(x: float) -> float:
    """P(Z <= x) for a standard normal Z."""
    return NormalDist().cdf(x)


def normal_quantile(p: float) -> float:
    """The x with P(Z <= x) = p."""
    _check_probability(p)
    return NormalDist().inv_cdf(p)


def student_cdf(x: float, df: float) -> float:
    """P(T <= x) for Student's t with `df` degrees of freedom (Numerical Recipes, 3rd ed., §6.14.3)."""
    if not df > 0:
        raise ValueError(f"Student's t needs positive degrees of freedom, not {df!r}")
    square = x * x
    if square < 1:  # near the centre: no tail to subtract from one
        return 0.5 + math.copysign(0.5 * incomplete_beta(square / (df + square), a=0.5, b=df / 2), x)
    tail = 0.5 * incomplete_beta(df / (df + square), a=df / 2, b=0.5)
    return tail if x < 0 else 1 - tail


@lru_cache(maxsize=1024)
def student_quantile(p: float, df: float) -> float:
    """The x with P(T <= x) = p, by bisection down to the last bit."""
    _check_probability(p)
    if p > 0.5:  # by symmetry: the left tail keeps all its digits
        return -student_quantile(1 - p, df)
    low, high = -1.0, 0.0
    while student_cdf(low, df) > p:
        low, high = 2 * low, low
    while low < (middle := (low + high) / 2) < high:
        if student_cdf(middle, df) < p:
            low = middle
        else:
            high = middle
    return high


def binomial_tail(successes: int, trials: int, *, p: float = 0.5) -> float:
    """P(X >= successes) for X ~ Binomial(trials, p), exact up to rounding (DLMF 8.17.5)."""
    if trials < 0 or not 0 <= p <= 1:
        raise ValueError(f"no binomial distribution with {trials!r} trials and p = {p!r}")
    if successes <= 0:
        return 1.0
    if successes > trials:
        return 0.0
    return incomplete_beta(p, a=successes, b=trials - successes + 1)


def incomplete_beta(x: float, *, a: float, b: float) -> float:
    """The regularized incomplete beta function I_x(a, b) (DLMF 8.17.2)."""
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):  # beyond the mean the fraction converges slowly: reflect (DLMF 8.17.4)
        return 1 - incomplete_beta(1 - x, a=b, b=a)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / a
    return min(1.0, front * _beta_fraction(x, a=a, b=b))


def _beta_fraction(x: float, *, a: float, b: float) -> float:
    """1/(1 + d1/(1 + d2/(1 + ...))), DLMF 8.17.22, by the modified Lentz method (Numerical Recipes §5.2)."""
    value, numerator, denominator = 1.0, 1.0, 0.0
    for j in range(1, _MAX_TERMS):
        m = j // 2
        if j % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / (1 + d * denominator or _TINY)
        numerator = 1 + d / numerator or _TINY
        value *= numerator * denominator
        if abs(numerator * denominator - 1) < 1e-15:
            return 1 / value
    raise ArithmeticError(f"the incomplete beta function did not converge at x={x}, a={a}, b={b}")


def _check_probability(p: float) -> None:
    if not 0 < p < 1:
        raise ValueError(f"a quantile needs a probability strictly between 0 and 1, not {p!r}")
