"""`sharpen diff`: what changed between two skills, by line or by word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sharpen.cli import options
from sharpen.cli.terminal import console, print_json
from sharpen.cli.texts import is_run, skill_at, skillopt_pair, text_of, view_of
from sharpen.errors import UsageError
from sharpen.report import is_skillopt_run
from sharpen.report.visible import visible
from sharpen.skills import Chunk, FileDiff, Skill, files_diff, unified_diff, word_diff

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

    A run folder stands for its best skill. A run alone is compared with the skill it started from. Files
    beside SKILL.md follow, each with a diff of its own.
    """
    old, new, names = _pair(a, b)
    unified, chunks = unified_diff(old.text, new.text, names=names), word_diff(old.text, new.text)
    files = files_diff(old.files, new.files, names=names)
    if json:
        beside = [{**one._asdict(), "words": _plain(one.words)} for one in files]
        print_json({"names": names, "unified": unified, "words": _plain(chunks), "files": beside})
    elif words:
        _print([*_by_word(chunks), *(piece for one in files for piece in _file_by_word(one))])
    else:
        _print([piece for text in (unified, *(one.unified for one in files)) for piece in _by_line(text)])


def _pair(a: Path, b: Path | None) -> tuple[Skill, Skill, tuple[str, str]]:
    if b is not None:
        return skill_at(a), skill_at(b), (str(a), str(b))
    if is_skillopt_run(a):
        return *skillopt_pair(a), (f"{a} start", f"{a} best")
    if not is_run(a):
        raise UsageError(f"compare {a} with what? Give a second skill; only a run folder can stand alone")
    view = view_of(a)
    old, new = text_of(view, a, best=False), text_of(view, a, best=True)
    return old, new, (f"{a} start", f"{a} {view.best}")


def _plain(chunks: Sequence[Chunk]) -> list[dict[str, str]]:
    return [{"kind": chunk.kind, "text": chunk.text} for chunk in chunks]


def _by_line(unified: str) -> list[Piece]:
    pieces = []
    for line in unified.splitlines(keepends=True):
        style = "bold" if line.startswith(("---", "+++")) else COLOURS.get(line[:1], "")
        pieces.append((line, style))
    return pieces


def _by_word(chunks: Sequence[Chunk]) -> list[Piece]:
    """As `git diff --word-diff` marks it: readable without colours, too."""
    return [(text.join(MARKS[kind]), STYLES[kind]) for kind, text in chunks]


def _file_by_word(one: FileDiff) -> list[Piece]:
    return [(f"\n{one.file} ({one.kind}):\n", "bold"), *_by_word(one.words)]


def _print(pieces: list[Piece]) -> None:
    """In colour for a person; in a pipe the very bytes, so that the diff can be applied."""
    here = console()
    if here.is_terminal:
        here.print(Text.assemble(*((visible(text), style) for text, style in pieces)), soft_wrap=True, end="")
    else:
        typer.echo("".join(text for text, _ in pieces), nl=False)
