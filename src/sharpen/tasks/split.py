"""Dividing tasks into train, selection and test when their author did not.

The split depends on the seed and the tasks' ids, not on the order of the file. Tasks of one group stay
together, because a split that separates near-copies lets the search see what it will be judged on.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from sharpen.errors import TaskError
from sharpen.types import Split, Task, TaskSet

RATIO: dict[Split, int] = {"train": 40, "selection": 20, "test": 40}
"""Parts of a hundred. Half of what decides is kept for the one look at the end."""


def split_tasks(tasks: Sequence[Task], *, seed: int = 0) -> TaskSet:
    """A TaskSet in the proportions of RATIO; TaskError when there are too few tasks for three splits."""
    units = _units(tasks)
    if len(units) < len(RATIO):
        raise TaskError(
            f"{len(units)} independent tasks cannot be split into train, selection and test; "
            "give at least three, or say each task's split"
        )
    room = _sizes(len(tasks))
    splits: dict[Split, list[Task]] = {name: [] for name in RATIO}
    for unit in sorted(units, key=lambda unit: sha256(f"{seed}|{unit}".encode()).hexdigest()):
        name = max(RATIO, key=lambda name: (not splits[name], room[name] - len(splits[name])))
        splits[name] += units[unit]
    order = {task.id: at for at, task in enumerate(tasks)}
    return TaskSet(**{name: sorted(some, key=lambda task: order[task.id]) for name, some in splits.items()})


def _units(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """What must stay together: a group, or a task that has none."""
    units: dict[str, list[Task]] = {}
    for task in tasks:
        units.setdefault(f"task {task.id}" if task.group is None else f"group {task.group}", []).append(task)
    return units


def _sizes(total: int) -> dict[Split, int]:
    """The largest-remainder method: whole parts first, what is left to the largest fractions."""
    exact = {name: total * part / sum(RATIO.values()) for name, part in RATIO.items()}
    sizes = {name: int(share) for name, share in exact.items()}
    by_fraction = sorted(RATIO, key=lambda name: sizes[name] - exact[name])
    for name in by_fraction[: total - sum(sizes.values())]:
        sizes[name] += 1
    return sizes
