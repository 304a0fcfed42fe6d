"""Workbooks: a short view of one for a prompt, and the comparison of two by cells.

Cells are compared as SpreadsheetBench's evaluator does: numbers and texts that are numbers at two
decimals, times without seconds, dates as whole days, an empty text like an empty cell, anything else by
type and value. Colours of fill and font count in one variant of the evaluator only.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time
from pathlib import Path
from typing import Any, NamedTuple

from sharpen.errors import TaskError
from sharpen.tasks.extras import load

SPREADSHEETS = "reading workbooks"
_DAY_ZERO = datetime(1899, 12, 30)  # Excel's own
_ROWS, _COLUMNS, _WIDTH, _LINES = 5, 20, 40, 30


class Region(NamedTuple):
    """A range of cells on a sheet; an empty sheet name means the first one."""

    sheet: str
    cells: str


def regions(position: str) -> list[Region]:
    """`Sheet1!A1:B9,'Other sheet'!C3`, quotes around either part aside."""
    found = []
    for part in position.split(","):
        sheet, _, cells = part.strip().rpartition("!")
        if cells.strip("' "):
            found.append(Region(sheet.strip().strip("'\""), cells.strip().strip("'\"").replace("$", "")))
    return found


def opened(path: Path, *, values: bool) -> Any:
    """The workbook, with formulas' last known values or with the formulas themselves."""
    return load("openpyxl", for_what=SPREADSHEETS).load_workbook(path, data_only=values)


def preview(path: Path) -> str:
    """Each sheet's size and first rows."""
    try:
        book = opened(path, values=False)
    except Exception as error:
        raise TaskError(f"{path} cannot be read as a workbook ({error}); fetch the data again") from error
    lines = []
    for sheet in book.worksheets:
        lines.append(f"## {sheet.title} ({sheet.dimensions})")
        for row in sheet.iter_rows(
            max_row=min(sheet.max_row, _ROWS), max_col=min(sheet.max_column, _COLUMNS)
        ):
            cells = (f"{cell.coordinate}={_short(cell.value)}" for cell in row if cell.value is not None)
            lines.append(" | ".join(cells))
        if sheet.max_row > _ROWS:
            lines.append(f"… and {sheet.max_row - _ROWS} more rows")
    book.close()
    return "\n".join(lines)


def _short(value: object) -> str:
    text = str(value).replace("\n", " ")
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def comparable(value: object) -> object:
    """A cell's value as the evaluator sees it."""
    if isinstance(value, (int, float)):  # true and false too, as 1 and 0
        return round(float(value), 2)
    if isinstance(value, time):
        return str(value)[:-3]
    if isinstance(value, datetime):
        past = value - _DAY_ZERO
        return float(round(past.days + past.seconds / 86400.0))
    if isinstance(value, str):
        try:
            return round(float(value), 2)
        except ValueError:
            return value
    return value


def same_value(one: object, other: object) -> bool:
    ours, theirs = comparable(one), comparable(other)
    if ours in ("", None) and theirs in ("", None):
        return True
    return type(ours) is type(theirs) and ours == theirs


def differences(right: Path, made: Path, position: str, *, colours: bool = False) -> list[str]:
    """Cells that are wrong, by their place; what would be right is not said."""
    try:
        goal, found = opened(right, values=True), opened(made, values=True)
    except Exception as error:  # noqa: BLE001  whatever a program wrote may be broken in any way
        return [f"the workbook cannot be read: {error}"]
    faults = (_compared(goal, found, region, colours=colours) for region in regions(position))
    return [fault for some in faults for fault in some]


def values_at(path: Path, position: str) -> str:
    """What the cells of a position hold, one line each, the first few."""
    try:
        book = opened(path, values=True)
    except Exception as error:  # noqa: BLE001  as above
        return f"(the workbook cannot be read: {error})"
    lines = []
    for region in regions(position):
        sheet = region.sheet or book.sheetnames[0]
        if sheet not in book.sheetnames:
            lines.append(f"(there is no sheet {sheet!r})")
            continue
        lines += [f"{sheet}!{cell.coordinate}={cell.value!r}" for cell in _cells(book[sheet], region.cells)]
    return "\n".join(lines[:_LINES]) + ("\n…" if len(lines) > _LINES else "")


def _compared(goal: Any, found: Any, region: Region, *, colours: bool) -> Iterator[str]:
    sheet = region.sheet or goal.sheetnames[0]
    if sheet not in found.sheetnames or sheet not in goal.sheetnames:
        yield f"there is no sheet {sheet!r}"
        return
    cells = _cells(goal[sheet], region.cells)
    if not cells:
        yield f"{region.cells} is no range of cells"
    for cell in cells:
        mine = found[sheet][cell.coordinate]
        if not same_value(cell.value, mine.value):
            yield f"{sheet}!{cell.coordinate} is wrong: it holds {mine.value!r}"
        elif colours and not _same_colours(cell, mine):
            yield f"{sheet}!{cell.coordinate} has the wrong colour"


def _cells(sheet: Any, cells: str) -> list[Any]:
    """A single cell, or a range row by row; none for what is no range."""
    try:
        found = sheet[cells]
    except ValueError:
        return []
    if not isinstance(found, tuple):
        return [found]
    return [cell for row in found for cell in (row if isinstance(row, tuple) else (row,))]


def _same_colours(one: Any, other: Any) -> bool:
    pairs = (
        (one.fill.fgColor, other.fill.fgColor),
        (one.fill.bgColor, other.fill.bgColor),
        (one.font.color, other.font.color),
    )
    return all(_rgb(ours) == _rgb(theirs) for ours, theirs in pairs)


def _rgb(colour: Any) -> str:
    """The last six digits; the first two say how transparent it is."""
    found = getattr(colour, "rgb", None)
    return found[-6:] if isinstance(found, str) else "000000"
