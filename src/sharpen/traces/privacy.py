"""What has to go from harvested sessions: credentials, and whatever tells who the user is and where they
work.

One pass over the text finds everything: the shapes and leads of `redaction.py`, more providers, connection
strings, e-mail addresses, telephone numbers, IP addresses, and user names in home folders. RE2 finds in
linear time where it is installed (`pip install 'sharpen[traces]'`); Python's own engine finds the same,
slower. Redact before anything is cut: half a key matches nothing. Counts are kept, values never.
"""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Protocol

from sharpen.redaction import Redactor
from sharpen.traces.privacy_rules import GENERIC_NAMES, NAME_IN_PATH, RULES, Rule

SHORTEST = 6  # characters; nothing shorter can be a find
SHORTEST_NAME = 3
_BOUND = ",4096}"
"""Keeps a search by Python's engine from taking quadratic time; RE2 neither needs it nor knows it."""
_LARGE_MEMORY = 64 * 2**20  # bytes RE2 may use for its automaton


class Found(Protocol):
    """The part of a match object that both engines have."""

    def start(self) -> int: ...


class Finder(Protocol):
    def search(self, text: bytes, position: int, /) -> Found | None: ...


class Privacy(Redactor):
    """The wide redactor; `found` counts what was taken, by kind.

    `names` are user names to take out wherever they stand; by default whoever runs this. `engine` is "re2" or
    "re"; without it, the faster one that is there.
    """

    def __init__(
        self,
        extra_secrets: Iterable[str] = (),
        *,
        environ: Mapping[str, str] | None = None,
        names: Iterable[str] | None = None,
        engine: str | None = None,
    ) -> None:
        super().__init__(extra_secrets, environ=environ)
        self.engine = engine or best_engine()
        self._finder = _finder(self.engine)
        self._names: tuple[str, ...] = ()
        self._homes: tuple[tuple[str, str], ...] = ()
        self._name = re.compile(r"(?!)")
        for name in own_names() if names is None else names:
            self.learn(name)

    def learn(self, name: str) -> None:
        """Take this user name out of everything from now on; a name that could be any word is not taken."""
        if len(name) < SHORTEST_NAME or name.lower() in GENERIC_NAMES or name in self._names:
            return
        self._names = (*self._names, name)
        self._homes = tuple(
            (f"{root}{name}/", root) for name in self._names for root in ("/home/", "/Users/")
        )
        spelled = "|".join(map(re.escape, self._names))
        self._name = re.compile(rf"(?<![A-Za-z0-9])(?:{spelled})(?![A-Za-z0-9])")

    def learn_from_path(self, path: str) -> None:
        """The name of the user in whose home folder a path lies."""
        if found := NAME_IN_PATH.match(path):
            self.learn(found[1])

    def redact(self, text: str) -> str:
        if len(text) < SHORTEST_NAME:
            return text
        for secret in self._secrets:
            text = self._replaced(text, secret, "environment")
        for home, root in self._homes:  # by far the most frequent find, and quicker this way
            text = self._replaced(text, home, "user", before=root, after="/")
        if len(text) >= SHORTEST:
            text = self._without_finds(text)
        if any(name in text for name in self._names):
            text = self._name.sub(lambda _: self.mark("user"), text)
        return text

    def _replaced(self, text: str, secret: str, kind: str, *, before: str = "", after: str = "") -> str:
        if secret not in text:
            return text
        self.found[kind] += text.count(secret)
        return text.replace(secret, f"{before}[redacted:{kind}]{after}")

    def _without_finds(self, text: str) -> str:
        data = text.encode("utf-8", "replace")
        search = self._finder.search
        kept: list[bytes] = []
        done = position = 0
        while somewhere := search(data, position):
            place = somewhere.start()
            found = _AT_PLACE.match(data, place)
            if found is None:  # the engines disagree, which no text has made them do yet
                position = place + 1
                continue
            rule, first = _BY_GROUP[found.lastindex or 0]
            start, end = found.span(first + 2)
            span = rule.span(data, found.start(first + 1), start, end)
            if span is None:
                # The words before a value that is none may hide the beginning of another find.
                position = max(start, place + 1)
                continue
            start, end = max(span[0], done), span[1]
            kept += [data[done:start], self.mark(rule.kind).encode()]
            done = position = end
        if not kept:
            return text
        kept.append(data[done:])
        return b"".join(kept).decode("utf-8", "replace")


def best_engine() -> str:
    """RE2 where it is installed."""
    try:
        import_module("re2")
    except ModuleNotFoundError:
        return "re"
    return "re2"


def own_names() -> tuple[str, ...]:
    """How this machine calls its user."""
    names = {os.environ.get("USER", ""), os.environ.get("LOGNAME", ""), Path.home().name}
    with suppress(OSError, KeyError, ImportError):  # a container may know its user by number only
        names.add(getpass.getuser())
    return tuple(sorted(names - {""}))


def _finder(engine: str) -> Finder:
    """What says where the next find begins; which one it is, `_AT_PLACE` tells."""
    if engine == "re2":
        re2 = import_module("re2")
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = _LARGE_MEMORY
        options.never_capture = True
        finder: Finder = re2.compile(_for_re2(_PATTERN).encode("latin-1"), options)
        return finder
    return _BOUNDED


def _for_re2(pattern: str) -> str:
    """The same pattern as RE2 spells it."""
    return pattern.replace(r"\Z", r"\z").replace(_BOUND, ",}")


def _together(rules: Iterable[Rule]) -> tuple[str, dict[int, tuple[Rule, int]]]:
    """One pattern of all rules, and for the group that a match ends with: its rule and its first group."""
    parts, groups, number = [], {}, 1
    for rule in rules:
        flags = "i" if rule.any_case else ""
        parts.append(f"((?{flags}s:({rule.lead})({rule.value})(?:{rule.tail})))")
        groups[number] = (rule, number)
        number += 3
    return "|".join(parts), groups


_PATTERN, _BY_GROUP = _together(RULES)
_BOUNDED = re.compile(_PATTERN.encode("latin-1"))
_AT_PLACE = re.compile(_PATTERN.replace(_BOUND, ",}").encode("latin-1"))
