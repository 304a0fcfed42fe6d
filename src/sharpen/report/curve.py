"""The score curve: what was measured on held-out tasks, against the rollouts spent by then.

A gate's scores come from attempts that stop as soon as the decision is clear, so they lean towards the
decision; the final pass is fresh. The starting skill stands at zero, although a gate measured it later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sharpen.report.record import RunRecord, read_estimate
from sharpen.report.versions import StepView, VersionView
from sharpen.types import Estimate

PointKind = Literal["start", "accepted", "rejected", "final", "test", "test start"]
MarkKind = Literal["adopted", "dropped", "vetted out", "group test", "gate"]


MARKS: dict[str, MarkKind] = {
    "adopt": "adopted",
    "pool": "adopted",
    "drop": "dropped",
    "vet": "vetted out",
    "group": "group test",
    "gate": "gate",
}
"""What each kind of event is called below the curve; a vetted line that stays is no mark."""


@dataclass(frozen=True)
class CurvePoint:
    """One measurement of one version."""

    rollouts: int
    kind: PointKind
    version: str
    score: Estimate

    @property
    def held(self) -> bool:
        """Whether the run's best skill went through this point: what a line may connect."""
        return self.kind in ("start", "accepted", "final")


@dataclass(frozen=True)
class Mark:
    """Something that happened on the way, for the strip below the curve."""

    rollouts: int
    kind: MarkKind


def points_of(
    record: RunRecord, *, steps: Sequence[StepView], versions: Sequence[VersionView], best: str
) -> tuple[CurvePoint, ...]:
    """In the order of the rollouts spent."""
    return tuple(_points(record, steps, {version.label: version for version in versions}, best))


def marks_of(record: RunRecord) -> tuple[Mark, ...]:
    """The search's finds and losses."""
    return tuple(
        Mark(int(event.data.get("rollouts") or 0), MARKS[event.kind])
        for event in record.of_kind(*MARKS)
        if event.kind != "vet" or not event.data.get("stays", True)
    )


def _points(
    record: RunRecord, steps: Sequence[StepView], versions: dict[str, VersionView], best: str
) -> Iterator[CurvePoint]:
    start = versions.get("start")
    if start and start.gate:
        yield CurvePoint(0, "start", "start", start.gate)
    for step in steps:
        version = versions.get(step.version)
        if version and version.gate:
            kind: PointKind = "accepted" if step.accepted else "rejected"
            yield CurvePoint(step.rollouts, kind, step.version, version.gate)
    for event in record.of_kind("final", "test"):
        spent = int(event.data.get("rollouts") or 0)
        if event.kind == "final" and (final := read_estimate(event.data.get("selection"))):
            yield CurvePoint(spent, "final", best, final)
        if event.kind == "test" and (test := read_estimate(event.data.get("test"))):
            if start and start.test and best != "start":
                yield CurvePoint(spent, "test start", "start", start.test)
            yield CurvePoint(spent, "test", best, test)
