"""How far a value goes once it was led to, and whether what announced it is enough to take it.

Shared by all rules that know a secret by what stands before it.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.rule import FAR, NEAR, Span
from sharpen.traces.privacy.shapes import ALL_SHAPES
from sharpen.traces.privacy.values import is_password, is_placeholder, is_secret, is_wordy

MARK = b"[redacted:"
VALUE = r"[^\s\"'`]{6,}"
QUOTES = (b'"', b"'", b"`")
_ANY_SHAPE = re.compile("|".join(pattern for _, pattern in ALL_SHAPES).encode("latin-1"))
_LINE_START = re.compile(
    rb"(?:\A|\n)[ \t+>-]*(?:[0-9]+[:\t -])?(?:export |set |setx |env |ENV |- )?[A-Z0-9_]*\Z"
)
_OPTION = re.compile(r"--[a-z][\w-]*(?:=.*)?\Z|-[A-Za-z]{1,2}\Z")
_SHOUTED_NAME = re.compile(rb"[ \t][A-Z][A-Z0-9_]*[ \t]+[\"']?\Z")
_ENDS_VALUE = re.compile(rb"[,;&<>\\\[\]{}|]")


def value_end(data: bytes, lead: int, start: int, end: int) -> int:
    """Where a value ends: at its quote, with a line that is an assignment, or at a sign of syntax."""
    quote = data[start - 1 : start]
    if quote in QUOTES:
        close = data.find(quote, start, start + FAR)
        if close > 0 and not re.search(rb"\s", data[start:close]):
            return close
    elif quote == b"=" and starts_line(data, lead):
        return end
    found = _ENDS_VALUE.search(data, start, end)
    end = found.start() if found else end
    if b"(" not in data[start:end]:
        while data[end - 1 : end] in (b")", b".", b":"):
            end -= 1
    return end


def starts_line(data: bytes, lead: int) -> bool:
    """Whether a line begins with this name, or with a word that sets it."""
    return _LINE_START.search(data, max(lead - NEAR, 0), lead) is not None


def taken(data: bytes, start: int, end: int) -> Span | None:
    """A value that has a shape goes as far as the shape goes; one that was taken already stays as it is."""
    shaped = _ANY_SHAPE.match(data, start)
    end = max(end, shaped.end()) if shaped else end
    mark = data.find(MARK, start, end)
    end = mark if mark >= 0 else end
    return (start, end) if end > start else None


def given(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """What follows words that announce a secret, whatever it looks like."""
    end = value_end(data, lead, start, end)
    value = data[start:end].decode("latin-1")
    is_quoted = data[start - 1 : start] in QUOTES
    if len(value) < 4 or is_placeholder(value) or value.startswith("id=") or is_compared(data, start):
        return None
    if _OPTION.match(value) or (value[0] == "-" and not is_quoted and is_wordy(value)):
        return None
    if value[0] == "/" and not is_quoted and not is_secret(value):
        return None
    is_shouted = _SHOUTED_NAME.search(data, lead, start) and (is_quoted or not value.islower())
    return taken(data, start, end) if is_shouted or is_password(value) else None


def is_compared(data: bytes, start: int) -> bool:
    """Whether the sign before a value was the first of two, as in `token==other`."""
    return data[start : start + 1] == b"=" and data[start - 1 : start] not in QUOTES
