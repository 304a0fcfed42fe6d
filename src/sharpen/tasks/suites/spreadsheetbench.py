"""SpreadsheetBench: real questions of spreadsheet users, answered by a program that changes a workbook.

`dataset.json` and `spreadsheet/ID/N_ID_input.xlsx` with `N_ID_answer.xlsx`, one to three cases each. The
student writes Python that reads INPUT_PATH and writes OUTPUT_PATH, in a fence of its answer or as
solution.py in its work folder. In the mode `multi` it is shown what its program did to the first case and
may write another one. The last program runs in the sandbox on every case. Solved when all cases are right;
soft is their share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from sharpen.errors import SettingsError, TaskError
from sharpen.sandbox import Limits
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.answers import wanted
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites.programs import Ran, Workshop
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite, Tools
from sharpen.tasks.suites.workbooks import differences, preview, values_at
from sharpen.tasks.turns import Turns
from sharpen.types import Json, Score, Task

CASES = 3
SHOWN = 5
"""Wrong cells that are named per case."""
OUTPUT = 2000
"""Characters of a program's own output that are shown: its end."""
MODES = ("single", "multi")
_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)


# -- loading ---------------------------------------------------------------------------------------------


def _home(row: Row, name: str) -> Path:
    """The folder of an item's workbooks."""
    given = row.text("spreadsheet_path", default=f"spreadsheet/{name}")
    places = (row.root / given, row.root / "spreadsheet" / name, row.home / given)
    for place in places:
        if place.is_dir() and place.is_relative_to(row.root):
            return place
    raise TaskError(f"{row.where}: its workbooks are not in {row.root / given}; fetch the data again")


def _cases(row: Row, home: Path, name: str) -> list[dict[str, str]]:
    """Pairs of workbooks, by their paths from the root; older releases call the answer's file `output`."""
    cases = []
    for number in range(1, CASES + 1):
        given = home / f"{number}_{name}_input.xlsx"
        rights = [home / f"{number}_{name}_{word}.xlsx" for word in ("answer", "output", "golden")]
        right = next((path for path in rights if path.is_file()), None)
        if given.is_file() and right is None:
            raise TaskError(
                f"{row.where}: the workbook {rights[0].name} is missing in {home}; fetch the data again"
            )
        if given.is_file() and right is not None:
            cases.append(_case(row, given, right))
    if not cases:
        raise TaskError(
            f"{row.where}: there is no workbook 1_{name}_input.xlsx in {home}; fetch the data again"
        )
    return cases


def _case(row: Row, given: Path, right: Path) -> dict[str, str]:
    """The checksums make a changed workbook another task."""
    return {
        "input": given.relative_to(row.root).as_posix(),
        "answer": right.relative_to(row.root).as_posix(),
        "sha256": sha256(given.read_bytes() + right.read_bytes()).hexdigest(),
    }


def _task(row: Row, options: Json) -> Task:
    name = row.text("id")
    home = _home(row, name)
    position = row.text("answer_position")
    sheet = row.text("answer_sheet", default="")
    if sheet and "!" not in position:
        position = ",".join(f"'{sheet}'!{part.strip()}" for part in position.split(","))
    cases = _cases(row, home, name)
    prompt = filled(
        SPREADSHEETBENCH.prompt,
        instruction=row.text("instruction"),
        type=row.text("instruction_type", default="not stated"),
        position=position,
        preview=preview(home / Path(cases[0]["input"]).name),
    )
    return Task(name, prompt, {"cases": cases, "answer_position": position})


