"""How a download looks: a bar when somebody watches, a line per file when not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

from sharpen.cli.terminal import console, say
from sharpen.models.local import Notice
from sharpen.models.local import Progress as Report


@contextmanager
def download_bar() -> Iterator[Report]:
    """Yields what a download reports its notices to."""
    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    bars: dict[str, TaskID] = {}
    with Progress(*columns, console=err, disable=not err.is_terminal, transient=True) as progress:

        def report(notice: Notice) -> None:
            if notice.what not in bars:
                bars[notice.what] = progress.add_task(notice.what, total=notice.total)
                if not err.is_terminal:
                    say(f"getting {notice.what}")
            progress.update(bars[notice.what], completed=notice.done)

        yield report
