"""JSON by the interpreter's own C scanner, without importing `json`, which costs half an interpreter's start.

Where there is no such scanner (another Python than CPython) the standard module does the same work.
"""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii as quoted
    from _json import make_scanner
except ImportError:
    from json import loads
    from json.encoder import encode_basestring_ascii as quoted
else:

    class _Plain:
        """What the scanner asks its owner for: Python's own types, and no hooks."""

        strict = False
        object_hook = object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float
        memo: dict[str, str]

    _scan = make_scanner(_Plain)  # type: ignore[arg-type]  # any object with these names will do

    def loads(text: str) -> object:  # type: ignore[misc]  # the same, for what is needed here
        """The value a JSON text begins with; ValueError when it begins with none."""
        try:
            value, _ = _scan(text.lstrip("\ufeff \t\r\n"), 0)
        except (StopIteration, SystemError):  # its error would be a class of `json`, which is not there
            raise ValueError("no JSON") from None
        return value


def dumps(value: object) -> str:
    """Objects, arrays, strings, whole numbers, true, false and null as JSON."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(str(key))}:{dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(dumps, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, (int, float)) else quoted(str(value))


__all__ = ["dumps", "loads"]
