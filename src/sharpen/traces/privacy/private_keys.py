"""Rules for private keys: blocks whose first or last line is there, however their lines are numbered,
indented or escaped.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.rule import NEAR, Rule, Span

_BREAK = rb"(?:\r?\n|(?:\\+r)?\\+n)"
_SIGNS = rb"[^A-Za-z0-9\r\n\\]{0,20}"
_EDGE = _SIGNS + rb"(?:[0-9]{1,5}[^A-Za-z0-9\r\n\\]{1,4})?"  # of a diff, a list, a numbered line
_BODY_LINE = _EDGE + rb"[A-Za-z0-9][A-Za-z0-9+/=]{15,}" + _SIGNS
_HEADER_LINE = _EDGE + rb"(?:[A-Z][A-Za-z-]{2,20}: [^\r\n\\]{0,120})?"
_KEY_BODY = re.compile(
    _BREAK
    + rb"?(?:%b%b){0,6}?%b(?:%b(?:%b|%b))*" % (_HEADER_LINE, _BREAK, _BODY_LINE, _BREAK, _BODY_LINE, _SIGNS)
)
_KEY_END = re.compile(rb"[\s\S]{0,240}?-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LINES_BEFORE = re.compile(rb"(?:(?:\A|%b)%b)+(?:%b)?%b\Z" % (_BREAK, _BODY_LINE, _BREAK, _SIGNS))
LONGEST_KEY = 20_000


def _key_after(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """From where a private key begins to where its lines end, whether or not the end was told."""
    body = _KEY_BODY.match(data, end, end + LONGEST_KEY)
    if body is None:
        return None
    last = _KEY_END.match(data, max(end, body.end() - NEAR), body.end() + LONGEST_KEY)
    return start, last.end() if last else body.end()


def _key_before(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Lines of a private key whose beginning was cut off."""
    body = _LINES_BEFORE.search(data, max(start - LONGEST_KEY, 0), start)
    return (body.start(), end) if body else None


PRIVATE_KEYS: tuple[Rule, ...] = (
    Rule("private-key", r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----", check=_key_after),
    Rule("private-key", r"-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----", check=_key_before),
)