# -- scoring ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cells:
    """Runs the program on every case in the sandbox and compares the cells that count."""

    folder: Path
    colours: bool = False
    workshop: Workshop = field(default_factory=Workshop)

    @property
    def name(self) -> str:
        return "spreadsheetbench_colours@1" if self.colours else "spreadsheetbench@1"

    def score(self, task: Task, answer: Answer) -> Score:
        code = program_in(answer)
        if not code:
            return Score(0, 0, "the answer holds no program: give one block of Python")
        found = [self._faults(code, case, task) for case in cases_of(task)]
        right = sum(not faults for faults in found)
        told = [f"case {n}: {fault}" for n, faults in enumerate(found, 1) for fault in faults[:SHOWN]]
        return Score(float(right == len(found)), right / len(found), "\n".join(told))

    def _faults(self, code: str, case: Mapping[str, str], task: Task) -> list[str]:
        given, right = workbook(self.folder, case["input"]), workbook(self.folder, case["answer"])
        with self.workshop.run(code, given) as ran:
            if ran.fault or ran.made is None:
                return [ran.fault]
            position = str(wanted(task, "answer_position"))
            return differences(right, ran.made, position, colours=self.colours)


def cases_of(task: Task) -> list[Mapping[str, str]]:
    found = wanted(task, "cases")
    if not isinstance(found, (list, tuple)) or not found:
        raise TaskError(f"task {task.id!r} has no cases to run its program on")
    return list(found)


def workbook(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise TaskError(f"the workbook {folder / name} is gone; fetch the data again")
    return folder / name


def program_in(answer: Answer) -> str:
    """solution.py of the work folder, else the last fenced block, else the whole text."""
    kept = None if answer.folder is None else answer.folder / "solution.py"
    if kept is not None and kept.is_file() and not kept.is_symlink():
        return kept.read_text(encoding="utf-8", errors="replace")
    fenced = _FENCE.findall(answer.text)
    return str(fenced[-1] if fenced else answer.text).strip()


# -- several turns ---------------------------------------------------------------------------------------


@dataclass
class Draft:
    """Each program is run on the first case and its author told what came of it, until one sends none."""

    given: Path
    position: str
    workshop: Workshop
    last: str = ""

    def begin(self) -> str:
        return "Your program is run and you see what it did. Answer without a program when it is right."

    def reply(self, said: str) -> str | None:
        if not _FENCE.search(said) and self.last:
            return None
        self.last = said
        with self.workshop.run(program_in(Answer(said)), self.given) as ran:
            return self._told(ran)

    def answer(self) -> Answer:
        return Answer(self.last)

    def close(self) -> None: ...

    def _told(self, ran: Ran) -> str:
        said = ran.finished.stdout.decode("utf-8", "replace").strip()[-OUTPUT:]
        held = ran.fault
        if ran.made is not None and not held:
            held = "the cells that count now hold:\n" + values_at(ran.made, self.position)
        return f"It printed:\n{said}\n\n{held}" if said else held


def _workshop(tools: Tools) -> Workshop:
    seconds = float(tools.options["exec_timeout"])
    return Workshop(limits=Limits(seconds=seconds, cpu_seconds=max(1, int(seconds))))


def _turns(tools: Tools) -> Turns | None:
    mode = tools.options["mode"]
    if mode not in MODES:
        raise SettingsError(f"the suite spreadsheetbench has no mode {mode!r}; it has {', '.join(MODES)}")
    if mode == "single":
        return None
    shop = _workshop(tools)

    def opened(task: Task) -> Draft:
        given = workbook(tools.folder, cases_of(task)[0]["input"])
        return Draft(given, str(wanted(task, "answer_position")), shop)

    return Turns("spreadsheetbench_turns@1", int(tools.options["max_turns"]), opened)


SPREADSHEETBENCH = Suite(
    name="spreadsheetbench",
    about="programs that change workbooks; cells compared as its evaluator does",
    files=("dataset.json", "dataset.jsonl"),
    task=_task,
    scorers={
        "spreadsheetbench@1": lambda tools: Cells(tools.folder, workshop=_workshop(tools)),
        "spreadsheetbench_colours@1": lambda tools: Cells(
            tools.folder, colours=True, workshop=_workshop(tools)
        ),
    },
    options={"mode": "single", "max_turns": 5, "exec_timeout": 120},
    turns=_turns,
    needs=("openpyxl",),
    source=Source(
        "KAKA22/SpreadsheetBench",
        ("spreadsheetbench_verified_400.tar.gz",),
        "CC-BY-SA-4.0",
        remarks="the verified 400; the archive is unpacked",
    ),
)
