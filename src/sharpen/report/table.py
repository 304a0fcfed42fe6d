"""Many runs in one table, a line each; those that SkillOpt made are labelled."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sharpen.report import sentences
from sharpen.report.skillopt import SkillOptRun
from sharpen.report.skillopt_screen import state_of
from sharpen.report.terminal import STATE_STYLES, Encodable, plain
from sharpen.report.view import RunView


def runs_table(views: Iterable[RunView | SkillOptRun]) -> RenderableType:
    """What `sharpen runs` prints."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Run", overflow="fold", min_width=12)
    for name in ("Status", "Loop", "Best", "Selection", "Test gain"):
        table.add_column(name, no_wrap=True)
    table.add_column("Rollouts", justify="right", no_wrap=True)
    for view in views:
        table.add_row(*(_foreign_row(view) if isinstance(view, SkillOptRun) else _row(view)))
    return Encodable(table)


def loop_of(view: RunView) -> str:
    """Which loop, and how far a batch run came."""
    steps = sum(len(epoch.steps) for epoch in view.epochs)
    counted = f", {sentences.plural(steps, 'step')}" if steps else ""
    return f"{view.config.get('loop', 'draft')}{counted}"


def _row(view: RunView) -> tuple[RenderableType, ...]:
    return (
        plain(view.run_dir),
        Text(view.status.state, STATE_STYLES[view.status.state]),
        plain(loop_of(view)),
        view.best if view.accepted else "none",
        sentences.score(view.selection),
        sentences.difference(view.gain) if view.gain and view.accepted else "–",
        f"{view.spend.rollouts:,}",
    )


def _foreign_row(run: SkillOptRun) -> tuple[RenderableType, ...]:
    new, old = run.scores["test_hard"], run.scores["baseline_test_hard"]
    return (
        plain(run.run_dir),
        Text(state_of(run), STATE_STYLES["finished" if run.finished else "unclear"]),
        f"SkillOpt, {sentences.plural(len(run.steps), 'step')}",
        plain(run.best_origin or "not recorded"),
        sentences.share(run.scores["best_selection_hard"]),
        "–" if new is None or old is None else sentences.signed(new - old),
        "–",
    )
