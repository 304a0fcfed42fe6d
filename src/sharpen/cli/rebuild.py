"""`sharpen rebuild`: the readable files of a run folder, written again from its database."""

from __future__ import annotations

import typer

from sharpen import store
from sharpen.cli import options
from sharpen.cli.terminal import print_json


def command(run: options.RunFolder, json: options.Json = False) -> None:
    """Write a run's readable files again from its database.

    They are projections: deleting or editing them loses nothing.
    """
    written = store.rebuild(run)
    if json:
        print_json([str(path) for path in written])
    else:
        typer.echo(f"{len(written)} files are as the database says, in {run}")
