"""How many edits a step may use: SkillOpt's learning rate, and the order in which tasks come."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sharpen.train.settings import BatchSettings
from sharpen.types import Task


class Batch(NamedTuple):
    """Tasks rolled out together; `seed` is the one SkillOpt gives them."""

    tasks: tuple[Task, ...]
    seed: int


def edit_budget(settings: BatchSettings, step: int, steps: int | None) -> int:
    """The budget of a step (from 1) out of `steps`; without an end in sight it stays at its largest."""
    most, least = settings.learning_rate, settings.min_learning_rate
    if settings.schedule == "constant" or steps is None or steps == 1:
        return most
    done = min(1.0, step / steps)
    left = 1 - done if settings.schedule == "linear" else (1 + math.cos(math.pi * done)) / 2
    return max(least, round(least + (most - least) * left))


def steps_per_epoch(settings: BatchSettings, tasks: int) -> int:
    return math.ceil(tasks / (settings.batch_size * settings.accumulation))


def planned_gates(settings: BatchSettings, tasks: int) -> int | None:
    """The most gates a run can have; None when its epochs have no end."""
    if settings.epochs is None:
        return None
    between = settings.slow_update + settings.meta_reflect
    return settings.epochs * (steps_per_epoch(settings, tasks) + between)


def epoch_batches(
    settings: BatchSettings, tasks: Sequence[Task], *, seed: int, epoch: int
) -> Iterator[Batch]:
    """One epoch's batches, in SkillOpt's order for the same seed; the last may be smaller."""
    order = list(tasks)
    random.Random(seed + 1000 * epoch).shuffle(order)
    for number, start in enumerate(range(0, len(order), settings.batch_size), 1):
        yield Batch(tuple(order[start : start + settings.batch_size]), seed + 1000 * epoch + number)


def epoch_sample(tasks: Sequence[Task], count: int, *, seed: int, epoch: int) -> list[Task]:
    """The tasks on which an epoch is compared with the one before."""
    order = list(tasks)
    random.Random(seed + 2000 * epoch).shuffle(order)
    return order[:count]
