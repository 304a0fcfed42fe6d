"""Opening `run.db`: by its one writer, or by any number of readers, who need no permission to write.

Both hand out a connection in autocommit mode (one statement, one transaction) whose tables have the current
schema. Knows SQLite's modes; knows no record and no lock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sharpen.errors import RunFolderError
from sharpen.store.schema import STEPS, migrate, schema_version

BUSY_SECONDS = 30.0
WAL_PAGES = 4000  # pages (4 KiB) between checkpoints: each one costs two waits for the disk


def connect_writer(path: Path, *, steps: Sequence[str] = STEPS) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        # Asked before the first write, so that another program's file stays untouched.
        schema_version(connection, path, steps=steps)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
        migrate(connection, path, steps=steps)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path, *, steps: Sequence[str] = STEPS) -> sqlite3.Connection:
    connection = _open_read_only(path)
    try:
        version = schema_version(connection, path, steps=steps)
    except BaseException:
        connection.close()
        raise
    if 0 < version == len(steps):
        return connection
    with closing(connection):
        if version == 0:
            raise RunFolderError(f"{path} holds no run yet: its process ended before anything was recorded")
        return _migrated_copy(connection, path, steps)


def _open_read_only(path: Path) -> sqlite3.Connection:
    """Beside a live writer if there is one; where nothing can be written, as a file that does not change."""
    try:
        return _connect_uri(path, "mode=ro")
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if log.is_file() and log.stat().st_size:
            raise  # part of the run is in the log, which an immutable file would hide
        return _connect_uri(path, "immutable=1")


def _connect_uri(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")  # only the first question opens the file
    except BaseException:
        connection.close()
        raise
    return connection


def _migrated_copy(old: sqlite3.Connection, path: Path, steps: Sequence[str]) -> sqlite3.Connection:
    """An older file brought up to date in memory; the file itself waits for its next writer."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    old.backup(copy)
    migrate(copy, path, steps=steps)
    copy.execute("PRAGMA query_only = ON")
    return copy
