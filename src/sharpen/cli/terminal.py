"""How results and chatter look. Text in a pipe is never wrapped, cut or coloured."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console, RenderableType
from rich.table import Table

PIPE_WIDTH = 500
"""Columns when nobody watches: wide enough that no table is cut."""


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


def say(text: str) -> None:
    """Chatter: to stderr."""
    typer.echo(text, err=True)


def print_json(value: object) -> None:
    """A result for programs: to stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """A result for people: to stdout. `right` are the columns of numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, name in enumerate(head):
        table.add_column(name, justify="right" if at in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(_literal, row))
    show(table)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names and values, one pair per line, values aligned."""
    pairs = list(facts)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        typer.echo(f"{name:<{width}}  {value}")


def _literal(text: str) -> str:
    """Text that holds brackets is not markup."""
    return text.replace("[", r"\[")
