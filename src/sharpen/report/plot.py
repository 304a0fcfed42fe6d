"""The score curve in a terminal: one row per fifteenth, one column per step along the rollouts.

Drawn with Unicode, or in ASCII where the terminal's encoding has nothing else. Knows characters and colours;
what the points mean is `curve`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from sharpen.report.chart import nice_ticks
from sharpen.report.curve import CurvePoint

ROWS = 15
LABELLED = 3  # every third row: the fifths
MARGIN = 7  # columns left of the plot, for the labels
WIDEST = 100
TEST = 12  # columns of the test part at the right


@dataclass(frozen=True)
class Signs:
    """The characters of a drawing."""

    start: str
    accepted: str
    rejected: str
    final: str
    test: str
    test_start: str
    bar: str
    level: str
    rise: str
    left: str
    corner: str
    axis: str
    cross: str

    def of(self, kind: str) -> str:
        return str(getattr(self, kind.replace(" ", "_")))


UNICODE = Signs("○", "●", "×", "◆", "■", "□", "│", "─", "┆", "┤", "└", "─", "┼")
ASCII = Signs("o", "@", "x", "#", "T", "t", "|", "-", ":", "+", "+", "-", "+")
COLOURS = {
    "start": "blue",
    "accepted": "bold blue",
    "rejected": "red",
    "final": "bold cyan",
    "test": "bold magenta",
    "test start": "magenta",
}
WORDS = {
    "start": "start",
    "accepted": "accepted",
    "rejected": "rejected",
    "final": "final pass, fresh",
    "test": "test",
    "test start": "start on test",
}


class Plot:
    """The curve as a renderable; it takes the width it is given, up to a limit."""

    def __init__(
        self, points: Sequence[CurvePoint], *, unit: str = "rollouts", intervals: bool = True
    ) -> None:
        self._unit, self._intervals = unit, intervals
        self._test = [point for point in points if point.kind.startswith("test")]
        self._points = [point for point in points if point not in self._test]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        signs = ASCII if options.ascii_only else UNICODE
        width = max(20, min(WIDEST, options.max_width) - MARGIN - (TEST if self._test else 0))
        end = max([1, *(point.rollouts for point in self._points)])
        canvas = Canvas(width + (TEST if self._test else 0))
        columns = [round((width - 1) * point.rollouts / end) for point in self._points]
        canvas.stairs([(c, p) for c, p in zip(columns, self._points, strict=True) if p.held], signs)
        for column, point in zip(columns, self._points, strict=True):
            canvas.point(column, point, signs)
        for point in self._test:
            canvas.point(width + TEST // 2 + (2 if point.kind == "test" else -1), point, signs)
        yield from canvas.lines(signs)
        yield _axis(width, signs, test=bool(self._test))
        yield _ticks(width, end, test=bool(self._test), unit=self._unit)
        yield from _legend(
            [*self._points, *self._test], signs, width=options.max_width, intervals=self._intervals
        )


class Canvas:
    """Characters with a colour each, row 0 at the score of 1."""

    def __init__(self, width: int) -> None:
        self._cells: list[list[tuple[str, str]]] = [[(" ", "")] * width for _ in range(ROWS + 1)]

    def put(self, row: int, column: int, sign: str, style: str) -> None:
        self._cells[row][column] = (sign, style)

    def stairs(self, held: Sequence[tuple[int, CurvePoint]], signs: Signs) -> None:
        """The best skill's score: level until the next one is accepted."""
        for (column, point), (until, after) in pairwise(held):
            row, goal = _row(point.score.mean), _row(after.score.mean)
            for at in range(column, until):
                self.put(row, at, signs.level, "blue")
            for at in range(min(row, goal), max(row, goal) + 1):
                self.put(at, until, signs.rise, "blue")

    def point(self, column: int, point: CurvePoint, signs: Signs) -> None:
        """The mark of one measurement with its interval."""
        for row in range(_row(point.score.high), _row(point.score.low) + 1):
            found, style = self._cells[row][column]
            if found in (signs.level, signs.cross):
                self.put(row, column, signs.cross, style)
            elif found in (" ", signs.rise):
                self.put(row, column, signs.bar, "dim")
        self.put(_row(point.score.mean), column, signs.of(point.kind), COLOURS[point.kind])

    def lines(self, signs: Signs) -> Iterator[Text]:
        for number, row in enumerate(self._cells):
            label = f"{1 - number / ROWS:.1f}" if number % LABELLED == 0 else ""
            line = Text.assemble((f"{label:>{MARGIN - 2}} {signs.left if label else signs.bar}", "dim"))
            for sign, style in row:
                line.append(sign, style)
            yield line


def _row(value: float) -> int:
    return round(ROWS * (1 - min(1.0, max(0.0, value))))


def _axis(width: int, signs: Signs, *, test: bool) -> Text:
    beside = "  " + signs.axis * (TEST - 2) if test else ""
    return Text(" " * (MARGIN - 1) + signs.corner + signs.axis * width + beside, style="dim")


def _ticks(width: int, end: int, *, test: bool, unit: str) -> Text:
    """Numbers below their columns; one that would run into the next is left out."""
    line = [" "] * (MARGIN + width + (TEST if test else 0) + 8)
    for at in nice_ticks(end, most=max(2, width // 12)):
        label = f"{at:,}"
        start = MARGIN + round((width - 1) * at / end) - len(label) // 2
        line[start : start + len(label)] = label
    if test:
        start = MARGIN + width + TEST // 2 - 2
        line[start : start + 4] = "test"
    return Text("".join(line).rstrip() + ("" if test else f"  {unit}"), style="dim")


def _legend(points: Sequence[CurvePoint], signs: Signs, *, width: int, intervals: bool) -> Iterator[Text]:
    """What the signs mean, as many to a line as fit."""
    present = {point.kind for point in points}
    kinds = [kind for kind in WORDS if kind in present]
    items = [Text.assemble((signs.of(kind), COLOURS[kind]), f" {WORDS[kind]}") for kind in kinds]
    line = Text(" " * MARGIN)
    for item in [*items, *([Text(f"{signs.bar} 95 % interval")] if intervals else [])]:
        if line.cell_len > MARGIN and line.cell_len + item.cell_len > width:
            yield line
            line = Text(" " * MARGIN)
        line.append_text(item).append("   ")
    yield line
