"""Texts of which every match of a pattern or glob contains one, so that most rules need not be tried at all.

Event rules and the rules of redaction are looked up by them, with upper and lower case folded
(`str.casefold`).
Folding works character by character, so a text that contains a literal also contains it folded. Where a
pattern ignores case, only ASCII is certain, and of that not the letter i: the engine takes `ı` for `i`, and
folding does not. Nothing that is merely likely may be a needle: a rule would be lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _parser  # type: ignore[attr-defined]  # the engine's own view of a pattern
from typing import Any

MOST = 12
"""Alternatives; a rule with more of them is tried on every event of its tool."""
Needles = tuple[str, ...]
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def needles_in(pattern: str) -> Needles:
    """One of these is in every text that the pattern is found in; empty when nothing is certain."""
    parsed = _parser.parse(pattern, re.MULTILINE)
    return _best(_pieces(parsed, parsed.state.flags))


def needles_in_globs(globs: Iterable[str]) -> Needles:
    """One of these is in every path that one of the globs fits."""
    found: set[str] = set()
    for glob in globs:
        plain = re.sub(r"\[!?\]?[^\]/]*\]|[*?/\[]", "\0", glob)
        (longest,) = _best(_folded(letter) for letter in plain) or ("",)
        found.add(longest)
    return tuple(sorted(found)) if all(found) and len(found) <= MOST else ()


def best_of(choices: Iterable[Needles]) -> Needles:
    """The set that will be met least: whose shortest text is longest."""
    return max((choice for choice in choices if choice), key=_worth, default=())


def _worth(needles: Needles) -> tuple[int, int]:
    return min(map(len, needles)), -len(needles)


def _best(pieces: Iterable[str | Needles]) -> Needles:
    """Runs of letters, and whole sets, compared."""
    run = ""
    choices: list[Needles] = []
    for piece in (*pieces, "\0"):
        if isinstance(piece, str) and "\0" not in piece:
            run += piece
            continue
        choices.append((run,) if run else ())
        run = ""
        if isinstance(piece, tuple):
            choices.append(piece)
    return best_of(choices)


def _pieces(nodes: Any, flags: int) -> Iterator[str | Needles]:
    """What must be there, in order: letters, a NUL where something uncertain stands, sets of alternatives."""
    for node, value in nodes:
        name = str(node)
        if name == "LITERAL":
            yield _letter(chr(value), flags)
        elif name == "SUBPATTERN":
            yield from _pieces(value[3], (flags | value[1]) & ~value[2])
        elif name == "ATOMIC_GROUP":
            yield from _pieces(value, flags)
        elif name in _REPEATS and value[0] >= 1:
            yield from ("\0", *_pieces(value[2], flags), "\0")
        elif name == "BRANCH":
            yield _either(_best(_pieces(branch, flags)) for branch in value[1])
        elif name == "ASSERT":  # what stands ahead or behind is in the text, too
            yield from ("\0", *_pieces(value[1], flags), "\0")
        elif name != "AT":
            yield "\0"


def _either(branches: Iterable[Needles]) -> str | Needles:
    chosen = list(branches)
    together = {needle for needles in chosen for needle in needles}
    return tuple(sorted(together)) if all(chosen) and len(together) <= MOST else "\0"


def _letter(letter: str, flags: int) -> str:
    if flags & re.IGNORECASE and (not letter.isascii() or letter in "iI"):
        return "\0"
    return _folded(letter)


def _folded(letter: str) -> str:
    """The letter as it is looked for; NUL for one that JSON escapes, or that divides needles."""
    folded = letter.casefold()
    return folded if folded.isprintable() and not set(folded) & set('"\\|') else "\0"
