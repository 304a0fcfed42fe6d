"""How results and chatter look. Text in a pipe is never wrapped, cut or coloured."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table

PIPE_WIDTH = 500
"""Columns when nobody watches: wide enough that no table is cut."""
_STEERING = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Kinds of characters that move the cursor, turn the direction of writing, or cannot be shown."""
_HARMLESS = "\n\t\u200c\u200d"
"""Line ends, and what joins letters or emoji."""


def console(*, stderr: bool = False) -> Console:
    """A console for stdout or stderr as they are now."""
    return Console(stderr=stderr, highlight=False, emoji=False)


def show(what: RenderableType, *, width: int = PIPE_WIDTH) -> None:
    """A drawing on stdout: as wide as the terminal, or `width` columns in a pipe, without trailing space."""
    here = console()
    if here.is_terminal:
        here.print(what)
        return
    paper = Console(file=io.StringIO(), width=width, highlight=False, emoji=False, color_system=None)
    with paper.capture() as drawn:
        paper.print(what)
    for line in drawn.get().splitlines():
        typer.echo(line.rstrip())


def visible(text: str) -> str:
    """Text that others wrote, its control characters spelled out: they would steer the terminal."""
    if text.isprintable():
        return text
    return "".join(_spelled(sign) for sign in text)


def _spelled(sign: str) -> str:
    is_plain = sign in _HARMLESS or unicodedata.category(sign) not in _STEERING
    return sign if is_plain else sign.encode("unicode_escape").decode()


def say(text: str) -> None:
    """Chatter: to stderr."""
    typer.echo(visible(text), err=True)


def print_json(value: object) -> None:
    """A result for programs: to stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Sequence[int] = (),
    cut: Sequence[int] = (),
) -> None:
    """A result for people: to stdout. `right` are the columns of numbers; those in `cut` lose their end where
    a terminal is narrow, and the others keep their width."""
    is_narrow = bool(cut) and console().is_terminal
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=is_narrow)
    for at, name in enumerate(head):
        justify: JustifyMethod = "right" if at in right else "left"
        if is_narrow and at in cut:
            table.add_column(name, ratio=1, no_wrap=True, overflow="ellipsis")
        else:
            table.add_column(name, justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(_literal, row))
    show(table)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names and values, one pair per line, values aligned."""
    pairs = list(facts)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        typer.echo(f"{name:<{width}}  {visible(value)}")


def _literal(text: str) -> str:
    """Text that holds brackets is not markup."""
    return visible(text).replace("[", r"\[")
