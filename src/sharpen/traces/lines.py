"""JSON lines read without trust: whatever is no object is counted, whatever has another type reads as absent.

`Events` turns lines into `Loose` objects; `clean` sees every string before anybody else does, which is where
credentials are taken out. It knows no client.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator

Clean = Callable[[str], str]


class Loose:
    """A JSON value asked for types: a field of another type, or one that is missing, reads as empty."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return bool(self.value)

    def at(self, *path: str) -> Loose:
        found = self.value
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return Loose(found)

    def text(self, *path: str) -> str:
        found = self.at(*path).value
        return found if isinstance(found, str) else ""

    def whole(self, *path: str) -> int | None:
        """A whole number that is not negative, such as a count of tokens."""
        found = self.at(*path).value
        is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**53
        return found if is_count and isinstance(found, int) else None

    def code(self, *path: str) -> int | None:
        """An exit code; signals make it negative in some clients."""
        found = self.at(*path).value
        return (
            found if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 2**32 else None
        )

    def amount(self, *path: str) -> float | None:
        """A finite number that is not negative, such as a price."""
        found = self.at(*path).value
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return None
        return float(found) if 0 <= found < 1e300 and math.isfinite(found) else None

    def items(self, *path: str) -> list[Loose]:
        found = self.at(*path).value
        return [Loose(item) for item in found] if isinstance(found, list) else []

    def values(self, *path: str) -> list[Loose]:
        found = self.at(*path).value
        return [Loose(item) for item in found.values()] if isinstance(found, dict) else []

    def mapping(self, *path: str) -> dict[str, object]:
        found = self.at(*path).value
        return dict(found) if isinstance(found, dict) else {}


class Events:
    """The objects in a stream of lines; `unread` counts lines that were none, `cleaned` changed strings."""

    def __init__(self, lines: Iterable[str], *, clean: Clean | None = None) -> None:
        self._lines, self._clean = lines, clean
        self.unread = 0
        self.cleaned = 0

    def __iter__(self) -> Iterator[Loose]:
        for line in self._lines:
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                yield Loose(self._cleaned(value) if self._clean else value)
            else:
                self.unread += 1

    def _cleaned(self, value: object) -> object:
        if isinstance(value, str) and self._clean is not None:
            text = self._clean(value)
            self.cleaned += text != value
            return text
        if isinstance(value, dict):
            return {str(self._cleaned(key)): self._cleaned(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._cleaned(item) for item in value]
        return value


def arguments_of(value: Loose) -> dict[str, object]:
    """A tool call's arguments, which some clients send as JSON inside a string."""
    if isinstance(value.value, str):
        try:
            parsed = json.loads(value.value)
        except (ValueError, RecursionError):
            parsed = None
        return parsed if isinstance(parsed, dict) else {"text": value.value}
    return value.mapping()
