"""Rules for secrets that were asked for: a command or an expression names one, and what it printed stands on
the next line, alone.

What lies between is read by the checks: a pattern that leads over the rest of a line costs an automaton dear.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.extent import taken
from sharpen.traces.privacy.rule import FAR, Rule, Span
from sharpen.traces.privacy.values import is_code, is_placeholder, is_random, is_secret

_ASKS = re.compile(
    rb"(?:\becho[ \t]+[\"']?\$\{?|\bprintenv[ \t]+"
    rb"|>>>[ \t]|\(Pdb\+?\)[ \t]|ipdb>[ \t]|In \[[0-9]+\]:[ \t]|\birb\S*>[ \t])"
    rb"(?:pp?[ \t]+|print\()?[\w.:\[\]\"'(-]*\Z"
)
_LINE_END = re.compile(rb"[\"']?[ \t]*(?:\r?\n|\Z)")
_SAYS_SECRET = re.compile(rb"pass|secret|token|key|cred|pwd|auth", re.IGNORECASE)
_NEXT_LINE = re.compile(rb"[^\r\n]{0,200}\r?\n\s{0,4}[\"']?([^\s\"'`]{8,})[\"']?[ \t]*(?:\r?\n|\Z)")
_VALUE_FIELD = re.compile(rb"[^{}]{1,200}\"value\":[ \t]*\"([A-Za-z0-9+/_~-]{14,}={0,2})\"")


def _answer(data: bytes, start: int, end: int) -> Span | None:
    value = data[start:end].decode("latin-1")
    if is_placeholder(value) or is_code(value) or not is_secret(value):
        return None
    return taken(data, start, end)


def _line_before(data: bytes, place: int) -> bytes:
    return data[max(place - FAR, 0) : place].rpartition(b"\n")[2]


def asked(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """After a name that ends its line; `assignments.py` finds the names."""
    if not _LINE_END.match(data, end):
        return None
    return _answer(data, start, end) if _ASKS.search(_line_before(data, lead)) else None


def _fetched(data: bytes, lead: int, start: int, end: int) -> Span | None:
    printed = _NEXT_LINE.match(data, end)
    if printed is None:
        return None
    line = _line_before(data, lead) + data[lead : printed.start(1)]
    return _answer(data, *printed.span(1)) if _SAYS_SECRET.search(line) else None


def _key_of_account(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Azure lists keys as objects of a `keyName` and a `value`."""
    field = _VALUE_FIELD.match(data, end)
    return taken(data, *field.span(1)) if field and is_random(field[1].decode("latin-1")) else None


ANSWERS: tuple[Rule, ...] = (
    Rule(
        "secret",
        r"base64[ \t]+(?:-d|-D|--decode)|get-secret-value|--with-decryption|secrets versions access"
        r"|keyvault secret show|find-generic-password|[ \t]-field[= ]|output -raw|config:get|\bop read"
        r"|openssl rand|auth (?:print-access-)?token|create token|following (?:password|token|key|secret)",
        check=_fetched,
    ),
    Rule("secret", r"\"keyName\":", check=_key_of_account),
)
