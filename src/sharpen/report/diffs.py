"""Diffs as a page shows them: words, with long unchanged stretches folded away.

Built on `skills.diff`; adds only what reading needs. Knows no HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sharpen.report.versions import EditView
from sharpen.skills import word_diff

CONTEXT = 3  # unchanged lines kept beside a change


@dataclass(frozen=True)
class Piece:
    """A stretch of a diff; the text of a `gap` says what was left out."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str


def diff_of(old: str, new: str) -> tuple[Piece, ...]:
    """The word diff of two texts with only the neighbourhood of the changes."""
    chunks = word_diff(old, new)
    pieces: list[Piece] = []
    for at, chunk in enumerate(chunks):
        if chunk.kind == "same":
            pieces += _fold(chunk.text, head=at > 0, tail=at < len(chunks) - 1)
        else:
            replaced = chunk.kind == "removed" and at + 1 < len(chunks) and chunks[at + 1].kind == "added"
            # What replaces a line's end stands beside it, not on a line of its own.
            pieces.append(Piece(chunk.kind, chunk.text.removesuffix("\n") if replaced else chunk.text))
    return tuple(pieces)


def edit_diff(edit: EditView) -> tuple[Piece, ...]:
    """What one edit takes out and puts in, without the text around it."""
    old = edit.target if edit.op in ("replace", "delete") else ""
    new = "" if edit.op == "delete" else edit.content
    return tuple(Piece(chunk.kind, chunk.text) for chunk in word_diff(old, new))


def _fold(text: str, *, head: bool, tail: bool) -> Iterator[Piece]:
    """Keep `CONTEXT` lines at the ends that touch a change; say how many lines are gone in between."""
    lines = text.splitlines(keepends=True)
    first, last = CONTEXT if head else 0, CONTEXT if tail else 0
    hidden = len(lines) - first - last
    if hidden < 2:
        yield Piece("same", text)
        return
    if first:
        yield Piece("same", "".join(lines[:first]))
    yield Piece("gap", f"{hidden} unchanged lines")
    if last:
        yield Piece("same", "".join(lines[-last:]))
