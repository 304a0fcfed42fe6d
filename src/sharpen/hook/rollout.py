"""Codex says a command's exit code in its session file only; this finds the one of a call, near the end.

The item of a finished command is written before the hook is started, so it is among the last lines.
"""

from __future__ import annotations

import os

from sharpen.hook.quick_json import loads

TAIL = 512 * 1024
"""Bytes looked at from the end: one item holds the command's whole output."""


def exit_code(path: str, call: str) -> int | None:
    """The exit code of the call; None when the file is missing or does not say."""
    if not path or not call:
        return None
    mark = b'"' + call.encode() + b'"'
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - TAIL))
            lines = stream.read().split(b"\n")
    except OSError:
        return None
    for line in reversed(lines):
        if mark in line and b"exit_code" in line:
            code = _of_item(line.decode("utf-8", "replace"), call)
            if code is not None:
                return code
    return None


def _of_item(line: str, call: str) -> int | None:
    try:
        record = loads(line)
    except (ValueError, StopIteration):
        return None
    for key in ("payload", "item"):
        record = record.get(key, record) if isinstance(record, dict) else {}
    named = isinstance(record, dict) and call in (record.get("id"), record.get("call_id"))
    code = record.get("exit_code") if isinstance(record, dict) and named else None
    return code if isinstance(code, int) else None
