"""`sharpen report`: a run as one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sharpen import report
from sharpen.cli import options
from sharpen.cli.terminal import print_json
from sharpen.cli.texts import view_of
from sharpen.errors import StoreError


def command(
    run: options.RunFolder,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write; `-` is stdout. [default: RUN/report.html]"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Write a run as one self-contained HTML file.

    Prints the path of the file. No script, style or picture is loaded from anywhere else.
    """
    view = view_of(run)
    if json:
        print_json(view.as_json())
        return
    page, target = report.render_html(view), output or run / "report.html"
    if str(target) == "-":
        typer.echo(page)
        return
    try:
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{target}: the report cannot be written ({error.strerror or error})") from error
    typer.echo(str(target))
