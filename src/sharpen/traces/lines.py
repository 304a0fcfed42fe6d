"""JSON lines read without trust: whatever is no object is counted, whatever has another type reads as absent.

`Events` turns lines into `Loose` objects; `clean` sees every string before anybody else does, which is where
credentials are taken out. It knows no client.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator

Clean = Callable[[str], str]
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_WORDLESS = ("image", "input_image", "image_url", "audio", "document", "file")


class Loose:
    """A JSON value asked for types: a field of another type, or one that is missing, reads as empty.

    `at` and `text` are asked several times per line and reach into the value themselves.
    """

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return bool(self.value)

    def at(self, *path: str) -> Loose:
        value = self.value
        for name in path:
            value = value.get(name) if type(value) is dict else None
        return Loose(value)

    def text(self, *path: str) -> str:
        value = self.value
        for name in path:
            if type(value) is not dict:
                return ""
            value = value.get(name)
        return value if type(value) is str else ""

    def whole(self, *path: str) -> int | None:
        """A whole number that is not negative, such as a count of tokens."""
        found = _reach(self.value, path)
        return found if type(found) is int and 0 <= found < 2**53 else None

    def code(self, *path: str) -> int | None:
        """An exit code; signals make it negative in some clients."""
        found = _reach(self.value, path)
        return found if type(found) is int and abs(found) < 2**32 else None

    def amount(self, *path: str) -> float | None:
        """A finite number that is not negative, such as a price."""
        found = _reach(self.value, path)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return None
        return float(found) if 0 <= found < 1e300 and math.isfinite(found) else None

    def flag(self, *path: str) -> bool:
        """Whether it says true, and nothing else."""
        return _reach(self.value, path) is True

    def items(self, *path: str) -> list[Loose]:
        found = _reach(self.value, path)
        return [Loose(item) for item in found] if isinstance(found, list) else []

    def values(self, *path: str) -> list[Loose]:
        found = _reach(self.value, path)
        return [Loose(item) for item in found.values()] if isinstance(found, dict) else []

    def mapping(self, *path: str) -> dict[str, object]:
        found = _reach(self.value, path)
        return dict(found) if isinstance(found, dict) else {}


def _reach(value: object, path: tuple[str, ...]) -> object:
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


class Events:
    """The objects in a stream of lines; `unread` counts lines that were none, `cleaned` changed strings.

    A line that is None was too long to be held.
    """

    def __init__(self, lines: Iterable[str | None], *, clean: Clean | None = None) -> None:
        self._lines, self._clean = lines, clean
        self.unread = 0
        self.cleaned = 0

    def __iter__(self) -> Iterator[Loose]:
        for line in self._lines:
            if line is not None and (not line or line.isspace()):
                continue
            value = parsed(line)
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


class Values(Events):
    """Values that are parsed already, told like lines."""

    def __init__(self, values: Iterable[object]) -> None:
        super().__init__(())
        self._values = values

    def __iter__(self) -> Iterator[Loose]:
        for value in self._values:
            if isinstance(value, dict):
                yield Loose(value)
            else:
                self.unread += 1


def parsed(text: str | None) -> object:
    """The JSON value in a text, or None. What JSON has no word for (NaN, Infinity) reads as absent."""
    if text is None:
        return None
    try:
        if text[:1] == "{":  # by far most lines, and quicker without a search for white space
            value, end = _DECODER.raw_decode(text)
            return value if end == len(text) or not text[end:].strip(_SPACE) else None
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def arguments_of(value: Loose) -> dict[str, object]:
    """A tool call's arguments, which some clients send as JSON inside a string."""
    if isinstance(value.value, str):
        found = parsed(value.value)
        return found if isinstance(found, dict) else {"text": value.value}
    return value.mapping()


def text_of(content: Loose) -> str:
    """What a message says: text as it is, parts as their texts; a part without words is only named."""
    if isinstance(content.value, str):
        return content.value
    return "\n".join(said for part in content.items() if (said := _part_text(part)))


def _part_text(part: Loose) -> str:
    if isinstance(part.value, str):
        return part.value
    kind = part.text("type")
    return part.text("text") or part.text("content") or (f"[{kind}]" if kind in _WORDLESS else "")
