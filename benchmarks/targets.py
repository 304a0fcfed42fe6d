"""The figures sharpen wants to reach on each simulated world, and whether a set of runs reaches them.

A mean counts as reached when it is within one standard error of its figure; medians get no such allowance.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from outcomes import Outcome

HONEST = 0.02  # reported minus expected, either way
ALPHA = 0.05  # share of null runs that may accept anything


@dataclass(frozen=True)
class Target:
    """What a world asks for; None asks for nothing."""

    test: float | None = None
    rollouts: int | None = None
    wall: float | None = None
    solved: bool = False
    null: bool = False
    not_below: str | None = None

    def __str__(self) -> str:
        parts = [
            "all solved" if self.solved else "",
            f"test ≥ {self.test:.2f}" if self.test is not None else "",
            f"not below {self.not_below}" if self.not_below else "",
            f"rollouts ≤ {self.rollouts}" if self.rollouts is not None else "",
            f"wall ≤ {self.wall:.0f} s" if self.wall is not None else "",
            f"accepts ≤ {ALPHA:.0%}" if self.null else "",
        ]
        return ", ".join(part for part in parts if part)


TARGETS = {
    "binary": Target(rollouts=150, solved=True),
    "dense": Target(rollouts=140, solved=True),
    "slip.1": Target(test=0.96, rollouts=450),
    "slip.2": Target(test=0.95, rollouts=900),
    "together": Target(test=0.97),
    "conflict": Target(test=0.91),
    "mislead": Target(test=0.96),
    "length": Target(test=0.95),
    "flaky": Target(test=0.93),
    "bundle": Target(test=0.97),
    "errors": Target(test=0.97),
    "small": Target(test=0.92),
    "hard": Target(test=0.93),
    "soft": Target(test=0.98),
    "diffuse": Target(test=0.88),
    "mixed": Target(test=0.87),
    "diffuse.drop": Target(not_below="skillopt"),
    "mixed.drop": Target(not_below="skillopt"),
    "large": Target(test=0.95, wall=389),
}


def target_of(world: str) -> Target:
    return Target(null=True) if world.startswith("null.") else TARGETS[world]


def missed(world: str, ours: Sequence[Outcome], rivals: dict[str, list[Outcome]]) -> list[str]:
    """What of the world's target these runs do not reach; empty when all of it is reached."""
    target = target_of(world)
    return [name for name, reached in _checks(target, ours, rivals) if not reached]


def _checks(
    target: Target, ours: Sequence[Outcome], rivals: dict[str, list[Outcome]]
) -> Iterator[tuple[str, bool]]:
    yield "honesty", abs(mean(ours, _bias)) - error(ours, _bias) <= HONEST
    if target.solved:
        yield "solved", all(run.solved for run in ours)
    if target.test is not None:
        yield "test", mean(ours, _test) + error(ours, _test) >= target.test
    if target.rollouts is not None:
        yield "rollouts", statistics.median(run.rollouts for run in ours) <= target.rollouts
    if target.wall is not None:
        yield "wall", all(run.wall is not None for run in ours) and mean(ours, _wall) <= target.wall
    if target.null:
        allowed = ALPHA + math.sqrt(ALPHA * (1 - ALPHA) / len(ours))
        yield "accepts", statistics.fmean(run.accepted > 0 for run in ours) <= allowed
    if target.not_below:
        yield f"rival {target.not_below}", _not_below(ours, rivals.get(target.not_below, []))


def _not_below(ours: Sequence[Outcome], rival: Sequence[Outcome]) -> bool:
    """Paired by seed; without the rival's runs nothing is shown, so nothing is reached."""
    theirs = {run.seed: run.test for run in rival}
    gaps = [run.test - theirs[run.seed] for run in ours if run.seed in theirs]
    return bool(gaps) and statistics.fmean(gaps) + _standard_error(gaps) >= 0


def mean(runs: Sequence[Outcome], of: Callable[[Outcome], float]) -> float:
    return statistics.fmean(map(of, runs))


def error(runs: Sequence[Outcome], of: Callable[[Outcome], float]) -> float:
    """Standard error of the mean over seeds."""
    return _standard_error([of(run) for run in runs])


def _standard_error(values: Sequence[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def _test(run: Outcome) -> float:
    return run.test


def _bias(run: Outcome) -> float:
    return run.bias


def _wall(run: Outcome) -> float:
    return run.wall or 0.0
