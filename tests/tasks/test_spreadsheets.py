"""SpreadsheetBench: programs really run in the sandbox, and cells are compared as its evaluator does."""

from __future__ import annotations

import shutil
from datetime import datetime, time
from pathlib import Path
from typing import Any

import pytest

from sharpen.errors import SettingsError, TaskError
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites import Opened, suite_named
from sharpen.tasks.suites.programs import Workshop
from sharpen.tasks.suites.workbooks import comparable, differences, regions, same_value, values_at
from sharpen.types import Score, Task

openpyxl = pytest.importorskip("openpyxl")
DATA = Path(__file__).parent / "data" / "spreadsheetbench"


def program(body: str) -> str:
    lines = ["import openpyxl", "book = openpyxl.load_workbook(INPUT_PATH)", "sheet = book['Sheet1']"]
    return "```python\n" + "\n".join([*lines, body, "book.save(OUTPUT_PATH)"]) + "\n```"


RIGHT = {
    "101-1": "sheet['C1'] = sum(cell.value for cell in sheet['A'][1:])",
    "102-2": "for row in range(2, sheet.max_row + 1): sheet.cell(row, 2, sheet.cell(row, 1).value * 2)",
    "103-3": "for row in range(2, 5): book['Out put'].cell(row, 1, sheet.cell(row, 1).value.upper())",
    "104-4": "import datetime as d\n"
    "values = [d.datetime(2024, 2, 29, 9), d.time(9, 15, 1), 1, 3.14, None]\n"  # equal to the evaluator
    "for row, value in enumerate(values, 2): sheet.cell(row, 4, value)",
    "105-5": "sheet['C1'] = sheet['A2'].value * sheet['A3'].value; sheet['C2'] = sheet['C1'].value / 2",
    "106-6": "sheet['B2'] = max(cell.value for cell in sheet['A'][1:])",
}


@pytest.fixture(scope="module")
def found() -> Opened:
    return suite_named("spreadsheetbench").open(DATA)


def task_of(found: Opened, name: str) -> Task:
    every = (*found.tasks.train, *found.tasks.selection, *found.tasks.test)
    return next(task for task in every if task.id == name)


def judge(found: Opened, name: str, text: str, folder: Path | None = None) -> Score:
    return found.scorer.score(task_of(found, name), Answer(text, folder))


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_solves_all_cases(found: Opened, name: str) -> None:
    score = judge(found, name, program(RIGHT[name]))
    assert (score.hard, score.soft, score.feedback) == (1, 1, "")


def test_a_program_that_counts_on_the_first_workbook_solves_a_third(found: Opened) -> None:
    score = judge(found, "101-1", program("sheet['C1'] = 1 + 3 + 3 + 4.005"))
    assert (score.hard, score.soft) == (0, pytest.approx(1 / 3))
    assert "case 2: Sheet1!C1 is wrong: it holds 11.005" in score.feedback


def test_a_program_is_told_how_it_failed(found: Opened) -> None:
    assert "ZeroDivisionError" in judge(found, "105-5", program("1 / 0")).feedback
    assert judge(found, "105-5", "```python\npass\n```").feedback == (
        "case 1: the program wrote no workbook to OUTPUT_PATH"
    )
    assert "cannot be read" in judge(found, "105-5", "```\nopen(OUTPUT_PATH, 'w').write('x')\n```").feedback
    assert judge(found, "105-5", " ").feedback.startswith("the answer holds no program")
    gone = program("del book['Out put']")
    assert judge(found, "103-3", gone).feedback == "case 1: there is no sheet 'Out put'"


def test_a_program_cannot_reach_what_it_is_compared_with(found: Opened) -> None:
    right = (DATA / "spreadsheet" / "105-5" / "1_105-5_answer.xlsx").resolve()
    thief = f"```python\nimport shutil\nshutil.copyfile({str(right)!r}, OUTPUT_PATH)\n```"
    assert "FileNotFoundError" in judge(found, "105-5", thief).feedback


def test_paths_of_the_programs_own_are_dropped_and_solution_py_counts(found: Opened, tmp_path: Path) -> None:
    own = program(RIGHT["105-5"]).replace(
        "import openpyxl\n", "import openpyxl\nINPUT_PATH = '/data/x.xlsx'\n", 1
    )
    assert judge(found, "105-5", own).hard == 1
    (tmp_path / "solution.py").write_text(own.removeprefix("```python\n").removesuffix("```"))
    assert judge(found, "105-5", "I saved it.", tmp_path).hard == 1


def test_a_formula_has_no_value_unless_libreoffice_is_here(found: Opened) -> None:
    score = judge(found, "105-5", program("sheet['C1'] = '=A2*A3'; sheet['C2'] = '=C1/2'"))
    here = shutil.which("soffice") or shutil.which("libreoffice")
    assert score.hard == (1 if here else 0)


