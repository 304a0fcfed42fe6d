"""JSON lines read without trust: whatever is no object is counted, whatever has another type reads as absent.

`Events` turns lines into `Loose` objects; `clean` sees every string before anybody else does, which is where
credentials are taken out. msgspec decodes where it is installed (`pip install 'sharpen[traces]'`), three
times as fast as the standard library, which reads what msgspec refuses and gives the same values. It knows
no client.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

Clean = Callable[[str], str]
Line = str | bytes
DEEPEST = 100
"""Objects and arrays inside one another that leave this module at most; no client writes that many."""
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
        """An object as it is. One nested deeper than any walk should have to go reads as empty, too."""
        found = _reach(self.value, path)
        return dict(found) if isinstance(found, dict) and not _is_deep(found) else {}


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

    def __init__(self, lines: Iterable[Line | None], *, clean: Clean | None = None) -> None:
        self._lines, self._clean = lines, clean
        self.unread = 0
        self.cleaned = 0

    def __iter__(self) -> Iterator[Loose]:
        for line in self._lines:
            value = parsed(line)
            if type(value) is dict:
                yield Loose(self._cleaned(value) if self._clean else value)
            elif line is None or line.strip():
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


def parsed(text: Line | None) -> object:
    """The JSON value in a text, or None.

    What JSON has no word for (NaN, numbers beyond all bounds) reads as absent; bytes that are no UTF-8 and
    halves of surrogate pairs, which nobody could write down again, become replacement characters.
    """
    if text is None:
        return None
    try:
        return _fast(text)
    except (ValueError, RecursionError):
        return _slowly(text)


def _slowly(text: Line) -> object:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    try:
        value = _DECODER.decode(words)
        if "\\ud" not in words.lower():
            return value
        spelled = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return _DECODER.decode(spelled.decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        return None


def _finite(spelled: str) -> float | None:
    number = float(spelled)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)


def _quickest() -> Callable[[Line], object]:
    try:
        decode: Callable[[Line], object] = import_module("msgspec.json").Decoder().decode
    except ModuleNotFoundError:
        return _slowly
    return decode


_fast = _quickest()


def _is_deep(value: object) -> bool:
    layer = [value]
    for _ in range(DEEPEST):
        layer = [inner for item in layer for inner in _inside(item) if isinstance(inner, (dict, list))]
        if not layer:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def arguments_of(value: Loose) -> dict[str, object]:
    """A tool call's arguments, which some clients send as JSON inside a string."""
    if isinstance(value.value, str):
        found = parsed(value.value)
        return Loose(found).mapping() if isinstance(found, dict) else {"text": value.value}
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
