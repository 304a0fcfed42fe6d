"""A run of SkillOpt's in the terminal: what its files tell, and what they cannot tell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sharpen.report import sentences
from sharpen.report.curve import CurvePoint, PointKind
from sharpen.report.plot import Plot
from sharpen.report.skillopt import SkillOptRun, SkillOptStep
from sharpen.report.terminal import Encodable, plain
from sharpen.skills import tokens
from sharpen.types import Estimate

UNKNOWN = (
    "SkillOpt keeps single passes: there are no intervals, an error of the provider counts as a wrong "
    "answer, and which evidence brought in a line is not recorded."
)


def render_skillopt(run: SkillOptRun) -> RenderableType:
    """What `sharpen show` prints of a folder that SkillOpt made."""
    return Encodable(Group(*_screen(run)))


def state_of(run: SkillOptRun) -> str:
    return "finished" if run.finished else "unfinished"


def _screen(run: SkillOptRun) -> Iterator[RenderableType]:
    style = "bold green" if run.finished else "yellow"
    yield Text.assemble((plain(run.name).plain, "bold"), "  ", (state_of(run), style), "  made by SkillOpt")
    yield Text(_headline(run), "bold")
    for note in (_facts(run), UNKNOWN, *run.problems):
        if note:
            yield Text(plain(note).plain, "dim")
    points = list(_points(run))
    if points:
        yield Padding(Plot(points, unit="steps", intervals=False), (1, 0, 0, 0))
    if run.steps:
        yield _steps_table(run)
    if run.tokens:
        yield _tokens_table(run)
    if run.best_skill is not None:
        yield from _skill(run.best_skill)
    yield _next_commands(run)


def _headline(run: SkillOptRun) -> str:
    scores = {name: sentences.share(value) for name, value in run.scores.items()}
    accepted = sum(step.accepted for step in run.steps)
    counted = f"{sentences.plural(len(run.steps), 'step')}, {accepted} accepted"
    origin = run.best_origin or (
        f"step {run.best_step}" if run.best_step is not None else "origin not recorded"
    )
    selection = (
        f"selection {scores['best_selection_hard']} ({origin}), start {scores['baseline_selection_hard']}"
    )
    test = ""
    if run.scores["test_hard"] is not None:
        test = f"; test {scores['test_hard']}, start {scores['baseline_test_hard']}"
        test += (
            f", last skill {scores['final_test_hard']}" if run.scores["final_test_hard"] is not None else ""
        )
    return f"{counted}; best {selection}{test}."


def _facts(run: SkillOptRun) -> str:
    return ", ".join(f"{name} {value}" for name, value in run.facts.items())


def _points(run: SkillOptRun) -> Iterator[CurvePoint]:
    def point(step: int, kind: PointKind, value: float | None) -> Iterator[CurvePoint]:
        if value is not None:
            yield CurvePoint(step, kind, "", Estimate(value, value, value, 0))

    yield from point(0, "start", run.scores["baseline_selection_hard"])
    for step in run.steps:
        yield from point(step.step, "accepted" if step.accepted else "rejected", step.score)
    yield from point(0, "test start", run.scores["baseline_test_hard"])
    yield from point(0, "test", run.scores["test_hard"])


def _steps_table(run: SkillOptRun) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("Epoch", "Step"):
        table.add_column(name, justify="right")
    table.add_column("How it went")
    for name in ("Train", "Edits", "L", "Score", "Current", "Best"):
        table.add_column(name, no_wrap=True)
    last_of = {step.epoch: number for number, step in enumerate(run.steps)}
    for number, step in enumerate(run.steps):
        table.add_row(*_step_cells(step))
        update = run.slow_updates.get(step.epoch or 0)
        if update is not None and last_of[step.epoch] == number:
            told = sentences.action(update)
            table.add_row("", "", plain(f"slow update: {told}"))
    return table


def _step_cells(step: SkillOptStep) -> Sequence[RenderableType]:
    return (
        "–" if step.epoch is None else str(step.epoch),
        str(step.step),
        plain(sentences.action(step.action)),
        sentences.share(step.rollout_hard),
        "–" if step.merged is None else f"{'–' if step.used is None else step.used} of {step.merged}",
        "–" if step.edit_budget is None else str(step.edit_budget),
        *map(sentences.share, (step.score, step.current_score, step.best_score)),
    )


def _tokens_table(run: SkillOptRun) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Spend")
    for name in ("Calls", "Tokens in", "Tokens out"):
        table.add_column(name, justify="right")
    for stage, counts in run.tokens.items():
        table.add_row(plain(stage), *(f"{count:,}" for count in counts.values()))
    return table


def _skill(text: str) -> Iterator[RenderableType]:
    size = f"{sentences.plural(len(text.splitlines()), 'line')}, about {tokens(text):,} tokens"
    yield Text.assemble(("Best skill", "bold"), f" ({size})")
    yield Padding(Group(*(plain(line) for line in text.splitlines())), (0, 0, 0, 2))


def _next_commands(run: SkillOptRun) -> RenderableType:
    folder = shlex.quote(run.run_dir)
    table = Table.grid(padding=(0, 3))
    table.add_row(plain(f"sharpen diff {folder}"), Text("what it changed", "dim"))
    table.add_row(plain(f"sharpen blame {folder}"), Text("which step brought in which line", "dim"))
    table.add_row(plain(f"sharpen show {folder} --json"), Text("the same for a program", "dim"))
    return Padding(table, (1, 0, 0, 0))
