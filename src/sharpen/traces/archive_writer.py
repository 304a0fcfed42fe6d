"""Sessions told to `traces.db`: one source at a time, in one transaction, whatever was there of it replaced.

A source that fails halfway leaves the archive as it was. Steps are written in small lots while they are
told, so that the size of a session does not matter. Sessions that were forgotten stay so. What arrives here
is already redacted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sharpen.traces.archive import (
    STEPS_PER_SESSION,
    about_json,
    about_of,
    digest,
    ending_json,
    remove_session,
)
from sharpen.traces.atif import step_text
from sharpen.traces.gathering import Nowhere
from sharpen.traces.outcomes import Outcome, Watch
from sharpen.traces.telling import About, Ending, Track
from sharpen.traces.trajectory import Step

LOT = 256
"""Steps written at once."""
LOT_CHARACTERS = 4_000_000
"""Or fewer, when they are long."""
TITLE = 120
"""Characters of the first prompt that name a session in lists."""


@dataclass(frozen=True)
class Written:
    """One session, in numbers."""

    steps: int
    outcome: Outcome
    redactions: Mapping[str, int]


class ArchiveWriter:
    """A sink into an open connection; whoever uses it holds the transaction. `written` is by number, and
    `passed_over` counts sessions that were forgotten or that another file tells up to a later point."""

    def __init__(self, connection: sqlite3.Connection, source: str) -> None:
        self.connection, self.source = connection, source
        self.written: dict[int, Written] = {}
        self.passed_over = 0
        old = connection.execute("SELECT number FROM sessions WHERE source = ?", (source,)).fetchall()
        self._untold = {number for (number,) in old}

    def begin(self, about: About) -> Track:
        key = digest(about.client, about.session_id)
        forgotten = self.connection.execute("SELECT 1 FROM forgotten WHERE key = ?", (key,)).fetchone()
        if forgotten:
            self.passed_over += 1
            return Nowhere()
        same = self.connection.execute(
            "SELECT number, source, about FROM sessions WHERE client = ? AND name = ?",
            (about.client, about.session_id),
        ).fetchone()
        if same is None:
            return _SessionRow(self, about, None)
        number, source, before = same
        if source != self.source and about.revision < about_of(before).revision:
            self.passed_over += 1
            return Nowhere()
        self._untold.discard(number)
        remove_session(self.connection, number, remember=False)
        return _SessionRow(self, about, number)

    def drop_untold(self) -> None:
        """Sessions that this source once had and has no more."""
        for number in sorted(self._untold):
            remove_session(self.connection, number, remember=False)


class _SessionRow:
    """A session being written; one that was there before keeps its number."""

    def __init__(self, writer: ArchiveWriter, about: About, number: int | None) -> None:
        self._writer, self._about = writer, about
        self._watch = Watch()
        self._lot: dict[int, str] = {}
        self._characters = 0
        self._count = 0
        self._title = ""
        self._first_time = self._last_time = ""
        cursor = writer.connection.execute(
            "INSERT INTO sessions (number, client, name, source, parent, relation, project, model, started, "
            "ended, title, steps, failures, corrections, verdict, evidence, redactions, about, ending) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, '', '', '', '', 0, 0, 0, 'unknown', '', '{}', ?, '{}')",
            (
                number,
                about.client,
                about.session_id,
                writer.source,
                about.parent,
                about.relation,
                about.project,
                about_json(about),
            ),
        )
        self._number = int(cursor.lastrowid or 0)

    def place(self, number: int, step: Step) -> None:
        self._watch.place(number, step)
        text = step_text(number + 1, step)
        self._lot[self._number * STEPS_PER_SESSION + number] = text
        self._characters += len(text)
        self._count = max(self._count, number + 1)
        if step.timestamp:
            self._first_time = self._first_time or step.timestamp
            self._last_time = step.timestamp
        if not self._title and step.source == "user" and isinstance(step.message, str):
            self._title = " ".join(step.message[: 4 * TITLE].split())[:TITLE]
        if len(self._lot) >= LOT or self._characters >= LOT_CHARACTERS:
            self._write()

    def keep(self, count: int) -> None:
        self._write()
        first = self._number * STEPS_PER_SESSION
        self._writer.connection.execute(
            "DELETE FROM steps WHERE row BETWEEN ? AND ?", (first + count, first + STEPS_PER_SESSION - 1)
        )
        self._watch.keep(count)
        self._count = min(self._count, count)

    def end(self, ending: Ending) -> None:
        self._write()
        outcome = self._watch.outcome(ending)
        self._writer.connection.execute(
            "UPDATE sessions SET model = ?, started = ?, ended = ?, title = ?, steps = ?, failures = ?, "
            "corrections = ?, verdict = ?, evidence = ?, redactions = ?, ending = ? WHERE number = ?",
            (
                ending.model or self._about.model,
                _in_utc(self._about.started or self._first_time),
                _in_utc(self._last_time),
                self._title,
                self._count,
                outcome.failures,
                outcome.corrections,
                outcome.verdict,
                outcome.evidence,
                json.dumps(dict(sorted(ending.redactions.items()))),
                ending_json(ending),
                self._number,
            ),
        )
        if not self._count:
            remove_session(self._writer.connection, self._number, remember=False)
            return
        self._writer.written[self._number] = Written(self._count, outcome, ending.redactions)

    def _write(self) -> None:
        rows = list(self._lot.items())
        self._writer.connection.executemany("INSERT OR REPLACE INTO steps VALUES (?, ?)", rows)
        self._lot.clear()
        self._characters = 0


def _in_utc(time: str) -> str:
    """A time in the zone in which times are compared as texts; one without a zone stays as it is."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return ""
    if moment.tzinfo is None:
        return time
    try:
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""
