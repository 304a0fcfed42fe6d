"""The tables of a TOML text with their places, so that some can be taken out without touching the rest.

The text must be valid TOML; then a line that begins with a bracket, outside of strings and of values that go
over several lines, begins a table. What a table means is read by the standard library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

_TOKEN = re.compile(
    r'"""(?s:(?:\\.|[^\\])*?)"""(?:"{0,2})|\'\'\'(?s:.*?)\'\'\'(?:\'{0,2})|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n]'
)
OurTable = Callable[[Mapping[str, Any]], str | None]
"""A name for a table that is ours, by what it says; None for any other."""


class Table(NamedTuple):
    """A table's header as it is written, and where its lines begin and end."""

    header: str
    start: int
    end: int

    @property
    def array(self) -> tuple[str, ...] | None:
        """The keys of an array to which it is one more element; None for any other table."""
        if not self.header.startswith("[["):
            return None
        keys, inner = [], tomllib.loads(self.header)
        while isinstance(inner, dict) and inner:
            (key, inner), *_ = inner.items()
            keys.append(key)
        return tuple(keys)


def tables(text: str) -> list[Table]:
    """Every table that begins with a header, in order."""
    starts = list(_headers(text))
    ends = [*(start for start, _ in starts[1:]), len(text)]
    return [Table(header, start, end) for (start, header), end in zip(starts, ends, strict=False)]


def _headers(text: str) -> Iterator[tuple[int, str]]:
    """Where header lines begin, and what stands on them."""
    depth, line, at = 0, 0, 0
    while found := _TOKEN.search(text, at):
        at = found.end()
        if found[0] == "\n":
            line = at
        elif found[0] == "[" and depth == 0 and not text[line : found.start()].strip(" \t\ufeff"):
            end = text.find("\n", at)
            end = len(text) if end == -1 else end
            yield line, text[found.start() : end].rstrip("\r")
            at = end
        elif found[0] in ("[", "{"):
            depth += 1
        elif found[0] in ("]", "}"):
            depth -= 1


def without(text: str, array: tuple[str, ...], ours: OurTable) -> str:
    """The text without those elements `[[array]]` that `ours` has a name for; of each name the last.

    Comments and empty lines below a table's last key stay: they belong to what comes next.
    """
    found = [table for table in tables(text) if table.array == array]
    gone: set[str] = set()
    for table, row in reversed(list(zip(found, rows(text, array), strict=False))):
        name = ours(row)
        if name is not None and name not in gone:
            gone.add(name)
            text = text[: table.start] + text[_last_line(text, table) :]
    return text


def rows(text: str, array: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """What the tables of the array say, also where they are written as an inline list."""
    inner: Any = tomllib.loads(text.removeprefix("\ufeff"))
    for key in array:
        inner = inner.get(key, {}) if isinstance(inner, dict) else {}
    return [row for row in inner if isinstance(row, dict)] if isinstance(inner, list) else []


def _last_line(text: str, table: Table) -> int:
    """The end of the table's last line that says something."""
    end = table.end
    while end > table.start:
        line = text.rfind("\n", table.start, end - 1) + 1 or table.start
        said = text[line:end].strip()
        if said and not said.startswith("#"):
            return end
        end = line
    return end
