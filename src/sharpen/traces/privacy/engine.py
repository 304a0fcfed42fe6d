"""All rules as one pattern, and the engine that looks for it.

RE2 finds in linear time where it is installed (`pip install 'sharpen[traces]'`); Python's own engine finds
the same, slower. RE2 only says where a find begins; which rule it is and how far it goes is always told by
Python's engine, at that place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import Protocol

from sharpen.skills.needles import needles_in
from sharpen.traces.privacy.credentials import CREDENTIALS
from sharpen.traces.privacy.persons import PERSONS
from sharpen.traces.privacy.rule import Rule

HIGHEST_COUNT = 8
LONG_LEAD = 40
_BOUND = ",4096}"
"""Keeps a search by Python's engine from taking quadratic time; RE2 neither needs it nor knows it."""
_LARGE_MEMORY = 128 * 2**20  # bytes RE2 may use for its automaton


Find = tuple[Rule, int, int]
"""A rule, and where what it takes begins and ends."""


class Found(Protocol):
    """The part of a match object that both engines have."""

    def start(self) -> int: ...


class Finder(Protocol):
    def search(self, text: bytes, position: int, /) -> Found | None: ...


def best_engine() -> str:
    """RE2 where it is installed."""
    try:
        import_module("re2")
    except ModuleNotFoundError:
        return "re"
    return "re2"


def finder_of(engine: str) -> Finder:
    """What says where the next find begins; which one it is, `_AT_PLACE` tells."""
    return _automaton() if engine == "re2" else OneByOne()


@cache
def _automaton() -> Finder:
    re2 = import_module("re2")
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _LARGE_MEMORY
    options.never_capture = True
    finder: Finder = re2.compile(_coarse(_PATTERN).encode("latin-1"), options)
    return finder


class OneByOne:
    """Python's engine, rule by rule; of what they find, the first.

    It would try every alternative of one large pattern at every place. By itself a rule is looked for only in
    texts that have its needle, and from where it was found last. It remembers where it was, so whoever
    searches has one of their own.
    """

    def __init__(self) -> None:
        self._text, self._position = b"", 0
        self._next: dict[re.Pattern[bytes], re.Match[bytes] | None] = {}

    def search(self, text: bytes, position: int, /) -> Found | None:
        if text is not self._text or position < self._position:
            lower = text.lower()
            likely = (rule for needles, rule in _rules() if any(needle in lower for needle in needles))
            self._text, self._next = text, {rule: rule.search(text, position) for rule in likely}
        self._position = position
        for rule, found in self._next.items():
            if found is not None and found.start() < position:
                self._next[rule] = rule.search(text, position)
        return min(filter(None, self._next.values()), key=lambda found: found.start(), default=None)


@cache
def _rules() -> list[tuple[tuple[bytes, ...], re.Pattern[bytes]]]:
    """Every rule's needles and its pattern."""
    rules = (*CREDENTIALS, *PERSONS)
    return [(_needles(rule), re.compile(_by_itself(rule).encode("latin-1"))) for rule in rules]


def _by_itself(rule: Rule) -> str:
    boundary = r"\b" if rule.begins_word else ""
    return rf"{boundary}(?{rule.flags}:(?:{rule.lead})(?:{rule.value})(?:{rule.tail}))"


def _needles(rule: Rule) -> tuple[bytes, ...]:
    """One of these is in every text that the rule finds something in, in lower case."""
    needles = needles_in(f"(?{rule.flags}:(?:{rule.lead})(?:{rule.value})(?:{rule.tail}))")
    is_certain = bool(needles) and all(needle.isascii() for needle in needles)
    return tuple(needle.encode() for needle in needles) if is_certain else (b"",)


def finds_in(data: bytes, finder: Finder) -> list[Find]:
    """What has to go, in the order of the text, no two of them over one another."""
    finds: list[Find] = []
    done = position = 0
    while somewhere := finder.search(data, position):
        place = somewhere.start()
        found = _AT_PLACE.match(data, place)
        if found is None:  # too short, though its beginning was right
            position = place + 1
            continue
        rule, first = _BY_GROUP[found.lastindex or 0]
        start, end = found.span(first + 2)
        span = rule.span(data, found.start(first + 1), start, end)
        if span is None or span[1] <= done:
            position = place + 1  # what led to a value that is none may hide the beginning of another find
            continue
        if span[1] > span[0] > place + LONG_LEAD:  # so much leads to it that another find may be in there
            before = finds_in(data[place : span[0]], finder)
            finds += [
                (rule, first + place, last + place) for rule, first, last in before if first + place >= done
            ]
        if span[0] < span[1]:
            finds.append((rule, max(span[0], done), span[1]))
        done = position = span[1]
    return finds


def _coarse(pattern: str) -> str:
    """The same pattern as RE2 spells it, counting no further than it must to find a beginning.

    It finds whatever the pattern finds and now and then more, which `_AT_PLACE` refuses. Exact counts make an
    automaton of so many states that it is never done building them.
    """

    def count(found: re.Match[str]) -> str:
        return f"{{{min(int(found[1]), HIGHEST_COUNT)},}}"

    return re.sub(r"\{([0-9]+)(?:,[0-9]*)?\}", count, pattern.replace(r"\Z", r"\z"))


def _together(rules: Iterable[Rule]) -> tuple[str, dict[int, tuple[Rule, int]]]:
    """One pattern of all rules, and for the group that a match ends with: its rule and its first group.

    Rules that begin with a word stand together behind one question whether a word begins.
    """
    parts, groups, number = [], {}, 1
    for is_word, some in groupby(rules, lambda rule: rule.begins_word):
        spelled = []
        for rule in some:
            spelled.append(f"((?{rule.flags}:({rule.lead})({rule.value})(?:{rule.tail})))")
            groups[number] = (rule, number)
            number += 3
        parts.append(rf"\b(?:{'|'.join(spelled)})" if is_word else "|".join(spelled))
    return "|".join(parts), groups


_PATTERN, _BY_GROUP = _together((*CREDENTIALS, *PERSONS))
_AT_PLACE = re.compile(_PATTERN.replace(_BOUND, ",}").encode("latin-1"))
