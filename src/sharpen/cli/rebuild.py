"""`sharpen rebuild`: the readable files of a run folder, written again from its database."""

from __future__ import annotations

import typer

from sharpen import store
from sharpen.cli import options
from sharpen.cli.terminal import print_json
from sharpen.errors import RunFolderError
from sharpen.report import is_skillopt_run


def command(run: options.RunFolder, json: options.Json = False) -> None:
    """Write a run's readable files again from its database.

    They are projections: deleting or editing them loses nothing.
    """
    if is_skillopt_run(run):
        raise RunFolderError(
            f"{run} was made by SkillOpt: its files are its only record, nothing can rebuild them"
        )
    written = store.rebuild(run)
    if json:
        print_json([str(path) for path in written])
    else:
        typer.echo(f"{len(written)} files are as the database says, in {run}")
