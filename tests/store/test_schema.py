"""Databases of other versions and of other programs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sharpen.errors import RunFolderError
from sharpen.store import MemoryStore, SqliteStore, Version, rebuild
from sharpen.store.schema import APPLICATION_ID, STEPS, migrate, schema_version

from .samples import finish_small_run, question, record_small_run

VERSION_2 = Path(__file__).with_name("data") / "version_2.sql"
"""What sharpen of schema version 2 wrote for the small run: a dump of its `run.db`."""

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


@pytest.fixture
def version_2(tmp_path: Path) -> Path:
    """A run folder as the program before this schema left it."""
    with connect(tmp_path / "run.db") as connection:
        connection.executescript(VERSION_2.read_text(encoding="utf-8"))
        connection.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 2;")
    return tmp_path


def test_a_run_of_version_2_reads_as_it_was_written(version_2: Path) -> None:
    today = MemoryStore()
    record_small_run(today)
    finish_small_run(today)
    before = (version_2 / "run.db").read_bytes()
    with closing(SqliteStore.read(version_2)) as store:
        assert store.versions() == today.versions()
        assert store.events() == today.events()
        assert store.evaluations() == today.evaluations()
        assert store.attempts() == today.attempts()
        assert store.result() == today.result()
        assert store.find_proposal(question()) is not None
    assert (version_2 / "run.db").read_bytes() == before
    rebuild(version_2)
    assert (version_2 / "best_skill.md").read_bytes() == b"# Skill\n- rule d1\n"
    assert not (version_2 / "best_skill").exists()


def test_a_run_of_version_2_goes_on_with_files(version_2: Path) -> None:
    added = Version("d9", "d1", "# Skill\n", files={"references/a.md": b"a\n"})
    with closing(SqliteStore.open(version_2)) as store:
        old = store.versions()
        store.add_version(added)
    with closing(SqliteStore.read(version_2)) as store:
        assert store.versions() == [*old, added]
    with connect(version_2 / "run.db") as connection:
        assert schema_version(connection, version_2 / "run.db") == len(STEPS)
