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
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would be removed.")] = False,
    json: options.Json = False,
) -> None:
    """Take installed skills, rules and hooks out again.

    Settings files are restored byte for byte where nobody changed what was put in. Files of a skill that
    were changed since are left alone and named.
    """
    done = uninstall(names or [], scope=Scope.of(scope), dry_run=dry_run)
    show_outcome(done, json=json, dry_run=dry_run)
