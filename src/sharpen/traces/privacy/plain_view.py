"""A text as it read before somebody escaped it, and the way back.

The same secret is met as `"token": "x"`, as `\\"token\\": \\"x\\"` inside a string of JSON, percent-encoded
in a URL, with entities in HTML, with colours between name and value, or behind a continued line. Rules are
written for the first; here the others are made to look like it. Places found in the plain text are told as
places of the text it was made from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_TERMINAL = rb"\[[0-9;?]{0,16}[A-Za-z]"  # colours and movements
_ESCAPE = re.compile(
    # Every one begins with one of these signs, which is quick to look for.
    rb"[\\%&\x1b^](?:"
    rb"(?<=\\)\\*(?:[nrt\"'/]|\r?\n[ \t]*|u00[2-7][0-9A-Fa-f]|(?:u001[bB]|x1[bB]|033|e)" + _TERMINAL + rb")"
    rb"|(?<=%)(?:25)?[2-7][0-9A-Fa-f]"
    rb"|(?<=&)(?:quot|apos|amp|lt|gt|#x[0-9A-Fa-f]{2}|#[0-9]{2,3});"
    rb"|(?<=\x1b)" + _TERMINAL + rb"|(?<=\^)\[" + _TERMINAL + rb")"
)
Change = tuple[int, int, bytes]
"""Where something begins and ends in the text, and what stands for it in the plain one."""
NEARBY = 200
FAR_AWAY = 1000
_NAMED = {b"n": b"\n", b"r": b"\n", b"t": b"\t"}
_ENTITIES = {b"quot": b'"', b"apos": b"'", b"amp": b"&", b"lt": b"<", b"gt": b">"}


def plain_view(data: bytes) -> PlainView | None:
    """The text around its escapes, without them; None where there are none."""
    if not (b"\\" in data or b"%" in data or b"&" in data or b"\x1b" in data or b"^[" in data):
        return None
    escapes = list(_ESCAPE.finditer(data))
    return PlainView(data, list(_changes(data, escapes))) if escapes else None


def _changes(data: bytes, escapes: list[re.Match[bytes]]) -> Iterator[Change]:
    """Every escape with what it stands for; lines far from any of them have been looked at as they are, and
    together count as a line break.
    """
    done = 0
    for found in escapes:
        start = found.start()
        if start - done > FAR_AWAY:
            first, last = data.find(b"\n", done + NEARBY, start), data.rfind(b"\n", done, start - NEARBY) + 1
            if 0 <= first < last:
                yield first, last, b"\n"
        yield start, found.end(), _meant(found[0])
        done = found.end()
    if len(data) - done > FAR_AWAY and (first := data.find(b"\n", done + NEARBY)) >= 0:
        yield first, len(data), b"\n"


class PlainView:
    """`plain` is the text without its escapes; `origin` says where a part of it came from."""

    def __init__(self, data: bytes, changes: list[Change]) -> None:
        pieces: list[bytes] = []
        done = shift = 0
        self._changes, self._ends, self._shifts = changes, [], [0]
        for start, end, meant in changes:
            pieces += (data[done:start], meant)
            done = end
            shift += end - start - len(meant)
            self._ends.append(end - shift)
            self._shifts.append(shift)
        self.plain = b"".join((*pieces, data[done:]))

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The part of the text that reads like this part of the plain one."""
        first, last = bisect_right(self._ends, start), bisect_right(self._ends, end - 1)
        begin, finish = start + self._shifts[first], end + self._shifts[last]
        if last < len(self._ends) and self._ends[last] - len(self._changes[last][2]) < end:
            finish = self._changes[last][1]
        return begin, finish


def _meant(escape: bytes) -> bytes:
    """What an escape stands for; nothing for what a terminal only acts on."""
    kind, bare = escape[:1], escape.lstrip(b"\\")
    if kind == b"%":
        return bytes([int(escape[-2:], 16)])
    if kind == b"&":
        return _entity(escape[1:-1])
    if kind == b"\\" and bare[:3] == b"u00" and bare[3:4] != b"1":
        return bytes([int(bare[3:5], 16)])
    if kind == b"\\" and len(bare) == 1 and bare != b"\n":
        return _NAMED.get(bare, bare)
    return b""


def _entity(name: bytes) -> bytes:
    if name in _ENTITIES:
        return _ENTITIES[name]
    code = int(name[2:], 16) if name[1:2] in (b"x", b"X") else int(name[1:])
    return bytes([code]) if code < 128 else b"?"
