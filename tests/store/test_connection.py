"""Opening a database of an older version, for writing and for reading."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from sharpen.store import SqliteStore, Version
from sharpen.store.connection import connect_reader, connect_writer
from sharpen.store.schema import STEPS

NEXT = (*STEPS, "ALTER TABLE versions ADD COLUMN note TEXT NOT NULL DEFAULT 'none';")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that is one version behind NEXT."""
    store = SqliteStore.open(tmp_path)
    store.add_version(Version("d0", None, "# Skill\n", (), "start"))
    store.close()
    return tmp_path / "run.db"


def test_a_writer_brings_an_older_file_up_to_date_and_keeps_its_data(path: Path) -> None:
    with closing(connect_writer(path, steps=NEXT)) as writer:
        assert writer.execute("SELECT digest, note FROM versions").fetchall() == [("d0", "none")]
        assert writer.execute("PRAGMA user_version").fetchone() == (len(NEXT),)


def test_a_reader_sees_an_older_file_as_a_current_one_and_leaves_it_as_it_is(path: Path) -> None:
    before = path.read_bytes()
    with closing(connect_reader(path, steps=NEXT)) as reader:
        assert reader.execute("SELECT digest, note FROM versions").fetchall() == [("d0", "none")]
        with pytest.raises(Exception, match="readonly"):
            reader.execute("DELETE FROM versions")
    assert path.read_bytes() == before
    SqliteStore.read(path.parent).close()
