"""The hand-written distributions against scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy import stats as scipy_stats

from sharpen.stats import (
    binomial_tail,
    incomplete_beta,
    normal_cdf,
    normal_quantile,
    student_cdf,
    student_quantile,
)

DEGREES = [1, 2, 3, 4.5, 9, 39, 199, 9_999, 99_999]


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("x", [-40.0, -8.0, -2.0, -1.0, -0.3, -1e-9, 0.0, 1e-6, 0.5, 1.0, 1.96, 6.0, 100.0])
def test_student_cdf_agrees_with_scipy(x: float, df: float) -> None:
    expected = float(scipy_stats.t.cdf(x, df))
    assert student_cdf(x, df) == pytest.approx(expected, rel=1e-8, abs=1e-250)


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("p", [1e-6, 0.005, 0.025, 0.2, 0.4999, 0.5, 0.75, 0.9, 0.975, 0.995, 1 - 1e-6])
def test_student_quantile_agrees_with_scipy(p: float, df: float) -> None:
    assert student_quantile(p, df) == pytest.approx(float(scipy_stats.t.ppf(p, df)), rel=1e-8, abs=1e-10)


@given(st.floats(0.001, 0.999), st.floats(0.5, 500))
def test_student_quantile_inverts_the_cdf(p: float, df: float) -> None:
    assert student_cdf(student_quantile(p, df), df) == pytest.approx(p, rel=1e-10)


def test_student_with_infinite_arguments_and_bad_ones() -> None:
    assert student_cdf(math.inf, 3) == 1
    assert student_cdf(-math.inf, 3) == 0
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_cdf(1.0, 0)
    for p in (0.0, 1.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="probability"):
            student_quantile(p, 3)


@given(st.floats(0, 1), st.floats(0.1, 300), st.floats(0.1, 300))
def test_incomplete_beta_agrees_with_scipy(x: float, a: float, b: float) -> None:
    assert incomplete_beta(x, a=a, b=b) == pytest.approx(float(special.betainc(a, b, x)), rel=1e-8, abs=1e-12)


@given(st.integers(0, 400), st.integers(-2, 402), st.floats(0, 1))
def test_binomial_tail_agrees_with_scipy(trials: int, successes: int, p: float) -> None:
    expected = float(scipy_stats.binom.sf(successes - 1, trials, p))
    assert binomial_tail(successes, trials, p=p) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def test_normal_agrees_with_scipy() -> None:
    for x in (-8.0, -1.96, 0.0, 0.1, 3.0):
        assert normal_cdf(x) == pytest.approx(float(scipy_stats.norm.cdf(x)), rel=1e-8)
    for p in (1e-9, 0.025, 0.5, 0.8, 0.975):
        assert normal_quantile(p) == pytest.approx(float(scipy_stats.norm.ppf(p)), rel=1e-8, abs=1e-12)
    with pytest.raises(ValueError, match="probability"):
        normal_quantile(1.0)
