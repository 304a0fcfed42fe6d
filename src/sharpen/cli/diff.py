"""`sharpen diff`: what changed between two skills, by line or by word."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sharpen.cli import options
from sharpen.cli.terminal import console, print_json
from sharpen.cli.texts import is_run, skill_at, text_of, view_of
from sharpen.errors import UsageError
from sharpen.report.visible import visible
from sharpen.skills import unified_diff, word_diff

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
MARKS = {"same": ("", ""), "added": ("{+", "+}"), "removed": ("[-", "-]")}
Piece = tuple[str, str]
"""A text and the style it is shown in."""
STYLES = {"same": "", "added": "green", "removed": "red"}


def command(
    a: Annotated[Path, typer.Argument(metavar="A", help="A skill file, a skill folder or a run folder.")],
    b: Annotated[
        Path | None, typer.Argument(metavar="B", help="The other one; a run alone shows what it changed.")
    ] = None,
    words: Annotated[
        bool, typer.Option("--words", "-w", help="Word by word instead of line by line.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Show what changed between two skills.

    A run folder stands for its best skill. A run alone is compared with the skill it started from.
    """
    old, new, names = _pair(a, b)
    if json:
        chunks = [{"kind": chunk.kind, "text": chunk.text} for chunk in word_diff(old, new)]
        print_json({"names": names, "unified": unified_diff(old, new, names=names), "words": chunks})
        return
    _print(_by_word(old, new) if words else _by_line(old, new, names))


def _pair(a: Path, b: Path | None) -> tuple[str, str, tuple[str, str]]:
    if b is not None:
        return skill_at(a).text, skill_at(b).text, (str(a), str(b))
    if not is_run(a):
        raise UsageError(f"compare {a} with what? Give a second skill; only a run folder can stand alone")
    view = view_of(a)
    old, new = text_of(view, a, best=False), text_of(view, a, best=True)
    return old.text, new.text, (f"{a} start", f"{a} {view.best}")


def _by_line(old: str, new: str, names: tuple[str, str]) -> list[Piece]:
    pieces = []
    for line in unified_diff(old, new, names=names).splitlines(keepends=True):
        style = "bold" if line.startswith(("---", "+++")) else COLOURS.get(line[:1], "")
        pieces.append((line, style))
    return pieces


def _by_word(old: str, new: str) -> list[Piece]:
    """As `git diff --word-diff` marks it: readable without colours, too."""
    return [(text.join(MARKS[kind]), STYLES[kind]) for kind, text in word_diff(old, new)]


def _print(pieces: list[Piece]) -> None:
    """In colour for a person; in a pipe the very bytes, so that the diff can be applied."""
    here = console()
    if here.is_terminal:
        here.print(Text.assemble(*((visible(text), style) for text, style in pieces)), soft_wrap=True, end="")
    else:
        typer.echo("".join(text for text, _ in pieces), nl=False)
