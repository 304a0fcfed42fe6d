"""The steps of a batch run in the terminal: one table, epoch by epoch, with how each step and epoch ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from sharpen.report import sentences
from sharpen.report.epochs import EpochEndView, EpochView, TrainingStep
from sharpen.report.versions import StepView
from sharpen.report.visible import visible

WIDE = 110  # columns from which the table shows everything
CAPTION = (
    "Train: mean of the batch. Edits: used of those merged, at most L. Score: the candidate's on selection, "
    "as its gate saw it."
)
STYLES = {"accepted": "green", "accepted, no gate": "green", "rejected": "red", "undecided": "yellow"}


class Training:
    """A line per step and per end of an epoch; a narrow terminal gets fewer columns instead of cut ones."""

    def __init__(self, epochs: Sequence[EpochView]) -> None:
        self._epochs = epochs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for name in ("Epoch", "Step"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("How it went", min_width=17)
        for name in ("Train", "Edits", "L", *(["Fail/ok", "Version"] if wide else []), "Score"):
            table.add_column(name, no_wrap=True)
        table.add_column("Difference, reason", overflow="fold")
        table.caption = CAPTION
        table.caption_justify = "left"
        for epoch in self._epochs:
            for number, step in enumerate(epoch.steps):
                table.add_row("" if number else str(epoch.number), *_step_cells(step, wide=wide))
            for end in epoch.ends:
                table.add_row("", *_end_cells(end, wide=wide))
            table.add_section()
        yield table


def edits_used(step: TrainingStep) -> str:
    """`3 of 9`: used, of those merged."""
    return f"{step.used} of {step.merged}" if step.merged else "–"


def limit(step: TrainingStep) -> str:
    return "–" if step.edit_budget is None else str(step.edit_budget)


def reflections(step: TrainingStep) -> str:
    """`2/1`: patches from failures and from successes; answers that could not be used are named."""
    dropped = f", {step.dropped} lost" if step.dropped else ""
    return f"{step.failure_patches}/{step.success_patches}{dropped}"


def compared(end: EpochEndView) -> str:
    """`2 improved, 1 regressed …`; empty where nothing was compared."""
    return ", ".join(f"{number} {category}" for category, number in end.compared.items())


def _step_cells(step: TrainingStep, *, wide: bool) -> Iterator[str | Text]:
    yield str(step.number)
    yield _told(step.action)
    yield sentences.share(step.train)
    yield edits_used(step)
    yield limit(step)
    if wide:
        yield reflections(step)
        yield step.version or "–"
    yield sentences.share(step.score.mean if step.score else None)
    yield visible(verdict(step.gate))


def _end_cells(end: EpochEndView, *, wide: bool) -> Iterator[str | Text]:
    yield ""
    yield Text.assemble((f"{end.kind.replace('_', ' ')}: ", "italic"), _told(end.action))
    yield from ("", "", "")
    if wide:
        yield from ("", end.version)
    yield sentences.share(end.score.mean if end.score else None) if end.version else ""
    yield visible("; ".join(filter(None, (compared(end), verdict(end.gate)))))


def verdict(gate: StepView | None) -> str:
    """The difference and the reason; empty where no gate was asked."""
    if gate is None:
        return ""
    return (
        gate.reason if gate.difference is None else f"{sentences.difference(gate.difference)}: {gate.reason}"
    )


def _told(action: str) -> Text:
    words = sentences.action(action)
    return Text(words, STYLES.get(words, "dim"))
