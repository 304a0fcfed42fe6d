"""Which task was solved by which version: the grid, one per split.

A cell is None where no attempt was made, and says `error` where attempts were made and measured nothing:
neither is a failure. Values follow the run's metric, so a cell may be solved in part.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from sharpen.report.record import RunRecord
from sharpen.report.versions import VersionView
from sharpen.store import AttemptRecord

CellState = Literal["solved", "partly", "failed", "error"]
_Attempts = Mapping[tuple[str, str], Sequence[AttemptRecord]]  # (skill digest, task id) -> its attempts
UNKNOWN_SPLIT = "split not recorded yet"
_SPLITS = ("selection", "test", "train", UNKNOWN_SPLIT)


@dataclass(frozen=True)
class Cell:
    """One version on one task; `share` is the mean value of the attempts that measured something."""

    state: CellState
    share: float | None
    measured: int
    solved: int
    errors: int


@dataclass(frozen=True)
class Grid:
    """Rows are versions, columns tasks. `never` tasks of the split were attempted by none of them."""

    split: str
    tasks: tuple[str, ...]
    versions: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    never: int = 0


def grids_of(record: RunRecord, versions: Sequence[VersionView]) -> tuple[Grid, ...]:
    """The splits in which any version was attempted, the one that decides first."""
    digests = {version.digest for version in versions}
    attempts: defaultdict[tuple[str, str], list[AttemptRecord]] = defaultdict(list)
    for attempt in record.finished_attempts:
        if attempt.key.skill in digests:
            attempts[attempt.key.skill, attempt.task_id].append(attempt)
    rest = "train" if record.result is not None else UNKNOWN_SPLIT
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    for _, task in attempts:
        tasks[record.split_of.get(task, rest)].add(task)
    return tuple(
        _grid(record, split, tasks=tasks[split], versions=versions, attempts=attempts)
        for split in _SPLITS
        if tasks[split]
    )


def natural(name: str) -> list[tuple[int, str]]:
    """A sort key under which `task-9` comes before `task-10`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _grid(
    record: RunRecord,
    split: str,
    *,
    tasks: Iterable[str],
    versions: Sequence[VersionView],
    attempts: _Attempts,
) -> Grid:
    ordered = sorted(tasks, key=natural)
    rows = {
        version.label: tuple(_cell(record, attempts.get((version.digest, task), ())) for task in ordered)
        for version in versions
    }
    if split != "selection":  # candidates never tried there would be rows of nothing
        rows = {label: row for label, row in rows.items() if any(row)}
    size = (record.config.get("sizes") or {}).get(split, len(ordered))
    return Grid(split, tuple(ordered), tuple(rows), tuple(rows.values()), max(0, size - len(ordered)))


def _cell(record: RunRecord, attempts: Sequence[AttemptRecord]) -> Cell | None:
    if not attempts:
        return None
    values = [value for attempt in attempts if (value := record.value(attempt)) is not None]
    share = fmean(values) if values else None
    solved = sum(attempt.outcome == "solved" for attempt in attempts)
    return Cell(_state(share), share, len(values), solved, len(attempts) - len(values))


def _state(share: float | None) -> CellState:
    if share is None:
        return "error"
    if share >= 1:
        return "solved"
    return "partly" if share > 0 else "failed"
