"""The geometry of the score curve: where each thing goes, in the units of the drawing.

The template draws what is placed here; colours and shapes are its business. The vertical axis is always
0 to 1, so that two reports can be held side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sharpen.report.curve import CurvePoint, Mark
from sharpen.report.sentences import score

WIDTH, HEIGHT = 960, 286  # without the strip
LEFT, TOP, BOTTOM = 70, 18, 262  # of the plot; the strip of marks lies below it
RIGHT, RIGHT_OF_TEST = 776, 934  # the test column has no place on the axis: its rollouts come after the story
TEST = {"test start": 828, "test": 872}
STRIP, ROW = 300, 13  # the middle of the strip's first row, and from one to the next
ROWS = ("adopted", "dropped", "vetted out", "group test")
CHARACTER = 6.9  # width of one in a label

_Box = tuple[float, float, float, float]  # left, top, right, bottom
_FIRST = {kind: rank for rank, kind in enumerate(("final", "test", "start", "test-start"))}
_WORDS = {
    "start": "starting skill at the gates",
    "accepted": "accepted by the gate",
    "rejected": "rejected by the gate",
    "final": "fresh attempts after the last decision",
    "test": "the one look at test",
    "test start": "starting skill on test",
}


@dataclass(frozen=True)
class Placed:
    """A point of the curve on the page, with its interval; `label` is empty where there is no room for it."""

    kind: str
    x: float
    y: float
    low: float
    high: float
    title: str
    label: str = ""
    label_x: float = 0.0
    label_y: float = 0.0
    anchor: str = "middle"


@dataclass(frozen=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True)
class PlacedMark:
    kind: str
    x: float
    y: float


@dataclass(frozen=True)
class Chart:
    """Everything the template draws."""

    points: tuple[Placed, ...]
    line: str
    """Path of the best skill's score."""
    band: str
    """Path around its intervals."""
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[PlacedMark, ...]
    gates: tuple[float, ...]
    strip: tuple[Tick, ...]
    """The rows of the strip that hold a mark."""
    right: float
    """Where the plot ends."""
    has_test: bool
    height: float

    width, left, top, bottom = WIDTH, LEFT, TOP, BOTTOM
    test_left, test_middle, test_right = RIGHT + 30, 850, RIGHT_OF_TEST


def chart_of(points: Sequence[CurvePoint], marks: Sequence[Mark]) -> Chart | None:
    """None when nothing was measured yet."""
    if not points:
        return None
    has_test = any(_is_test(point) for point in points)
    spent = [point.rollouts for point in points if not _is_test(point)]
    axis = _Axis(max([1, *spent, *(mark.rollouts for mark in marks)]), RIGHT if has_test else RIGHT_OF_TEST)
    held = [point for point in points if point.held]
    present = [kind for kind in ROWS if any(mark.kind == kind for mark in marks)]
    strip = {kind: STRIP + ROW * row for row, kind in enumerate(present)}
    return Chart(
        points=tuple(_labelled([_place(point, axis) for point in points])),
        line=_steps([(axis.x(p.rollouts), _y(p.score.mean)) for p in held]),
        band=_band(held, axis),
        x_ticks=tuple(Tick(axis.x(at), f"{at:,}") for at in nice_ticks(axis.end)),
        y_ticks=tuple(Tick(_y(at / 4), f"{at / 4:g}") for at in range(5)),
        marks=tuple(
            PlacedMark(mark.kind.replace(" ", "-"), axis.x(mark.rollouts), strip[mark.kind])
            for mark in marks
            if mark.kind in strip
        ),
        gates=tuple(axis.x(mark.rollouts) for mark in marks if mark.kind == "gate"),
        strip=tuple(Tick(at, kind) for kind, at in strip.items()),
        right=axis.right,
        has_test=has_test,
        height=HEIGHT + ROW * len(strip) + (8 if strip else 0),
    )


@dataclass(frozen=True)
class _Axis:
    """Rollouts from 0 to `end`, drawn from LEFT to `right`."""

    end: int
    right: float

    def x(self, rollouts: float) -> float:
        return round(LEFT + (self.right - LEFT) * rollouts / self.end, 1)


def _is_test(point: CurvePoint) -> bool:
    return point.kind in TEST


def nice_ticks(end: int, *, most: int = 8) -> list[int]:
    """Round numbers from 0 to `end`, at most `most` of them after 0."""
    rough = max(1.0, end / most)
    power = 10 ** math.floor(math.log10(rough))
    step = next(int(power * factor) for factor in (1, 2, 5, 10) if power * factor >= rough)
    return list(range(0, end + 1, step))


def _y(value: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * min(1.0, max(0.0, value)), 1)


def _place(point: CurvePoint, axis: _Axis) -> Placed:
    measured = f"{score(point.score)}, {point.score.n} attempts on {point.score.tasks} tasks"
    return Placed(
        kind=point.kind.replace(" ", "-"),
        x=TEST.get(point.kind) or axis.x(point.rollouts),
        y=_y(point.score.mean),
        low=_y(point.score.low),
        high=_y(point.score.high),
        title=f"{point.version} ({_WORDS[point.kind]}): {measured}; at {point.rollouts:,} rollouts",
        label="" if point.kind == "rejected" else f"{point.version} {point.score.mean:.2f}",
    )


def _steps(path: Sequence[tuple[float, float]]) -> str:
    """A staircase: a skill stays the best until the next one is accepted."""
    if len(path) < 2:
        return ""
    moves = [f"M{path[0][0]} {path[0][1]}", *(f"H{x}V{y}" for x, y in path[1:])]
    return "".join(moves)


def _band(held: Sequence[CurvePoint], axis: _Axis) -> str:
    """Around the staircase: the upper intervals forth, the lower ones back."""
    if len(held) < 2:
        return ""
    xs = [axis.x(point.rollouts) for point in held]
    upper = _steps(list(zip(xs, [_y(point.score.high) for point in held], strict=True)))
    lower = [_y(point.score.low) for point in held]
    back = "".join(f"V{lower[at]}H{xs[at]}" for at in range(len(held) - 2, -1, -1))
    return f"{upper}L{xs[-1]} {lower[-1]}{back}Z"


def _labelled(points: Sequence[Placed]) -> list[Placed]:
    """Give each label a free place beside its point; the points that tell most choose first."""
    taken: list[_Box] = [(p.x - 6, p.y - 6, p.x + 6, p.y + 6) for p in points]
    placed = dict(enumerate(points))
    for at in sorted(placed, key=lambda at: (_FIRST.get(points[at].kind, len(_FIRST)), at)):
        placed[at] = _with_label(points[at], taken)
    return list(placed.values())


def _with_label(point: Placed, taken: list[_Box]) -> Placed:
    width = CHARACTER * len(point.label)
    for up, right in ((-12, True), (12, True), (0, True), (-12, False), (0, False), (12, False)):
        x, y = (point.x + 10 if right else point.x - 10), point.y + up
        box = (x if right else x - width, y - 6, x + width if right else x, y + 6)
        if point.label and box[0] >= LEFT and box[2] <= WIDTH and not _overlaps(box, taken):
            taken.append(box)
            return replace(point, label_x=x, label_y=y + 4, anchor="start" if right else "end")
    return replace(point, label="")


def _overlaps(box: _Box, others: Iterable[_Box]) -> bool:
    return any(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in others)
