"""Vetting: an adopted line is a winner picked from noisy checks, so it is on probation.

Each line is examined with fresh attempts, the draft with it against the draft without it, on the task that
spoke for it. This is what keeps skills short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sharpen.evaluate import Attempt
from sharpen.train.crew import Steps
from sharpen.train.draft import Change, Draft
from sharpen.train.state import State
from sharpen.types import Rollout

STAYS = 2.0
"""Standard errors of gain on fresh attempts after which a line is kept."""
GOES = 0.8
REFUTED = 1.64
"""Standard errors by which the claimed gain must be missed before a line is taken out."""
LUCK = 0.02
"""Chance that a line-less draft passed this often by flips alone."""
BOTH_FAIL = 3
PATIENCE = 8


@dataclass(frozen=True, slots=True)
class Probation:
    """How the examination of one line ended."""

    change: Change
    stays: bool
    gain: float
    attempts: int


class _Side:
    """Fresh attempts of one arm."""

    def __init__(self) -> None:
        self.n, self.mean, self.passes = 0, 0.0, 0

    def add(self, value: float, near: float) -> None:
        self.n += 1
        self.mean += (value - self.mean) / self.n
        self.passes += value >= near


def vet(state: State, line: Change, *, only_if_passing: bool = False) -> Steps[Probation]:
    """Examine one change of the draft; `only_if_passing` removes nothing but what the task does not need."""
    lesser = _without(state, line)
    if lesser is None or line.witness is None:
        return Probation(line, stays=True, gain=line.gain, attempts=0)
    task, full, removals = line.witness, state.draft.skill, state.removals
    held, bare = _Side(), _Side()
    while True:
        without = bare.n <= held.n
        skill = lesser.skill if without else full
        (answer,) = yield [Attempt(skill, state.train[task])]
        assert isinstance(answer, Rollout)
        value = state.note(skill, task, answer, lineage=not without)
        if value is None:
            return Probation(line, stays=True, gain=line.gain, attempts=held.n + bare.n)
        variance = state.meter.variance_of(task)
        near = state.meter.ceiling - max(0.1, 1.5 * math.sqrt(state.meter.variance))
        (bare if without else held).add(value, near)
        if not held.n or not bare.n:
            continue
        stays = _judge(held, bare, variance, line.gain, _luck_free(state), only_if_passing=only_if_passing)
        if stays is None:
            continue
        if stays or not bare.passes or state.removals == removals:
            return Probation(line, stays, held.mean - bare.mean, attempts=held.n + bare.n)
        # The task passes without this line, but another line went meanwhile and may have stood in for it: two
        # wordings of one rule must not both go. So the arm without this line begins anew, without both.
        lesser, removals = _without(state, line), state.removals
        if lesser is None:
            return Probation(line, stays=True, gain=line.gain, attempts=held.n + bare.n)
        full, bare = state.draft.skill, _Side()


def _without(state: State, line: Change) -> Draft | None:
    """The draft without this line; None when it has gone already or others stand on it."""
    k = state.draft.index_of(line.edit)
    return None if k is None else state.draft.without(k)


def _luck_free(state: State) -> int:
    """Passes in a row that flips alone would bring with a chance below LUCK."""
    flip = max(1e-9, state.meter.flip)
    return math.ceil(math.log(LUCK) / math.log(flip))


def _judge(
    held: _Side, bare: _Side, variance: float, gain: float, passes: int, *, only_if_passing: bool
) -> bool | None:
    """True: the line stays; False: it goes; None: go on."""
    diff = held.mean - bare.mean
    error = math.sqrt(variance * (1 / held.n + 1 / bare.n))
    if diff / error >= STAYS:
        return True
    refuted = (gain - diff) / error >= REFUTED
    if diff / error < GOES and refuted and bare.passes >= passes:
        return False
    if min(held.n, bare.n) >= BOTH_FAIL and held.passes == 0 and bare.passes == 0:
        return only_if_passing
    if min(held.n, bare.n) >= PATIENCE:
        return only_if_passing or diff / error >= 1.0
    return None
