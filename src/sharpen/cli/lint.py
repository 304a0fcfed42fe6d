"""`sharpen lint`: findings with their reasons; errors make the exit code 1."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.terminal import print_json, say
from sharpen.skills import Finding, lint_path


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Skill files or skill folders.")],
    json: options.Json = False,
) -> None:
    """Look skills over: will clients read them as they are meant?

    Exit code: 0 without errors (warnings may be there), 1 with one.
    """
    found = [(path, finding) for path in paths for finding in lint_path(path)]
    errors = sum(finding.level == "error" for _, finding in found)
    if json:
        print_json([{"path": str(path), **finding._asdict()} for path, finding in found])
    else:
        for path, finding in found:
            typer.echo(_line(path, finding))
        say(f"{len(paths)} looked at: {errors} errors, {len(found) - errors} warnings")
    if errors:
        raise typer.Exit(1)


def _line(path: Path, finding: Finding) -> str:
    where = f"{path}:{finding.line}" if finding.line else str(path)
    return f"{where}: {finding.level}: {finding.message} [{finding.rule}]"
