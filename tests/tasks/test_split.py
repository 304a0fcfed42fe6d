"""Splitting tasks that have no split: proportions, determinism, groups kept together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import TaskError
from sharpen.tasks import split_tasks
from sharpen.types import Task, TaskSet


def tasks(count: int) -> list[Task]:
    return [Task(f"t{n}") for n in range(count)]


def sizes(found: TaskSet) -> tuple[int, int, int]:
    return len(found.train), len(found.selection), len(found.test)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(3, (1, 1, 1)), (5, (2, 1, 2)), (7, (3, 1, 3)), (100, (40, 20, 40)), (101, (41, 20, 40))],
)
def test_proportions_by_largest_remainder(count: int, expected: tuple[int, int, int]) -> None:
    assert sizes(split_tasks(tasks(count))) == expected


def test_the_order_of_the_file_does_not_matter_but_the_seed_does() -> None:
    some = tasks(50)
    there, back = split_tasks(some, seed=1), split_tasks(some[::-1], seed=1)
    assert set(there.train) == set(back.train)
    assert set(split_tasks(some, seed=2).train) != set(there.train)


@given(groups=st.lists(st.integers(0, 12), min_size=3, max_size=60), seed=st.integers(0, 5))
def test_groups_stay_together_and_nothing_is_lost(groups: list[int], seed: int) -> None:
    some = [Task(f"t{n}", group=f"g{g}") for n, g in enumerate(groups)]
    if len(set(groups)) < 3:
        with pytest.raises(TaskError):
            split_tasks(some, seed=seed)
        return
    found = split_tasks(some, seed=seed)
    splits = [found.train, found.selection, found.test]
    assert sorted(t.id for split in splits for t in split) == sorted(t.id for t in some)
    homes: dict[str | None, set[int]] = {}
    for at, split in enumerate(splits):
        for task in split:
            homes.setdefault(task.group, set()).add(at)
    assert all(len(home) == 1 for home in homes.values())


def test_too_few_to_split() -> None:
    with pytest.raises(TaskError, match="at least three"):
        split_tasks(tasks(2))
