"""Codex says how a command ended in its session file only; this finds the item of a call, near the end.

The item of a finished command is written before the hook is started, so it is among the last lines. A file
that is missing, compressed or cut says nothing, and the event stays without an exit code.
"""

from __future__ import annotations

import os

from sharpen.hook.event import Event
from sharpen.hook.quick_json import loads

TAIL = 2 * 1024 * 1024
"""Bytes looked at from the end; an item holds up to 64 KB of output, and calls of a batch end together."""


def complete(event: Event) -> None:
    """Give the event the exit code and the duration of its call, where the session file has them."""
    item = _item(event.transcript, event.call)
    code = item.get("exit_code")
    if type(code) is int:
        event.exit_code, event.failed = code, code != 0
    took = item.get("duration")
    seconds, nanos = (took.get("secs"), took.get("nanos", 0)) if isinstance(took, dict) else (None, None)
    if type(seconds) is int and type(nanos) is int:
        event.seconds = seconds + nanos / 1e9


def _item(path: str, call: str) -> dict[str, object]:
    """The finished command of that call; empty when there is none."""
    if not path or not call:
        return {}
    mark = b'"' + call.encode("utf-8", "replace") + b'"'
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - TAIL))
            lines = stream.read(TAIL).split(b"\n")
    except (OSError, ValueError):
        return {}
    for line in reversed(lines):
        if mark in line and b'"exit_code"' in line:
            item = _read(line.decode("utf-8", "replace"))
            if call in (item.get("id"), item.get("call_id")) and "exit_code" in item:
                return item
    return {}


def _read(line: str) -> dict[str, object]:
    """The innermost record of a line: its payload's item in one history mode, its payload in the other."""
    try:
        record = loads(line)
    except (ValueError, RecursionError):
        return {}
    for key in ("payload", "item"):
        inner = record.get(key, record) if isinstance(record, dict) else {}
        record = inner if isinstance(inner, dict) else {}
    return record if isinstance(record, dict) else {}
