"""The page: one HTML file that stands alone, for a run that is over or still at work.

Skill texts, feedback and task ids were written by models and strangers: the template escapes everything and
the page forbids itself any script and any request. This module arranges; the words are `sentences`' and the
look is `templates/`'.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from sharpen.report import sentences, training
from sharpen.report.chart import chart_of
from sharpen.report.diffs import diff_of, edit_diff
from sharpen.report.grid import Cell, Grid
from sharpen.report.refusals import Refusal
from sharpen.report.versions import StepView
from sharpen.report.view import RunView
from sharpen.report.visible import visible

BAND = 40  # tasks side by side in a grid
FOLD = 5  # rejections in a row that are folded into one line of the lineage
SHOWN_TASKS = 6  # task ids named before "and 12 more"


def render_html(view: RunView) -> str:
    """The whole report as one self-contained page."""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            view=view,
            best=view.version(view.best),
            start=view.version("start"),
            chart=chart_of(view.curve, view.marks),
            lineage=_lineage(view.steps),
            changes=[(step, view.version(step.version), view.version(step.parent)) for step in view.steps],
            grids=[GridPage.of(grid, view.best) for grid in view.grids],
            refusals=_by_kind(view.refusals),
            reach=_reach(view.steps),
            config=json.dumps(view.config, indent=2, ensure_ascii=False, sort_keys=True),
            diff_of=diff_of,
            edit_diff=edit_diff,
            words=sentences,
            training=training,
            shown_tasks=SHOWN_TASKS,
        )
    )


@dataclass(frozen=True)
class CellPage:
    """A cell's look: class, sign, tooltip, and how full it is in percent."""

    css: str
    sign: str
    title: str
    fill: int | None = None


@dataclass(frozen=True)
class BandPage:
    """Some of a grid's tasks, as many as fit side by side."""

    tasks: tuple[str, ...]
    rows: tuple[tuple[str, tuple[CellPage, ...]], ...]


@dataclass(frozen=True)
class GridPage:
    """A grid cut into bands, and what changed from the first version to the best."""

    grid: Grid
    bands: tuple[BandPage, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @classmethod
    def of(cls, grid: Grid, best: str) -> GridPage:
        starts = range(0, len(grid.tasks), BAND)
        bands = tuple(_band(grid, slice(start, start + BAND)) for start in starts)
        gained, lost = _changed(grid, best)
        return cls(grid, bands, gained, lost)


@cache
def _environment() -> Environment:
    folder = files("sharpen.report") / "templates"
    environment = Environment(
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clock"] = _clock
    return environment


def _shown(value: object) -> object:
    """Applied to everything the template prints, before it is escaped; markup is our own."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _lineage(steps: Sequence[StepView]) -> list[tuple[StepView, ...]]:
    """The steps in order; a long row of rejections comes as one entry."""
    entries: list[tuple[StepView, ...]] = []
    for accepted, same in groupby(steps, key=lambda step: step.accepted):
        together = tuple(same)
        folds = not accepted and len(together) >= FOLD
        entries += [together] if folds else [(step,) for step in together]
    return entries


def _reach(steps: Sequence[StepView]) -> float:
    """How far from zero the differences go: the scale of their drawings."""
    found = [step.difference for step in steps if step.difference]
    return max([0.05, *(max(abs(one.low), abs(one.high)) for one in found)])


def _by_kind(refusals: Sequence[Refusal]) -> list[tuple[str, tuple[Refusal, ...]]]:
    return [(kind, tuple(same)) for kind, same in groupby(refusals, key=lambda refusal: refusal.kind)]


def _band(grid: Grid, part: slice) -> BandPage:
    tasks = grid.tasks[part]
    rows = zip(grid.versions, (row[part] for row in grid.cells), strict=True)
    return BandPage(tasks, tuple((label, _row_page(label, tasks, row)) for label, row in rows))


def _row_page(label: str, tasks: Sequence[str], row: Sequence[Cell | None]) -> tuple[CellPage, ...]:
    return tuple(_cell_page(cell, f"{task} · {label}") for task, cell in zip(tasks, row, strict=True))


def _cell_page(cell: Cell | None, where: str) -> CellPage:
    if cell is None:
        return CellPage("none", "", f"{where}: not measured")
    if cell.state == "error":
        tried = sentences.plural(cell.errors, "attempt")
        return CellPage("error", "!", f"{where}: error, {tried} measured nothing")
    errors = f", {sentences.plural(cell.errors, 'error')}" if cell.errors else ""
    share = cell.share or 0.0
    told = f"{where}: {cell.state}, {cell.solved} of {cell.measured} solved{errors}, mean {share:.2f}"
    sign = {"solved": "✓", "failed": "×", "partly": ""}[cell.state]
    return CellPage(cell.state, sign, told, round(100 * share) if cell.state == "partly" else None)


def _changed(grid: Grid, best: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tasks that the best version solves more often, and less often, than the start did."""
    rows = dict(zip(grid.versions, grid.cells, strict=True))
    if best == "start" or not {"start", best} <= rows.keys():
        return (), ()
    shares = [
        (task, old.share, new.share)
        for task, old, new in zip(grid.tasks, rows["start"], rows[best], strict=True)
        if old and new
    ]
    both = [(task, old, new) for task, old, new in shares if old is not None and new is not None]
    gained = tuple(task for task, old, new in both if new > old)
    return gained, tuple(task for task, old, new in both if new < old)
