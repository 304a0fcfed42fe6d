"""`traces.db`: harvested sessions in one SQLite file, to be listed, read, exported and forgotten.

Sessions are rows; their steps are JSON, one row each, so that a session of any size is written and read step
by step. A source is known by a digest of its path, because paths hold user names. What is forgotten is
overwritten, and only a digest stays, so that the next harvest does not bring it back. Knows nothing of
clients.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.store.failures import DiskErrors
from sharpen.traces.files import read_only_uri
from sharpen.traces.gathering import nested, trajectory_of_session
from sharpen.traces.parse import step_of
from sharpen.traces.session import Spent
from sharpen.traces.telling import About, Ending
from sharpen.traces.trajectory import Step, Trajectory

APPLICATION_ID = 0x53525431  # "SRT1", so that a run's database is not taken for an archive of traces
OWNER_ONLY = 0o600
"""The mode of new files with sessions in them; what SQLite puts beside one has the same."""
SHORTEST_BEGINNING = 4
"""Characters that the beginning of a session's name must have, to stand for it."""
BUSY_SECONDS = 30.0
"""How long another harvest is waited for; it holds the file while it writes one source."""
STEPS_PER_SESSION = 2**32
"""A step's row is its session's number times this, plus its own."""

# `part` of a source is empty when all of it was read, else a digest of the project that was asked for.
FIRST = """
CREATE TABLE sources (
    key TEXT PRIMARY KEY, place TEXT NOT NULL, format TEXT NOT NULL, size INTEGER NOT NULL,
    changed INTEGER NOT NULL, part TEXT NOT NULL, unread INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, client TEXT NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL,
    parent TEXT NOT NULL, relation TEXT NOT NULL, project TEXT NOT NULL,
    model TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL, title TEXT NOT NULL,
    steps INTEGER NOT NULL, failures INTEGER NOT NULL, corrections INTEGER NOT NULL,
    verdict TEXT NOT NULL, evidence TEXT NOT NULL, redactions TEXT NOT NULL,
    about TEXT NOT NULL, ending TEXT NOT NULL,
    UNIQUE (client, name)
);
CREATE INDEX sessions_by_source ON sessions (source);
CREATE INDEX sessions_by_parent ON sessions (parent);
CREATE TABLE steps (row INTEGER PRIMARY KEY, step TEXT NOT NULL);
CREATE TABLE forgotten (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
VERSION = 1


@dataclass(frozen=True)
class Row:
    """One session in the list."""

    number: int
    client: str
    name: str
    project: str
    model: str
    started: str
    ended: str
    title: str
    steps: int
    failures: int
    corrections: int
    verdict: str
    evidence: str
    redactions: Mapping[str, int]
    parent: str
    relation: str


class Archive:
    """An open `traces.db`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection

    @classmethod
    @contextmanager
    def open(cls, path: Path, *, create: bool = False) -> Iterator[Archive]:
        """The archive in a file; a missing one is made only when asked for, a missing folder never. What may
        not be written can still be read."""
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file, such as {path / 'traces.db'}")
        if not create and not path.is_file():
            raise UsageError(f"{path} is not there; `sharpen harvest --from all --to {path}` makes it")
        if not path.parent.is_dir():
            raise UsageError(f"{path}: there is no folder {path.parent}; make it, or name another file")
        with DiskErrors(path):
            if not path.exists():
                path.touch(OWNER_ONLY)
            connection = _connect(path)
        try:
            yield cls(path, connection)
        except sqlite3.Error:  # other errors are not this file's: a closed pipe, a source that went away
            with DiskErrors(path):
                raise
        finally:
            connection.close()

    def rows(
        self, *, client: str | None = None, verdict: str | None = None, limit: int | None = None
    ) -> list[Row]:
        """Sessions, the newest first."""
        columns = [field.name for field in fields(Row)]
        asked = [(name, value) for name, value in (("client", client), ("verdict", verdict)) if value]
        where = " AND ".join(f"{name} = ?" for name, _ in asked) or "1"
        found = self.connection.execute(
            f"SELECT {', '.join(columns)} FROM sessions WHERE {where} "
            "ORDER BY started DESC, number DESC LIMIT ?",
            (*(value for _, value in asked), -1 if limit is None else limit),
        )
        named = (dict(zip(columns, row, strict=True)) for row in found)
        return [Row(**{**row, "redactions": json.loads(row["redactions"])}) for row in named]

    def find(self, name: str) -> Row:
        """The session with this number or this (beginning of a) name; digits alone are a number."""
        rows = self.rows()
        if name.isdecimal():
            matching = [row for row in rows if str(row.number) == name]
        else:
            matching = [row for row in rows if row.name == name]
            if not matching and len(name) >= SHORTEST_BEGINNING:
                matching = [row for row in rows if row.name.startswith(name)]
        if len(matching) == 1:
            return matching[0]
        if matching:
            numbers = ", ".join(str(row.number) for row in matching[:5])
            raise UsageError(f"{name!r} could be any of the sessions {numbers}; say its number")
        raise UsageError(f"{self.path} has no session {name!r}; `sharpen traces list` shows them")

    def steps(self, number: int) -> Iterator[Step]:
        """The session's steps in order, read one by one."""
        first = number * STEPS_PER_SESSION
        found = self.connection.execute(
            "SELECT step FROM steps WHERE row BETWEEN ? AND ? ORDER BY row",
            (first, first + STEPS_PER_SESSION - 1),
        )
        for (step,) in found:
            yield step_of(json.loads(step))

    def trajectory(self, number: int) -> Trajectory:
        """The session as ATIF, its sub-agents inside."""
        return self._trajectory(number, {number})

    def _trajectory(self, number: int, seen: set[int]) -> Trajectory:
        row = self.connection.execute(
            "SELECT about, ending, failures, corrections, verdict, evidence, redactions "
            "FROM sessions WHERE number = ?",
            (number,),
        ).fetchone()
        about, ending, failures, corrections, verdict, evidence, redactions = row
        facts = {
            "outcome": {"verdict": verdict, "evidence": evidence} if evidence else {"verdict": verdict},
            "failures": failures,
            "corrections": corrections,
            "redactions": json.loads(redactions),
        }
        told = trajectory_of_session(about_of(about), self.steps(number), _ending(ending), facts)
        inner = [child for child in self._children(number) if child not in seen]
        seen.update(inner)
        return nested(told, [self._trajectory(child, seen) for child in inner])

    def counts(self) -> list[dict[str, object]]:
        """What there is, client by client."""
        found = self.connection.execute(
            "SELECT client, count(*), sum(steps), sum(failures), sum(corrections), sum(verdict = 'solved'), "
            "sum(verdict = 'failed'), sum(verdict = 'unknown') FROM sessions GROUP BY client ORDER BY client"
        )
        names = ("client", "sessions", "steps", "failures", "corrections", "solved", "failed", "unknown")
        return [dict(zip(names, row, strict=True)) for row in found]

    # -- forgetting --------------------------------------------------------------------------------------

    def forget(self, numbers: list[int]) -> int:
        """Take sessions out for good, with the sub-agents they started; how many went."""
        going = set(numbers).union(*map(self.below, numbers))
        with transaction(self.connection):
            for number in sorted(going):
                remove_session(self.connection, number, remember=True)
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(going)

    def older_than(self, moment: str) -> list[int]:
        """Sessions that were over before this moment; those of unknown time are not among them."""
        found = self.connection.execute(
            "SELECT number FROM sessions WHERE max(started, ended) != '' AND max(started, ended) < ?",
            (moment,),
        )
        return [number for (number,) in found]

    @property
    def forgotten(self) -> int:
        """How many sessions were forgotten, and stay so."""
        return int(self.connection.execute("SELECT count(*) FROM forgotten").fetchone()[0])

    @property
    def retention_days(self) -> int | None:
        """How many days sessions are kept; None for as long as they like."""
        row = self.connection.execute("SELECT value FROM settings WHERE name = 'retention_days'").fetchone()
        return int(row[0]) if row else None

    @retention_days.setter
    def retention_days(self, days: int | None) -> None:
        self.connection.execute("DELETE FROM settings WHERE name = 'retention_days'")
        if days is not None:
            self.connection.execute("INSERT INTO settings VALUES ('retention_days', ?)", (str(days),))

    def below(self, number: int) -> set[int]:
        """The session's sub-agents, and theirs; it is among them itself only where they go in a circle."""
        found: set[int] = set()
        waiting = self._children(number)
        while waiting:
            child = waiting.pop()
            if child not in found:
                found.add(child)
                waiting += self._children(child)
        return found

    def _children(self, number: int) -> list[int]:
        """Sub-agents by the name of who started them: of the same client, or told by the same file."""
        found = self.connection.execute(
            "SELECT inner.number FROM sessions AS outer JOIN sessions AS inner ON inner.parent = outer.name "
            "AND inner.relation = 'sub-agent' "
            "AND (inner.client = outer.client OR inner.source = outer.source) "
            "WHERE outer.number = ? ORDER BY inner.number",
            (number,),
        )
        return [child for (child,) in found if child != number]


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite has taken it back already when the disk was full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def digest(*parts: str) -> str:
    """A name for something whose own name must not be written."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def remove_session(connection: sqlite3.Connection, number: int, *, remember: bool) -> None:
    if remember:
        row = connection.execute("SELECT client, name FROM sessions WHERE number = ?", (number,)).fetchone()
        connection.execute("INSERT OR IGNORE INTO forgotten VALUES (?)", (digest(*row),))
    first = number * STEPS_PER_SESSION
    connection.execute("DELETE FROM steps WHERE row BETWEEN ? AND ?", (first, first + STEPS_PER_SESSION - 1))
    connection.execute("DELETE FROM sessions WHERE number = ?", (number,))


def about_json(about: About) -> str:
    return json.dumps(asdict(about), ensure_ascii=False)


def ending_json(ending: Ending) -> str:
    facts = asdict(ending)
    del facts["redactions"]  # which have a column
    return json.dumps(facts, ensure_ascii=False)


def about_of(text: str) -> About:
    return About(**json.loads(text))


def _ending(text: str) -> Ending:
    value = json.loads(text)
    spent, listed = value.pop("spent"), value.pop("skills_listed")
    return Ending(
        **{**value, "errors": tuple(value["errors"])},
        spent=None if spent is None else Spent(**spent),
        skills_listed=None if listed is None else tuple(listed),
    )


def _connect(path: Path) -> sqlite3.Connection:
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    only_read = os.access(path, os.R_OK) and not may_write
    connection = sqlite3.connect(
        read_only_uri(path) if only_read else path,
        uri=only_read,
        isolation_level=None,
        timeout=BUSY_SECONDS,
    )
    try:
        _check(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            connection.executescript(
                f"BEGIN IMMEDIATE; {FIRST} PRAGMA application_id = {APPLICATION_ID}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Another program's file, or one of a newer sharpen, stays untouched."""
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise UsageError(f"{path} is no archive of traces; choose another file") from error
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UsageError(f"{path} is a database, but no archive of traces; choose another file")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise UsageError(
            f"{path} was written by a newer sharpen (version {version}); upgrade sharpen to open it"
        )