def test_colours_count_under_a_name_of_their_own(found: Opened) -> None:
    strict = suite_named("spreadsheetbench").open(DATA, scorer="spreadsheetbench_colours")
    assert (
        judge(strict, "106-6", program(RIGHT["106-6"])).feedback == "case 1: Sheet1!B2 has the wrong colour"
    )
    yellow = (
        "\nfrom openpyxl.styles import PatternFill\nsheet['B2'].fill = PatternFill('solid', fgColor='{}')"
    )
    for shade in ("FFFFFF00", "00FFFF00"):  # how transparent it is does not count
        assert judge(strict, "106-6", program(RIGHT["106-6"] + yellow.format(shade))).hard == 1
    assert judge(found, "106-6", program(RIGHT["106-6"])).hard == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.004, True),
        (1, 1.006, False),
        ("3.14159", 3.14, True),
        (True, 1, True),
        ("true", True, False),
        ("", None, True),
        (0, None, False),
        ("a", "A", False),
        (time(9, 15, 30), time(9, 15, 1), True),
        (time(9, 15), time(9, 16), False),
        (datetime(2024, 2, 29, 7, 30), datetime(2024, 2, 29, 9), True),
        (datetime(2024, 2, 29, 7), datetime(2024, 2, 29, 13), False),  # rounds to the next day
        (datetime(2024, 2, 29), 45351, True),
        (float("nan"), float("nan"), False),
    ],
)
def test_cells_are_the_same_when_the_evaluator_says_so(one: object, other: object, same: bool) -> None:
    assert same_value(one, other) is same_value(other, one) is same
    assert comparable(None) is None


def test_positions_in_all_their_spellings() -> None:
    assert regions("Sheet1!A1:B9,'Other sheet'!C3") == [("Sheet1", "A1:B9"), ("Other sheet", "C3")]
    assert regions("'A1:B2'") == [("", "A1:B2")]
    assert regions("'S'!'A1', $C$2") == [("S", "A1"), ("", "C2")]


def test_a_position_that_is_none_is_a_fault_of_every_answer() -> None:
    book = DATA / "spreadsheet" / "105-5" / "1_105-5_answer.xlsx"
    assert differences(book, book, "Sheet1!nowhere") == ["nowhere is no range of cells"]
    assert differences(book, book, "Gone!A1") == ["there is no sheet 'Gone'"]
    assert values_at(book, "C1,Gone!A1") == "Sheet1!C1=3\n(there is no sheet 'Gone')"


def test_a_workbook_that_went_missing_is_an_error_not_a_score(tmp_path: Path) -> None:
    place = tmp_path / "data"
    shutil.copytree(DATA, place)
    found = suite_named("spreadsheetbench").open(place)
    shutil.rmtree(place / "spreadsheet" / "105-5")
    with pytest.raises(TaskError, match=r"1_105-5_input.xlsx is gone"):
        judge(found, "105-5", program(RIGHT["105-5"]))


def test_the_prompt_shows_the_first_rows_and_the_layout(found: Opened) -> None:
    prompt = task_of(found, "103-3").prompt
    assert "## Sheet1 (A1:A5)" in prompt
    assert "A2=word 1" in prompt
    assert "'Out put'!A2:A4" in prompt


def test_the_time_limit_is_an_option() -> None:
    options: dict[str, Any] = {"exec_timeout": 1}
    slow = suite_named("spreadsheetbench").open(DATA, options=options)
    assert (
        "was stopped by its time limit"
        in judge(slow, "105-5", "```\nimport time; time.sleep(60)\n```").feedback
    )


# -- several turns ---------------------------------------------------------------------------------------


def test_in_several_turns_the_author_sees_what_the_program_did() -> None:
    found = suite_named("spreadsheetbench").open(DATA, options={"mode": "multi", "max_turns": 3})
    assert found.turns is not None
    assert (found.student, found.turns.most, found.turns.name) == ("turns", 3, "spreadsheetbench_turns@1")
    task = task_of(found, "105-5")
    draft = found.turns.open(task)
    assert "Your program is run" in draft.begin()
    assert "NameError" in str(draft.reply("```python\nprint(x)\n```"))
    seen = str(draft.reply("Better:\n" + program("print('hello'); " + RIGHT["105-5"])))
    assert seen == "It printed:\nhello\n\nthe cells that count now hold:\nSheet1!C1=3\nSheet1!C2=1.5"
    assert draft.reply("That is right.") is None
    assert found.scorer.score(task, draft.answer()).hard == 1
    draft.close()
    with pytest.raises(SettingsError, match="no mode 'react'; it has single, multi"):
        suite_named("spreadsheetbench").open(DATA, options={"mode": "react"})


def test_a_link_instead_of_a_workbook_is_nothing(tmp_path: Path) -> None:
    given = DATA / "spreadsheet" / "105-5" / "1_105-5_input.xlsx"
    with Workshop().run("import os; os.symlink('/etc/hostname', OUTPUT_PATH)", given) as ran:
        assert ran.made is None
        assert ran.fault == "the program wrote no workbook to OUTPUT_PATH"
