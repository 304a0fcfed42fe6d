"""The terminal: readable at any width, in ASCII where nothing else is known, and never steered by a skill."""

from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console, RenderableType

from sharpen.report import RunView, render_terminal, runs_table


def shown(renderable: RenderableType, *, width: int = 120, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding) as file:
        console = Console(file=file, width=width, force_terminal=False)
        console.print(renderable)
        file.flush()
        return raw.getvalue().decode(encoding)


def test_a_finished_run_shows_verdict_curve_steps_spend_and_what_next(accepted: RunView) -> None:
    text = shown(render_terminal(accepted))
    assert accepted.headline.text in text
    for sign in ("○", "●", "◆", "■"):
        assert sign in text
    assert "1.0 ┤" in text
    assert "v1 from start" in text
    assert "student" in text
    assert "unknown" in text
    assert f"sharpen report {accepted.run_dir}" in text


def test_a_refused_run_shows_why(refused: RunView) -> None:
    text = shown(render_terminal(refused), width=200)
    assert "Nothing was accepted: the gate" in text
    assert all(step.reason in text for step in refused.steps)


@pytest.mark.parametrize("name", ["killed", "unborn"])
def test_an_unfinished_run_says_how_to_go_on(name: str, request: pytest.FixtureRequest) -> None:
    text = shown(render_terminal(request.getfixturevalue(name)))
    assert "stopped" in text
    assert "the command that started it, again" in text


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("name", ["accepted", "batch", "office", "unborn"])
def test_no_line_is_wider_than_the_terminal(name: str, width: int, request: pytest.FixtureRequest) -> None:
    text = shown(render_terminal(request.getfixturevalue(name)), width=width)
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 120])
def test_verdicts_are_never_cut(batch: RunView, width: int) -> None:
    text = shown(render_terminal(batch), width=width)
    assert text.count("accepted") >= sum(step.accepted for step in batch.steps)
    assert "…" not in text


def test_without_unicode_everything_is_ascii(accepted: RunView, batch: RunView, office: RunView) -> None:
    for view in (accepted, batch, office):
        text = shown(render_terminal(view), encoding="ascii")
        assert text.isascii()
        assert "1.0 +" in text
        assert shown(runs_table([view]), encoding="ascii").isascii()


def test_texts_cannot_steer_the_terminal(batch: RunView) -> None:
    hostile = "\x1b[2Jgone [bold]not markup[/bold] \u202e\nnext"
    step = dataclasses.replace(batch.steps[0], reason=hostile)
    view = dataclasses.replace(batch, name=hostile, run_dir=hostile, steps=(step,))
    for text in (shown(render_terminal(view)), shown(runs_table([view]))):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[bold]not" in text


def test_the_table_of_runs_has_a_line_for_each(accepted: RunView, null: RunView, killed: RunView) -> None:
    views = [dataclasses.replace(view, run_dir=view.name) for view in (accepted, null, killed)]
    text = shown(runs_table(views))
    first = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert first[-3:] == ["accepted", "null", "killed"]
    assert "finished" in text
    assert "stopped" in text
    assert "not measured" in text
