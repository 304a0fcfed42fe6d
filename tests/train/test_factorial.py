"""The pooled model: its posterior is the textbook one, and true effects are found."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from sharpen.train.factorial import (
    INTERCEPT_SPREAD,
    LEVEL_SPREAD,
    Effects,
    Factorial,
    Prior,
    inverse,
    posterior,
)

VARIANCE = 0.2
Row = tuple[int, list[int], float]


def design(seed: int, *, edits: int, tasks: int, attempts: int) -> list[Row]:
    rng = random.Random(seed)
    return [
        (
            rng.randrange(tasks),
            [i for i in range(edits) if rng.random() < 0.5],
            float(rng.random() < 0.6),
        )
        for _ in range(attempts)
    ]


def gathered(rows: list[Row], *, edits: int, level: float, grow_at: int = 0) -> Factorial:
    data = Factorial(level=level)
    data.grow(1 if grow_at else edits)
    for n, (task, present, score) in enumerate(rows):
        if n == grow_at:
            data.grow(edits)
        data.add(task, [i for i in present if n >= grow_at or i < 1], score)
    data.grow(edits)
    return data


def textbook(
    rows: list[Row], votes: list[float], *, level: float, prior: Prior, grow_at: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviations by the plain formula, task levels as correlated noise."""
    n, edits = len(rows), len(votes)
    x, z, y = np.zeros((n, edits + 1)), np.zeros((n, 1 + max(row[0] for row in rows))), np.zeros(n)
    x[:, 0] = 1
    for k, (task, present, score) in enumerate(rows):
        x[k, [i + 1 for i in present if k >= grow_at or i < 1]] = 1
        z[k, task], y[k] = 1, score - level
    noise = np.linalg.inv(VARIANCE * np.eye(n) + LEVEL_SPREAD**2 * z @ z.T)
    v = np.array(votes)
    before = np.zeros((edits + 1, edits + 1))
    before[0, 0] = INTERCEPT_SPREAD**2
    before[1:, 1:] = prior.common**2 + prior.vote_spread**2 * np.outer(v, v) + prior.spread**2 * np.eye(edits)
    expected = np.concatenate([[0.0], prior.vote * v])
    precision = np.linalg.inv(before)
    after = np.linalg.inv(precision + x.T @ noise @ x)
    mean = after @ (precision @ expected + x.T @ noise @ y)
    return mean[1:], np.sqrt(np.diag(after))[1:]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("edits", "attempts", "grow_at"), [(1, 1, 0), (4, 30, 0), (12, 150, 0), (6, 60, 25)])
def test_the_posterior_is_exact(seed: int, edits: int, attempts: int, grow_at: int) -> None:
    rows = design(seed, edits=edits, tasks=9, attempts=attempts)
    votes = [float(n % 4 - 1) for n in range(edits)]
    prior = Prior(common=0.03, spread=0.05, vote=0.02, vote_spread=0.01)
    data = gathered(rows, edits=edits, level=0.4, grow_at=grow_at)
    found = posterior(data, votes, variance=VARIANCE, prior=prior)
    mean, sd = textbook(rows, votes, level=0.4, prior=prior, grow_at=grow_at)
    assert found.mean == pytest.approx(list(mean), abs=1e-9)
    assert found.sd == pytest.approx(list(sd), abs=1e-9)


def test_without_data_the_prior_is_what_is_left() -> None:
    data, prior = Factorial(level=0.5), Prior()
    data.grow(3)
    found = posterior(data, [0.0, 1.0, -2.0], variance=VARIANCE, prior=prior)
    assert found.mean == pytest.approx([0.0, prior.vote, -2 * prior.vote])
    spread = [prior.common**2 + prior.spread**2 + prior.vote_spread**2 * vote**2 for vote in (0, 1, 2)]
    assert found.sd == pytest.approx([math.sqrt(s) for s in spread])


def test_no_edits_no_effects() -> None:
    data = Factorial(level=0.5)
    data.add(0, [], 1.0)
    found = posterior(data, [], variance=VARIANCE, prior=Prior())
    assert (found.mean, found.sd, found.regret()) == ([], [], 0)


@pytest.mark.parametrize("seed", range(3))
def test_true_effects_are_recovered(seed: int) -> None:
    """Twelve edits in and out at random over 3,000 attempts: each is known to about two hundredths."""
    rng = random.Random(seed)
    effects = [0.10, 0.08, 0.06, 0.06, 0.0, 0.0, 0.0, 0.0, -0.05, -0.06, -0.08, -0.10]
    levels = [0.5 + rng.gauss(0, 0.1) for _ in range(40)]
    data = Factorial(level=0.5)
    data.grow(len(effects))
    for _ in range(3000):
        task, present = rng.randrange(40), [i for i in range(12) if rng.random() < 0.5]
        chance = levels[task] + sum(effects[i] for i in present)
        data.add(task, present, float(rng.random() < chance))
    found = posterior(data, [0.0] * 12, variance=0.24, prior=Prior())
    for mean, sd, true in zip(found.mean, found.sd, effects, strict=True):
        assert abs(mean - true) < 4 * sd
        assert sd < 0.025
    helpful = [found.chance_of_help(i) for i in range(12)]
    assert min(helpful[:4]) > 0.9
    assert max(helpful[8:]) < 0.1


def test_a_task_tried_more_often_is_not_believed_more_than_its_level_allows() -> None:
    """One easy task that always had the edit must not pass for an effect of the edit."""
    easy, mixed = Factorial(level=0.5), Factorial(level=0.5)
    for data in (easy, mixed):
        data.grow(1)
    for n in range(60):
        easy.add(0, [0], 1.0)
        easy.add(1, [], 0.0)
        mixed.add(n, [0], 1.0)
        mixed.add(100 + n, [], 0.0)
    one, many = (posterior(data, [0.0], variance=VARIANCE, prior=Prior()) for data in (easy, mixed))
    assert one.mean[0] < many.mean[0] / 2
    assert one.sd[0] > many.sd[0]


@given(st.floats(-0.3, 0.3), st.floats(0.001, 0.2))
def test_chance_and_regret_are_those_of_a_normal_variable(mean: float, sd: float) -> None:
    effects = Effects([mean], [sd])
    assert effects.chance_of_help(0) == pytest.approx(stats.norm.cdf(mean / sd), abs=1e-9)
    wrong_side = math.copysign(1, mean)

    def loss(z: float) -> float:
        return max(0.0, -wrong_side * (mean + sd * z)) * float(stats.norm.pdf(z))

    expected, _ = integrate.quad(
        loss, -12, 12, points=[-mean / sd] if abs(mean / sd) < 12 else None, limit=200
    )
    assert effects.regret() == pytest.approx(expected, abs=1e-6)


def test_regret_adds_up() -> None:
    one, other = Effects([0.01], [0.05]), Effects([-0.2], [0.1])
    assert Effects([0.01, -0.2], [0.05, 0.1]).regret() == pytest.approx(one.regret() + other.regret())


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_the_inverse_is_the_inverse(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(size, size))
    matrix = half @ half.T + 0.1 * np.eye(size)
    found = np.array(inverse(matrix.tolist()))
    assert found @ matrix == pytest.approx(np.eye(size), abs=1e-6)
