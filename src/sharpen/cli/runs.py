"""`sharpen runs`: what lies in a folder of runs, one line each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpen.cli import options
from sharpen.cli.terminal import print_json, say, show
from sharpen.cli.texts import is_run, view_of
from sharpen.errors import SharpenError, UsageError
from sharpen.report import RunView, SkillOptRun, is_skillopt_run, load_skillopt, runs_table
from sharpen.report.table import loop_of


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to look through, at any depth.")
    ] = Path("runs"),
    json: options.Json = False,
) -> None:
    """List the runs in a folder.

    A run that cannot be read is named on stderr and keeps no other from being listed. Runs that SkillOpt made
    are listed, too, and labelled.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name the one that holds your runs")
    found = {run: _view(run) for run in sorted(_runs_in(folder))}
    views = [view for view in found.values() if not isinstance(view, SharpenError)]
    if json:
        print_json([_row(run, view) for run, view in found.items()])
        return
    for view in found.values():
        if isinstance(view, SharpenError):
            say(f"left out: {view}")
    if views:
        show(runs_table(views))
    else:
        say(f"no run to show in {folder}")


def _runs_in(folder: Path) -> Iterator[Path]:
    """Run folders at any depth; what lies inside a run is its own."""
    if is_run(folder) or is_skillopt_run(folder):
        yield folder
        return
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            yield from _runs_in(inner)


def _view(run: Path) -> RunView | SkillOptRun | SharpenError:
    try:
        return load_skillopt(run) if is_skillopt_run(run) else view_of(run)
    except SharpenError as error:
        return error


def _row(run: Path, view: RunView | SkillOptRun | SharpenError) -> dict[str, Any]:
    if isinstance(view, SharpenError):
        return {"run": str(run), "state": "unreadable", "problem": str(view)}
    if isinstance(view, SkillOptRun):
        state = "finished" if view.finished else "unfinished"
        steps = {"steps": len(view.steps), "accepted": any(step.accepted for step in view.steps)}
        return {"run": str(run), "made_by": view.made_by, "state": state, **steps, **view.scores}
    return {
        "run": str(run),
        "made_by": "sharpen",
        "loop": loop_of(view),
        "state": view.status.state,
        "accepted": view.accepted,
        "selection": asdict(view.selection) if view.selection else None,
        "gain": asdict(view.gain) if view.gain else None,
        "rollouts": view.spend.rollouts,
        "last": view.status.last,
    }
