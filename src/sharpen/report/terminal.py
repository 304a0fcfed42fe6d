"""A run in the terminal: status, curve, spend, verdicts and what to do next.

Skill texts and task ids are other people's: control characters are shown, never sent, and no text is read as
markup. Where the terminal knows only ASCII, everything is.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sharpen.report import sentences
from sharpen.report.plot import Plot
from sharpen.report.spend import Paid, Spend
from sharpen.report.training import Training
from sharpen.report.versions import StepView
from sharpen.report.view import RunView
from sharpen.report.visible import visible

STATE_STYLES = {"finished": "bold green", "running": "bold blue", "stopped": "yellow", "unclear": "yellow"}
WIDE = 110  # columns from which a table shows everything
TONE_STYLES = {"good": "bold", "flat": "bold", "bad": "bold red", "open": "bold yellow"}
IN_ASCII = str.maketrans({"−": "-", "–": "-", "±": "+-", "…": "."})


def render_terminal(view: RunView) -> RenderableType:
    """What `sharpen show RUN` prints."""
    return Encodable(Group(*_screen(view)))


def plain(text: str) -> Text:
    """Text on one line that cannot steer the terminal and is not read as markup."""
    return Text(visible(" ".join(text.split("\n"))).expandtabs(1))


class Encodable:
    """Renders what it holds in characters that the console's encoding has."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        segments = console.render(self._inner, options)
        if not options.ascii_only:
            yield from segments
            return
        for text, style, control in segments:
            yield Segment(text.translate(IN_ASCII).encode("ascii", "replace").decode(), style, control)


def _screen(view: RunView) -> Iterator[RenderableType]:
    yield Text.assemble(
        (plain(view.name).plain, "bold"), "  ", (view.status.state, STATE_STYLES[view.status.state])
    )
    yield Text(view.headline.text, TONE_STYLES[view.headline.tone])
    for note in _notes(view):
        yield Text(note, "dim")
    if view.curve:
        yield Padding(Plot(view.curve), (1, 0, 0, 0))
    yield from (plain(sentence) for sentence in view.search)
    if view.epochs:
        yield Training(view.epochs)
    if rest := _not_in_epochs(view):
        yield Steps(rest)
    yield _spend_table(view.spend)
    yield _next_commands(view)


def _notes(view: RunView) -> Iterator[str]:
    if view.reason:
        yield f"The run ended because {sentences.ending(view.reason)}."
    if view.status.state != "finished" and view.status.holder:
        yield f"Last held by {plain(view.status.holder)}."
    yield from view.notes
    if not view.curve:
        yield "No score has been recorded yet."


def _not_in_epochs(view: RunView) -> list[StepView]:
    """Gate decisions that no line of the training table tells of: all of them for the other loop."""
    steps = {step.gate.number for epoch in view.epochs for step in epoch.steps if step.gate}
    ends = {end.gate.number for epoch in view.epochs for end in epoch.ends if end.gate}
    return [step for step in view.steps if step.number not in steps | ends]


class Steps:
    """The gate's verdicts, a line each; a narrow terminal gets fewer columns instead of cut ones."""

    def __init__(self, steps: Sequence[StepView]) -> None:
        self._steps = steps

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        weighs = wide and any(step.evidence is not None for step in self._steps)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("Step", justify="right")
        for name in ("Version", "Verdict", "W/T/L", "Difference", *(["Evidence"] if weighs else [])):
            table.add_column(name, no_wrap=True)
        if wide:
            table.add_column("Rollouts", justify="right", no_wrap=True)
        table.add_column("Reason", overflow="fold")
        for step in self._steps:
            table.add_row(*_step_cells(step, wide=wide, weighs=weighs))
        yield table


def _step_cells(step: StepView, *, wide: bool, weighs: bool) -> Iterator[RenderableType]:
    yield step.place
    yield f"{step.version} from {step.parent}" if wide else step.version
    yield _verdict(step)
    yield f"{step.wins}/{step.ties}/{step.losses}"
    yield sentences.difference(step.difference)
    if weighs:
        yield sentences.evidence(step)
    if wide:
        yield f"{step.rollouts:,}"
    yield plain(step.reason)


def _verdict(step: StepView) -> Text:
    if step.accepted:
        return Text("accepted", "green")
    return Text("undecided", "yellow") if step.decision == "not enough data" else Text("rejected", "red")


def _spend_table(spend: Spend) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Spend")
    for name in ("Calls", "Tokens", "Price"):
        table.add_column(name, justify="right")
    for role in (spend.student, spend.teacher):
        counts = (sentences.count(role.calls), sentences.count(role.tokens))
        table.add_row(role.role, *counts, sentences.money(role))
    for line in spend.lines:
        told = (
            _line_name(line),
            sentences.count(line.calls),
            sentences.count(line.tokens),
            sentences.money(line),
        )
        table.add_row(*(Text(cell, "dim") for cell in told))
    for phase in spend.phases if not spend.lines else ():
        table.add_row(Text(phase.name, "dim"), Text(f"{phase.rollouts:,}", "dim"))
    limits = ", ".join(f"{limit:,} {name}" for name, limit in spend.budget.items())
    table.caption = f"budget: {limits}" if limits else None
    table.caption_justify = "left"
    return table


def _line_name(line: Paid) -> str:
    model = f", {visible(line.model)}" if line.model else ""
    return f"{line.role}, {line.stage}{model}"


def _next_commands(view: RunView) -> RenderableType:
    run = shlex.quote(view.run_dir)
    table = Table.grid(padding=(0, 3))
    if view.status.state == "stopped":
        table.add_row("the command that started it, again", Text("goes on where it stopped", "dim"))
    table.add_row(plain(f"sharpen report {run}"), Text("everything on one page", "dim"))
    table.add_row(plain(f"sharpen blame {run}"), Text("which edit brought in which line", "dim"))
    table.add_row(plain(f"sharpen show {run} --json"), Text("the same for a program", "dim"))
    return Padding(table, (1, 0, 0, 0))
