"""Two texts side by side: by line for people with a terminal, by word for people who read prose.

Works on any two strings, or on two sets of files, and knows nothing of skills. A diff is exact: its parts
joined give both texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from difflib import unified_diff as _unified_lines
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

_WORD = re.compile(r"\S+\s*|\s+")  # a word takes the space after it along; lone spaces would match by chance
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
NO_NEWLINE = "\\ No newline at end of file\n"
NO_FILE = "/dev/null"
"""How a unified diff names the side on which a file does not exist."""


class Chunk(NamedTuple):
    """A piece of text that both have, or only the second (`added`), or only the first (`removed`)."""

    kind: Literal["same", "added", "removed"]
    text: str


def unified_diff(a: str, b: str, *, names: tuple[str, str] = ("a", "b")) -> str:
    """A unified diff as `diff -u` prints it; empty when the texts are equal."""
    lines = _unified_lines(_LINE.findall(a), _LINE.findall(b), *names)
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)


class FileDiff(NamedTuple):
    """What became of one file; `unified` says only that it differs when it is not text on both sides."""

    file: str
    kind: Literal["added", "removed", "changed"]
    unified: str
    words: tuple[Chunk, ...]


def files_diff(
    a: Mapping[str, bytes], b: Mapping[str, bytes], *, names: tuple[str, str] = ("a", "b")
) -> tuple[FileDiff, ...]:
    """The files that differ, by name."""
    differing = sorted(path for path in a.keys() | b.keys() if a.get(path) != b.get(path))
    return tuple(_file_diff(path, a.get(path), b.get(path), names) for path in differing)


def _file_diff(path: str, old: bytes | None, new: bytes | None, names: tuple[str, str]) -> FileDiff:
    kind: Literal["added", "removed", "changed"] = "changed"
    if old is None or new is None:
        kind = "added" if old is None else "removed"
    before, after = (
        NO_FILE if data is None else f"{name}/{path}" for name, data in zip(names, (old, new), strict=True)
    )
    try:
        texts = (old or b"").decode("utf-8"), (new or b"").decode("utf-8")
    except UnicodeDecodeError:
        return FileDiff(path, kind, f"Binary files {before} and {after} differ\n", ())
    return FileDiff(path, kind, unified_diff(*texts, names=(before, after)), word_diff(*texts))


def word_diff(a: str, b: str) -> tuple[Chunk, ...]:
    """What changed from `a` to `b`: same and removed chunks joined give `a`, same and added ones `b`."""
    chunks = (chunk for chunk in _by_line(a, b) if chunk.text)
    runs = groupby(chunks, key=attrgetter("kind"))
    return tuple(Chunk(kind, "".join(chunk.text for chunk in run)) for kind, run in runs)


def _by_line(a: str, b: str) -> Iterator[Chunk]:
    """Lines first: comparing all words of two long texts at once is slow and finds worse matches."""
    for same, old, new in _matches(_LINE.findall(a), _LINE.findall(b)):
        if same:
            yield Chunk("same", old)
        else:
            yield from _by_word(old, new)


def _by_word(a: str, b: str) -> Iterator[Chunk]:
    for same, old, new in _matches(_WORD.findall(a), _WORD.findall(b)):
        if same:
            yield Chunk("same", old)
        else:
            yield Chunk("removed", old)
            yield Chunk("added", new)


def _matches(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    for tag, a_start, a_end, b_start, b_end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        yield tag == "equal", "".join(a[a_start:a_end]), "".join(b[b_start:b_end])
