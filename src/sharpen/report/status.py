"""Is the run over, at work, or left behind? And who holds its folder?

The lock is never touched, because asking for it could refuse a run that is just starting. The holder's own
record is read instead, and its process looked for on this machine.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sharpen.report.record import RunRecord
from sharpen.store.lock import HOLDER_NAME

State = Literal["running", "finished", "stopped", "unclear"]


@dataclass(frozen=True)
class Status:
    """`unclear` is an unfinished run whose holder is on another machine, or cannot be looked for here."""

    state: State
    holder: str = ""
    started: float | None = None
    """Wall clock of the first event, in seconds since 1970."""
    last: float | None = None
    seconds: float = 0.0
    """Working time of all processes, up to the last event."""


def status_of(record: RunRecord, run_dir: Path) -> Status:
    times = [event.at for event in record.events if event.at]
    holder = _holder(run_dir)
    return Status(
        state="finished" if record.result is not None else _unfinished(holder),
        holder=_named(holder),
        started=times[0] if times else None,
        last=times[-1] if times else None,
        seconds=record.seconds,
    )


def _holder(run_dir: Path) -> Mapping[str, object]:
    """Who says to hold the folder; empty when nobody does or the record is half written."""
    try:
        found = json.loads((run_dir / HOLDER_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _unfinished(holder: Mapping[str, object]) -> State:
    if not holder:
        return "stopped"
    pid = holder.get("pid")
    if holder.get("host") != socket.gethostname() or not isinstance(pid, int):
        return "unclear"
    alive = _alive(pid)
    if alive is None:
        return "unclear"
    return "running" if alive else "stopped"


def _alive(pid: int) -> bool | None:
    """Whether the process exists; None where asking would disturb it (on Windows signal 0 is Ctrl-C)."""
    if sys.platform == "win32":
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    except OverflowError:
        return False
    return True


def _named(holder: Mapping[str, object]) -> str:
    if not holder:
        return ""
    known = {key: holder.get(key, "?") for key in ("pid", "command", "host", "since")}
    return "process {pid} ({command}) on {host} since {since}".format_map(known)
