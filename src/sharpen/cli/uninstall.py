"""`sharpen uninstall`: what `sharpen install` put somewhere, out again."""

from __future__ import annotations

from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.install import show_outcome
from sharpen.install import Scope, ScopeName, uninstall


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Skills to take out; all without one.")
    ] = None,
    scope: Annotated[
        ScopeName, typer.Option("--scope", help="The project in the current folder, or your home folder.")
    ] = "project",
    project: options.InstalledProject = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show what would be removed, line by line.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Take installed skills, rules and hooks out again.

    Settings files are restored byte for byte where nobody changed what was put in; otherwise only our part
    goes. Files of a skill that were changed since are left alone and named. The project is the nearest one
    at or above the folder that has something installed.
    """
    done = uninstall(names or [], scope=Scope.around(scope, project=project), dry_run=dry_run)
    show_outcome(done, json=json, dry_run=dry_run)
