"""Everything a run folder holds, read once, so that all parts of a report speak of the same moment.

Reading takes no lock: it works beside a live run and on one that was killed. What is written later is read
first, so that whatever an event mentions has been read as well. Knows the store; knows nothing of reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sharpen.store import AttemptRecord, Evaluation, Event, ProposalRecord, SqliteStore, Version
from sharpen.types import Estimate, Json, Score


@dataclass(frozen=True)
class RunRecord:
    """A run as its store tells it. Events are read leniently: a key that is missing reads as absent."""

    config: dict[str, Any]
    result: dict[str, Any] | None
    events: list[Event]
    versions: dict[str, Version]
    evaluations: list[Evaluation]
    attempts: list[AttemptRecord]
    proposals: list[ProposalRecord]
    lost: int
    seconds: float

    @classmethod
    def read(cls, run_dir: Path) -> RunRecord:
        with closing(SqliteStore.read(run_dir)) as store:
            result, events = store.result(), store.events()
            return cls(
                config=store.config(),
                result=result,
                events=events,
                versions={version.digest: version for version in store.versions()},
                evaluations=store.evaluations(),
                attempts=store.attempts(),
                proposals=store.proposals(),
                lost=store.lost(),
                seconds=store.seconds(),
            )

    def of_kind(self, *kinds: str) -> Iterator[Event]:
        return (event for event in self.events if event.kind in kinds)

    @cached_property
    def start(self) -> str:
        """The starting skill's digest; empty while nothing was recorded."""
        first = next((digest for digest, version in self.versions.items() if version.parent is None), "")
        return str(self.config.get("skill") or first)

    @cached_property
    def finished_attempts(self) -> list[AttemptRecord]:
        return [attempt for attempt in self.attempts if attempt.outcome is not None]

    @cached_property
    def split_of(self) -> dict[str, str]:
        """The split of every task that an evaluation names."""
        return {task: one.split for one in self.evaluations for task in one.counted}

    @cached_property
    def train_ids(self) -> dict[int, str]:
        """Task ids by their place in the train split, as far as adoptions tell both."""
        return {
            edit["witness"]: str(event.data["task"])
            for event in self.of_kind("adopt")
            for edit in event.data.get("edits") or ()
            if isinstance(edit.get("witness"), int) and event.data.get("task")
        }

    def measured(self, skill: str, split: str, purpose: str) -> Estimate | None:
        wanted = (skill, split, purpose)
        return next((e.estimate for e in self.evaluations if (e.skill, e.split, e.purpose) == wanted), None)

    def outcome(self, name: str) -> Estimate | None:
        """`selection`, `test` or `gain` of the ending; a run killed after its final pass has that much."""
        if self.result is not None:
            return read_estimate(self.result.get(name))
        told = (event.data.get(name) for event in self.of_kind("final", "test"))
        return read_estimate(next(filter(None, told), None))

    def value(self, attempt: AttemptRecord) -> float | None:
        """The one number the run went by: None for an attempt that measured nothing."""
        if attempt.hard is None or attempt.soft is None:
            return None
        score = Score(attempt.hard, attempt.soft)
        return score.value(self.config.get("metric", "hard"), self.config.get("mixed_weight", 0.5))


def read_estimate(data: object) -> Estimate | None:
    """An estimate out of an event or a result; None when there is none."""
    if not isinstance(data, Mapping):
        return None
    fields: Json = data
    return Estimate(fields["mean"], fields["low"], fields["high"], fields["n"], fields.get("tasks", 0))
