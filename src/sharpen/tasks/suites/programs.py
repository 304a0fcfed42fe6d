"""Running a program that changes a workbook, in the sandbox, on a copy of the workbook.

The program finds the names INPUT_PATH and OUTPUT_PATH defined; its own assignments to them are dropped. What
it wrote is recalculated by LibreOffice where that is installed, because a formula has no value before.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sharpen.sandbox import Finished, Isolation, Limits, Sandbox, open_sandbox
from sharpen.tasks.extras import load
from sharpen.tasks.suites.workbooks import SPREADSHEETS

_PATHS = re.compile(r"^([ \t]*)(?:INPUT_PATH|OUTPUT_PATH)[ \t]*=(?!=).*$", re.MULTILINE)
_HEAD = "INPUT_PATH, OUTPUT_PATH = 'input.xlsx', 'output.xlsx'\n"


class Ran(NamedTuple):
    """One run: how it ended, and the workbook it wrote, if it wrote one."""

    finished: Finished
    made: Path | None

    @property
    def fault(self) -> str:
        """What is wrong before any cell was looked at; empty when nothing is."""
        if self.finished.stopped_by:
            return f"the program was stopped by its {self.finished.stopped_by} limit"
        if self.finished.exit_code != 0:
            return "the program failed: " + self.finished.stderr.decode("utf-8", "replace").strip()[-800:]
        return "" if self.made else "the program wrote no workbook to OUTPUT_PATH"


@dataclass(frozen=True)
class Workshop:
    """Where programs run."""

    isolation: Isolation | None = None
    limits: Limits = field(default_factory=lambda: Limits(seconds=120.0, cpu_seconds=100))

    @contextmanager
    def run(self, code: str, given: Path) -> Iterator[Ran]:
        """The program on a copy of the workbook; what it made is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="sharpen-") as place:
            work = Path(place)
            shutil.copyfile(given, work / "input.xlsx")
            (work / "solution.py").write_text(_HEAD + _PATHS.sub(r"\1pass", code), encoding="utf-8")
            yield asyncio.run(self._ran(work))

    async def _ran(self, work: Path) -> Ran:
        library = Path(str(load("openpyxl", for_what=SPREADSHEETS).__file__)).parent.parent
        sandbox = open_sandbox(
            self.isolation, limits=self.limits, readable=(library,), missing_limits_ok=True
        )
        try:
            finished = await sandbox.run(
                ["python3", "solution.py"], folder=work, env={"PYTHONPATH": str(library)}
            )
            made = work / "output.xlsx"
            if made.is_symlink() or not made.is_file():  # a link could point at any file of ours
                return Ran(finished, None)
            await _recalculated(sandbox, made)
            return Ran(finished, made)
        finally:
            sandbox.close()


async def _recalculated(sandbox: Sandbox, made: Path) -> None:
    office = shutil.which("soffice") or shutil.which("libreoffice")
    if office is None:
        return
    target = made.parent / "recalculated"
    target.mkdir(exist_ok=True)
    await sandbox.run(
        [office, "--headless", "--convert-to", "xlsx", "--outdir", target.name, made.name],
        folder=made.parent,
        env={"HOME": str(made.parent)},
    )
    fresh = target / made.name
    if fresh.is_file() and not fresh.is_symlink():
        fresh.replace(made)
