"""Patterns tried out in a process of their own: does one need endless time on a text made to annoy it?

A pattern from a rule runs in other people's sessions. From its own parts come texts that make a backtracking
engine try everything: whatever it repeats, many times over, with an end that cannot match. A pattern that
does not finish in its share of processor time is refused; how it would have ended nobody needs to know.

    python -m sharpen.skills.regex_trial < patterns.json      prints the positions of those that failed
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from re import _parser  # type: ignore[attr-defined]  # the engine's own view of a pattern
from typing import Any

SHARE = 0.5
"""Seconds of processor time for one pattern and all its texts."""
LENGTHS = (32, 2_000)
"""Characters of the repeated part: few show exponential behaviour, many a polynomial worse than quadratic."""
MOST_TIMES = 20
"""Repetitions a sample has where a pattern demands more: nested ones would multiply."""
WRONG_END = "\x00"
CLOCK = hasattr(signal, "setitimer")
PATIENCE = 60.0
"""Seconds for the whole process, where there is no such clock."""


def endless(patterns: Sequence[str]) -> list[int]:
    """The positions of patterns that took too long. All of them must compile."""
    if not patterns:
        return []
    command, given = [sys.executable, "-m", __name__], json.dumps(list(patterns))
    patience = PATIENCE + SHARE * len(patterns)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=patience, check=True
        )
    except subprocess.TimeoutExpired:  # where a process has no clock of its own, none of them is trusted
        return list(range(len(patterns)))
    return [int(line) for line in done.stdout.split()]


def texts_against(pattern: str) -> Iterator[str]:
    """Texts that repeat what the pattern repeats, after what it wants to see before, with a wrong end."""
    before = ""
    for node in _parser.parse(pattern):
        for body in _repeated(node):
            for length in LENGTHS:
                yield before + body * max(1, length // max(1, len(body))) + WRONG_END
        before += _sample([node])


def _repeated(node: Any) -> Iterator[str]:
    """A sample of every repeated part inside the node."""
    name, value = str(node[0]), node[1]
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        yield from (_sample([inner]) or "a" for inner in value[2])
        yield _sample(value[2]) or "a"
        inside: list[Any] = list(value[2])
    elif name == "SUBPATTERN":
        inside = list(value[3])
    elif name == "BRANCH":
        inside = [inner for branch in value[1] for inner in branch]
    elif name in ("ASSERT", "ASSERT_NOT"):
        inside = list(value[1])
    else:
        inside = list(value) if name == "ATOMIC_GROUP" else []
    for inner in inside:
        yield from _repeated(inner)


def _sample(nodes: Any) -> str:
    """A text that these parts of a pattern match, more or less."""
    return "".join(_one(str(node[0]), node[1]) for node in nodes)


def _one(name: str, value: Any) -> str:
    if name == "LITERAL":
        return chr(value)
    if name in ("ANY", "NOT_LITERAL"):
        return "a"
    if name == "IN":
        return _of_set(value)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        times: int = min(max(1, value[0]), MOST_TIMES)
        return _sample(value[2]) * times
    if name == "SUBPATTERN":
        return _sample(value[3])
    if name == "BRANCH":
        return _sample(value[1][0])
    return _sample(value) if name == "ATOMIC_GROUP" else ""


def _of_set(members: Any) -> str:
    kinds = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "0"}
    name, value = str(members[0][0]), members[0][1]
    if name == "LITERAL":
        return chr(value)
    if name == "RANGE":
        return chr(value[0])
    return kinds.get(str(value), "a")


def _finishes(pattern: str) -> bool:
    def late(*_: object) -> None:
        raise TimeoutError

    if CLOCK:
        signal.signal(signal.SIGVTALRM, late)
        signal.setitimer(signal.ITIMER_VIRTUAL, SHARE)
    try:
        compiled = re.compile(pattern, re.MULTILINE)
        for text in texts_against(pattern):
            compiled.search(text)
    except (TimeoutError, RecursionError):
        return False
    finally:
        if CLOCK:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return True


if __name__ == "__main__":
    for at, tried in enumerate(json.load(sys.stdin)):
        if not _finishes(tried):
            sys.stdout.write(f"{at}\n")
