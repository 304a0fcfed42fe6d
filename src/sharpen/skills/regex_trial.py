"""Patterns tried out in a process of their own: does one need endless time on a text made to annoy it?

A pattern from a rule runs in other people's sessions. From its own parts come texts that make a backtracking
engine try everything: whatever it repeats, many times over, after what must stand before it and with an end
that cannot match. They are as long as the longest line the hook process looks at. A pattern that needs more
than its share of processor time for one of them is refused; how it would have ended nobody needs to know.

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

from sharpen.hook.event import LONGEST_LINE

SHARE = 0.8
"""Seconds of processor time for one text. A line that takes the square of its length needs a hundredth."""
LENGTHS = (32, LONGEST_LINE)
"""Characters of the repeated part: few show exponential behaviour, many a polynomial worse than quadratic."""
MOST_TEXTS = 400
"""Of each length, for one pattern: enough for 200 repetitions; nested alternatives have no end of them."""
MOST_TIMES = 20
"""Repetitions a sample has where a pattern demands more: nested ones would multiply."""
WRONG_ENDS = ("\x00", "\n\x00")
"""Hardly any pattern takes a NUL; the second one also stands behind the end of a line."""
CLOCK = hasattr(signal, "setitimer")
"""Windows has no such clock; there only the whole process has an end."""
PATIENCE = 60.0
"""Seconds for the whole process, besides those that its patterns may take."""
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def endless(patterns: Sequence[str]) -> list[int]:
    """The positions of patterns that took too long. All of them must compile."""
    if not patterns:
        return []
    command, given = [sys.executable, "-m", __name__], json.dumps(list(patterns))
    patience = PATIENCE + 10 * SHARE * len(patterns)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=patience, check=True
        )
    except subprocess.TimeoutExpired:  # nobody knows which it was, so none of them is trusted
        return list(range(len(patterns)))
    return [int(line) for line in done.stdout.split()]


def texts_against(pattern: str) -> Iterator[str]:
    """Texts that repeat what the pattern repeats, after what it wants to see before, with a wrong end."""
    for length in LENGTHS:
        tried: set[str] = set()
        for before, body in _pumps(_parser.parse(pattern), ""):
            for end in WRONG_ENDS:
                text = before + (body * (length // len(body) + 1))[:length] + end
                if text not in tried and len(tried) < MOST_TEXTS:
                    tried.add(text)
                    yield text


def _pumps(nodes: Any, before: str) -> Iterator[tuple[str, str]]:
    """Every repeated part with a text that leads to it: the part itself, its pieces, its alternatives."""
    for node in nodes:
        name, value = str(node[0]), node[1]
        if name in _REPEATS:
            yield from ((before, body) for body in _bodies(value[2]) if body)
            yield from _pumps(value[2], before)
        elif name == "SUBPATTERN":
            yield from _pumps(value[3], before)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _pumps(branch, before)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _pumps(value[1], before)
        elif name == "ATOMIC_GROUP":
            yield from _pumps(value, before)
        before += _sample([node])


def _bodies(nodes: Any) -> list[str]:
    """Samples of what is repeated, whole and in pieces."""
    pieces = [sample for node in nodes for sample in _samples(node)]
    return list(dict.fromkeys([_sample(nodes) or "a", *pieces, "".join(pieces)[:40]]))


def _samples(node: Any) -> list[str]:
    name, value = str(node[0]), node[1]
    if name == "BRANCH":
        return [_sample(branch) for branch in value[1]]
    if name == "SUBPATTERN":
        return [sample for inner in value[3] for sample in _samples(inner)]
    return [_sample([node])]


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
    if name in _REPEATS:
        times: int = min(max(1, value[0]), MOST_TIMES)
        return (_sample(value[2]) * times)[:LONGEST_LINE]
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
    try:
        compiled = re.compile(pattern, re.MULTILINE)
        for text in texts_against(pattern):
            if CLOCK:
                signal.setitimer(signal.ITIMER_VIRTUAL, SHARE)
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
