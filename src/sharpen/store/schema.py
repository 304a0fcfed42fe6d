"""The tables of `run.db` and how an older file becomes a current one.

The schema version is the number of steps applied, kept in `PRAGMA user_version`. To change the tables,
append a step; never edit one that has been released. Knows no record: `rows.py` maps those.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from sharpen.errors import RunFolderError

APPLICATION_ID = 0x53525031  # "SRP1", so that another program's database is not taken for a run

# An attempt or proposal without an outcome was started and not finished; 'lost' is one that an earlier
# process left so. `hard` and `soft` have no type, so that a 1 comes back as 1 and not as 1.0: the
# digest of evidence must not change when it is read again.
FIRST = """
CREATE TABLE attempts (
    skill TEXT NOT NULL, task TEXT NOT NULL, student TEXT NOT NULL, trial INTEGER NOT NULL,
    outcome TEXT, task_id TEXT, hard, soft, feedback TEXT, error TEXT, usage TEXT, trajectory TEXT,
    PRIMARY KEY (skill, task, student, trial)
) WITHOUT ROWID;
CREATE TABLE proposals (
    teacher TEXT NOT NULL, question TEXT NOT NULL, trial INTEGER NOT NULL,
    outcome TEXT, edits TEXT, usage TEXT, error TEXT,
    PRIMARY KEY (teacher, question, trial)
) WITHOUT ROWID;
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, parent TEXT, text TEXT NOT NULL,
    edits TEXT NOT NULL, status TEXT NOT NULL
);
CREATE TABLE evaluations (
    number INTEGER PRIMARY KEY, skill TEXT NOT NULL, split TEXT NOT NULL, purpose TEXT NOT NULL,
    estimate TEXT NOT NULL, counted TEXT NOT NULL,
    UNIQUE (skill, split, purpose)
);
CREATE TABLE events (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

# Model calls, and what an attempt or proposal was for. Calls in flight are one fact from here on, so that
# announcing a batch is one row whatever its size; rows without an outcome are left by the first version only.
SECOND = """
CREATE TABLE calls (
    model TEXT NOT NULL, request TEXT NOT NULL, trial INTEGER NOT NULL, answer TEXT NOT NULL, usage TEXT,
    PRIMARY KEY (model, request, trial)
) WITHOUT ROWID;
ALTER TABLE attempts ADD COLUMN stage TEXT;
ALTER TABLE proposals ADD COLUMN stage TEXT;
"""

# Files beside SKILL.md. Contents are kept once by their digest, because most versions share most files;
# `versions.files` is a JSON object of path to digest, NULL for a skill without files.
THIRD = """
CREATE TABLE files (digest TEXT PRIMARY KEY, content BLOB NOT NULL);
ALTER TABLE versions ADD COLUMN files TEXT;
"""

STEPS: tuple[str, ...] = (FIRST, SECOND, THIRD)


def schema_version(connection: sqlite3.Connection, path: Path, *, steps: Sequence[str] = STEPS) -> int:
    """The file's schema version, once it is certain that this program can read it."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise RunFolderError(f"{path} is a database of another program; choose another run folder")
    if found > len(steps):
        raise RunFolderError(
            f"{path} has schema version {found}, written by a newer sharpen; this one knows versions up to "
            f"{len(steps)}. Upgrade sharpen to open it"
        )
    return found


def migrate(connection: sqlite3.Connection, path: Path, *, steps: Sequence[str] = STEPS) -> None:
    """Apply the steps the file has not seen, each with its version number in one transaction."""
    for number in range(schema_version(connection, path, steps=steps), len(steps)):
        connection.executescript(
            f"BEGIN IMMEDIATE; {steps[number]}"
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number + 1}; COMMIT;"
        )
