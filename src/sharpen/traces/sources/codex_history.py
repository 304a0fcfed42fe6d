"""Where a Codex rollout goes on from another file: forks, and threads of which turns were taken back.

A paginated rollout's header names the file it continues and the line before which its own story begins. So a
thread that was reverted lies in two files under one name, and neither of them is the whole of it. Files that
are gone are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sharpen.traces.files import lines_of
from sharpen.traces.lines import Events, Loose

_ROLLOUT = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_FOLDERS = ("sessions", "archived_sessions")
DEEPEST = 32
"""Files of one history that are followed at most."""


@dataclass(frozen=True)
class Stretch:
    """The beginning of an earlier file, up to the line with the number `end`."""

    path: Path
    end: int
    meta: Loose

    def events(self) -> Iterator[Loose]:
        """The lines after its header."""
        for event in Events(lines_of(self.path)):
            number = event.whole("ordinal")
            if number is not None and number >= self.end:
                return
            if event.text("type") != "session_meta":
                yield event


def history(path: Path, meta: Loose) -> list[Stretch]:
    """What happened before the rollout with that header, the oldest file first."""
    found: list[Stretch] = []
    base, seen = meta.at("history_base"), {path}
    while base and len(found) < DEEPEST:
        file, end = _file(path, base.text("thread_id")), base.whole("end_ordinal_exclusive")
        if file is None or end is None or file in seen:
            break
        seen.add(file)
        found.append(Stretch(file, min(end, found[-1].end if found else end), _header(file)))
        base = found[-1].meta.at("history_base")
    return found[::-1]


def _file(path: Path, name: str) -> Path | None:
    """The file of a rollout, beside this one or anywhere in the same home."""
    if not _ROLLOUT.fullmatch(name):
        return None
    pattern = f"rollout-*[-_]{name}.jsonl*"
    root = next((folder for folder in path.parents if folder.name in _FOLDERS), None)
    wide = () if root is None else (f"sessions/*/*/*/{pattern}", f"archived_sessions/{pattern}")
    beside = sorted(path.parent.glob(pattern))
    return next(
        iter(beside or sorted(file for glob in wide for file in (root or path).parent.glob(glob))), None
    )


def _header(file: Path) -> Loose:
    first = next(iter(Events(lines_of(file))), Loose(None))
    return first.at("payload") if first.text("type") == "session_meta" else Loose(None)
