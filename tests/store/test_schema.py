"""Databases of other versions and of other programs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sharpen.errors import RunFolderError
from sharpen.store import SqliteStore
from sharpen.store.schema import STEPS, migrate, schema_version

from .samples import record_small_run

LATER_STEPS = (
    *STEPS,
    "ALTER TABLE versions ADD COLUMN note TEXT NOT NULL DEFAULT 'none'; CREATE TABLE extra (x);",
)


def connect(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def test_a_file_of_version_1_is_migrated_and_keeps_its_data(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with connect(path) as connection:
        migrate(connection, path, steps=STEPS[:1])
        connection.execute("INSERT INTO versions VALUES (1, 'd0', NULL, '# Skill', '[]', 'start')")
        assert schema_version(connection, path, steps=LATER_STEPS) == 1
        migrate(connection, path, steps=LATER_STEPS)
        assert schema_version(connection, path, steps=LATER_STEPS) == len(LATER_STEPS)
        assert connection.execute("SELECT digest, note FROM versions").fetchall() == [("d0", "none")]
        migrate(connection, path, steps=LATER_STEPS)  # nothing left to do


def test_a_step_that_fails_leaves_the_file_at_the_version_before(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with connect(path) as connection, pytest.raises(sqlite3.OperationalError):
        migrate(connection, path, steps=(*STEPS, "CREATE TABLE half (x); CREATE TABLE half (x);"))
    with connect(path) as connection:
        assert schema_version(connection, path) == len(STEPS)
        assert not connection.execute("SELECT * FROM sqlite_master WHERE name = 'half'").fetchall()


def test_every_released_version_opens_for_writing_and_reading(tmp_path: Path) -> None:
    for version in range(1, len(STEPS) + 1):
        folder = tmp_path / str(version)
        folder.mkdir()
        with connect(folder / "run.db") as connection:
            migrate(connection, folder / "run.db", steps=STEPS[:version])
        SqliteStore.read(folder).close()
        store = SqliteStore.open(folder)
        record_small_run(store)
        store.close()


@pytest.mark.parametrize("open_or_read", [SqliteStore.open, SqliteStore.read])
def test_a_newer_file_is_refused_with_both_versions_named(tmp_path: Path, open_or_read: object) -> None:
    SqliteStore.open(tmp_path).close()
    with connect(tmp_path / "run.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(RunFolderError, match=rf"schema version 99.* up to {len(STEPS)}\. Upgrade sharpen"):
        open_or_read(tmp_path)  # type: ignore[operator]


@pytest.mark.parametrize("open_or_read", [SqliteStore.open, SqliteStore.read])
def test_a_database_of_another_program_is_refused_and_untouched(tmp_path: Path, open_or_read: object) -> None:
    with connect(tmp_path / "run.db") as connection:
        connection.execute("CREATE TABLE runners (name)")
    before = (tmp_path / "run.db").read_bytes()
    with pytest.raises(RunFolderError, match="database of another program"):
        open_or_read(tmp_path)  # type: ignore[operator]
    assert (tmp_path / "run.db").read_bytes() == before
