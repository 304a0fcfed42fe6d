"""Which train task to look at next: for each one, how likely the draft still fails it.

A record (count, mean) per task follows the draft's lineage and fades as the draft changes. The belief is
Bayes' rule with the share of failing tasks as prior; likelihoods are cached per task and renewed only when
the record or the noise moves, so a look costs the same on forty tasks as on four hundred.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from sharpen.train.noise import NoiseMeter

CONVERGED = 0.05
"""No task above this priority: the lanes have nothing left to do."""
THIN = 0.6
"""Records fainter than this are looked at again when outcomes are noisy."""
FLOOR = 0.1
"""Least belief for a task not seen lately."""
ENOUGH = 4.0
"""With this many times 1/floor tasks seen lately the unseen ones need no look of their own."""


class Beliefs:
    """Records and beliefs for the tasks 0 … n-1."""

    def __init__(self, tasks: int, meter: NoiseMeter, rng: random.Random) -> None:
        self._meter = meter
        self.count, self.mean, self.tries = [0.0] * tasks, [0.0] * tasks, [0.0] * tasks
        self._ratio = [1.0] * tasks
        self._seen: list[int] = []
        self._unseen = list(range(tasks))
        rng.shuffle(self._unseen)
        self._place = {task: place for place, task in enumerate(self._unseen)}
        self._ranking: list[int] | None = None
        self._fresh = 0
        self._prior, self._changes = 0.5, 0
        self._likelihood = Likelihood.of(meter)

    def observe(self, task: int, value: float) -> None:
        n = self.count[task]
        self.replace(task, count=n + 1, mean=self.mean[task] + (value - self.mean[task]) / (n + 1))

    def replace(self, task: int, *, count: float, mean: float) -> None:
        """What the draft does on this task, from now on."""
        if not self.count[task]:
            self._seen.append(task)
            self._unseen.remove(task)
        self._fresh += (count >= THIN) - (self.count[task] >= THIN)
        self.count[task], self.mean[task] = count, mean
        self._ratio[task] = self._likelihood.ratio(count, mean)
        self._ranking = None
        self._changes += 1

    def fade(self, *, count: float, tries: float) -> None:
        """Old records say less about a changed draft."""
        self.count = [n * count for n in self.count]
        self.tries = [t * tries for t in self.tries]
        self._fresh = sum([n >= THIN for n in self.count])
        self._renew()

    @property
    def level(self) -> float:
        """Mean score on the tasks seen; 0 before any was."""
        return sum(self.mean) / len(self._seen) if self._seen else 0.0

    def of(self, task: int) -> float:
        """How likely the draft fails the task."""
        odds = self._odds() * self._ratio[task]
        return odds / (odds + 1)

    def pick(self, is_busy: Callable[[int], bool]) -> int | None:
        """The free task with the highest priority, the first in order among equals; None: all look solved."""
        odds, floor = self._odds(), self._floor()
        best, least = self._pick_unseen(max(odds / (odds + 1), floor), is_busy)
        thin, place = THIN if self._meter.noisy else 1e-9, self._place
        ratio, count, tries = self._ratio, self.count, self.tries
        for task in self._ranked():
            against = odds * ratio[task]
            belief = against / (against + 1)
            if belief < floor and count[task] < thin:
                belief = floor
            elif belief < least and floor < least:
                break  # the rest is believed in less
            priority = belief * 0.6 ** tries[task]
            if priority < least or (priority == least and (best is None or place[task] > place[best])):
                continue
            if not is_busy(task):
                best, least = task, priority
        return best

    def _pick_unseen(self, belief: float, is_busy: Callable[[int], bool]) -> tuple[int | None, float]:
        """The first of the least tried; all that were never tried are equally unknown."""
        best, least = None, CONVERGED
        for task in self._unseen:
            priority = belief * 0.6 ** self.tries[task]
            if priority > least and not is_busy(task):
                best, least = task, priority
                if not self.tries[task]:
                    break
        return best, least

    def _floor(self) -> float:
        """Least belief for thin records: nothing once enough others were seen lately."""
        return min(FLOOR, ENOUGH / max(1, self._fresh))

    def _odds(self) -> float:
        """Odds that a task fails: two rounds of EM over the tasks seen, smoothed, at most 0.9.

        Renewed after every change, on large splits after one change in forty tasks.
        """
        if not self._likelihood.fits(self._meter):
            self._likelihood = Likelihood.of(self._meter)
            self._renew()
        if self._changes * 40 >= max(1, len(self._seen)):
            self._changes = 0
            ratios = [self._ratio[task] for task in self._seen]
            for _ in range(2):
                odds = self._prior / (1 - self._prior)
                failing = sum([odds * r / (odds * r + 1) for r in ratios])
                self._prior = min(0.9, (1 + failing) / (2 + len(ratios)))
        return self._prior / (1 - self._prior)

    def _renew(self) -> None:
        ratios: dict[tuple[float, float], float] = {}  # many tasks have the same record
        for task in self._seen:
            record = self.count[task], self.mean[task]
            if record not in ratios:
                ratios[record] = self._likelihood.ratio(*record)
            self._ratio[task] = ratios[record]
        self._ranking = None
        self._changes = len(self._seen)

    def _ranked(self) -> list[int]:
        """The tasks seen, those that most probably fail first."""
        if self._ranking is None:
            self._ranking = sorted(self._seen, key=self._ratio.__getitem__, reverse=True)
        return self._ranking


@dataclass(frozen=True)
class Likelihood:
    """How much likelier a record is on a failing task than on a solved one, averaged over levels of failing.

    Pass/fail outcomes that flip follow Bernoulli's law; graded or steady ones are taken as Gaussian around
    their level, and may also fail by a little. Per attempt with score x the logarithm is a + b·x.
    """

    variance: float
    flips: bool
    terms: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, meter: NoiseMeter) -> Likelihood:
        variance, ceiling = meter.variance, meter.ceiling
        flips = meter.noisy and not meter.graded
        if flips:
            flip = 1 - ceiling
            levels = [flip, max(flip, ceiling / 4), max(flip, ceiling / 2)]
            misses = [(math.log((1 - level) / flip), math.log(level / ceiling)) for level in levels]
            terms = [(miss, hit - miss) for miss, hit in misses]
        else:
            near = ceiling - max(0.1, 1.5 * math.sqrt(variance))
            levels = [0.0, ceiling / 4, ceiling / 2, min(near, 3 * ceiling / 4), near]
            terms = [
                ((ceiling**2 - level**2) / (2 * variance), (level - ceiling) / variance) for level in levels
            ]
        return cls(variance, flips, tuple(terms))

    def fits(self, meter: NoiseMeter) -> bool:
        """Noise moves with every repeat; a twentieth is worth a renewal."""
        close = abs(meter.variance - self.variance) <= 0.05 * self.variance
        return close and self.flips == (meter.noisy and not meter.graded)

    def ratio(self, count: float, mean: float) -> float:
        total = 0.0
        for a, b in self.terms:
            log = count * (a + b * mean)
            total += math.exp(log) if log < 50 else 5e21
        return total / len(self.terms)
