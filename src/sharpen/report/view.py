"""A run as a person wants to see it: read from its folder, worked out, ready to be drawn or printed as JSON.

`load_run` is the one way in; it works while the run is live, and on one that was killed. The parts come from
the modules beside this one, each made from the same `RunRecord`. Nothing here knows HTML or terminals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sharpen.report.curve import CurvePoint, Mark, marks_of, points_of
from sharpen.report.epochs import EpochView, epochs_of
from sharpen.report.grid import Grid, grids_of
from sharpen.report.origins import LineOrigin, origins_of
from sharpen.report.recipe import recipe_of
from sharpen.report.record import RunRecord
from sharpen.report.refusals import Refusal, refusals_of
from sharpen.report.search import search_of
from sharpen.report.sentences import Headline, headline_of, notes_of
from sharpen.report.spend import Spend, spend_of
from sharpen.report.status import Status, status_of
from sharpen.report.versions import StepView, VersionView, accepted_chain, labels_of, steps_of, versions_of
from sharpen.types import Estimate


@dataclass(frozen=True)
class RunView:
    """Everything a report shows. Versions are named as in `versions.py`: start, v1, c3."""

    name: str
    run_dir: str
    status: Status
    headline: Headline
    notes: tuple[str, ...]
    accepted: bool
    reason: str
    """Why the run ended; empty while it has not."""
    best: str
    """The label of the best accepted version; `start` when there is none."""
    selection: Estimate | None
    test: Estimate | None
    gain: Estimate | None
    spend: Spend
    curve: tuple[CurvePoint, ...]
    marks: tuple[Mark, ...]
    search: tuple[str, ...]
    """What the search on train did, in a few sentences."""
    epochs: tuple[EpochView, ...]
    """The epochs of a batch run; empty for the other loop."""
    steps: tuple[StepView, ...]
    """The gate decisions."""
    versions: tuple[VersionView, ...]
    refusals: tuple[Refusal, ...]
    blame: tuple[LineOrigin, ...]
    grids: tuple[Grid, ...]
    config: Mapping[str, Any]
    recipe: str
    """Python code that makes the run again."""

    def version(self, label: str) -> VersionView | None:
        return next((version for version in self.versions if version.label == label), None)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; a cell of a grid that was not measured is null."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def load_run(run_dir: str | Path) -> RunView:
    """Read a run folder; RunFolderError when it is not one."""
    folder = Path(run_dir)
    record = RunRecord.read(folder)
    status, spend, steps = status_of(record, folder), spend_of(record), steps_of(record)
    versions = versions_of(record, steps)
    best = _best(record, steps)
    return RunView(
        name=folder.resolve().name,
        run_dir=str(run_dir),
        status=status,
        headline=headline_of(record, status=status, steps=steps, spend=spend),
        notes=notes_of(record, spend),
        accepted=any(step.accepted for step in steps),
        reason=str((record.result or {}).get("reason", "")),
        best=best,
        selection=record.outcome("selection"),
        test=record.outcome("test"),
        gain=record.outcome("gain"),
        spend=spend,
        curve=points_of(record, steps=steps, versions=versions, best=best),
        marks=marks_of(record),
        search=search_of(record),
        epochs=epochs_of(record, steps=steps, labels=labels_of(record)),
        steps=steps,
        versions=versions,
        refusals=refusals_of(record, steps),
        blame=origins_of(record, steps),
        grids=grids_of(record, versions),
        config=record.config,
        recipe=recipe_of(record.config, str(run_dir)),
    )


def _best(record: RunRecord, steps: tuple[StepView, ...]) -> str:
    chain = accepted_chain(record, steps)
    return labels_of(record)[chain[-1]] if chain else "start"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
