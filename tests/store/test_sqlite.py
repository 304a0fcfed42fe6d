"""The run folder: resuming, lost calls, readers beside a writer, folders that move."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sharpen.errors import RunFolderError, StoreError
from sharpen.store import Proposal, SqliteStore, Version
from sharpen.types import Rollout

from .samples import TASK, child, key, question, record_small_run, solved


class Clock:
    """Seconds that pass only when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_open_makes_the_folder_and_its_parents(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path / "a" / "b").close()
    assert (tmp_path / "a" / "b" / "run.db").is_file()


def test_what_was_recorded_is_there_after_reopening(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.finish_attempt(key(), solved())
    record_small_run(store)
    before = (store.attempts(), store.versions(), store.evaluations(), store.events(), store.config())
    store.close()
    store = SqliteStore.open(tmp_path)
    assert store.find_attempt(key(), TASK) == solved()
    assert (store.attempts(), store.versions(), store.evaluations(), store.events(), store.config()) == before
    store.close()


def test_what_is_finished_together_is_there_together(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with closing(SqliteStore.read(tmp_path)) as reader:
        with store.together():
            store.finish_attempt(key(1), solved())
            store.finish_attempt(key(2), solved())
            assert reader.attempts() == []
        assert [attempt.key for attempt in reader.attempts()] == [key(1), key(2)]
    store.close()


def test_of_what_could_not_be_finished_together_nothing_is_there(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.start([key(1)])
    with pytest.raises(KeyError), store.together():
        store.finish_attempt(key(1), solved())
        raise KeyError
    store.close()
    store = SqliteStore.open(tmp_path)
    assert store.find_attempt(key(1), TASK) is None
    assert store.lost() == 1
    store.close()


def test_a_half_made_folder_resumes(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    (tmp_path / "run.lock").touch()
    (tmp_path / "run.holder.json").write_text('{"pid": 1, "ho')
    store = SqliteStore.open(tmp_path)
    assert store.attempts() == []
    store.close()


def test_calls_that_an_earlier_process_left_unfinished_are_lost(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.start([key(1), key(2), key(3), question()])
    store.finish_attempt(key(2), solved())
    store.close()
    store = SqliteStore.open(tmp_path)
    assert store.lost() == 3
    assert [(one.key.trial, one.outcome) for one in store.attempts()] == [(1, None), (2, "solved"), (3, None)]
    assert store.find_attempt(key(1), TASK) is None
    assert store.find_proposal(question()) is None
    store.close()


def test_a_lost_call_made_again_is_a_normal_attempt_and_still_counted_as_lost_once(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.start([key(1), key(2), question()])
    store.close()
    store = SqliteStore.open(tmp_path)
    store.start([key(1), question()])
    store.finish_attempt(key(1), solved())
    store.finish_proposal(question(), Proposal())
    store.finish_attempt(key(2), Rollout.scored(TASK, hard=0))
    assert store.find_attempt(key(1), TASK) == solved()
    assert store.find_proposal(question()) == Proposal()
    store.close()
    store = SqliteStore.open(tmp_path)
    assert store.lost() == 3
    assert [one.outcome for one in store.attempts()] == ["solved", "failed"]
    store.close()


def test_a_call_lost_twice_counts_twice(tmp_path: Path) -> None:
    for _ in range(2):
        store = SqliteStore.open(tmp_path)
        store.start([key()])
        store.close()
    store = SqliteStore.open(tmp_path)
    assert store.lost() == 2
    assert len(store.attempts()) == 1
    store.close()


def test_seconds_add_up_over_processes(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore.open(tmp_path, clock=clock)
    clock.now += 5
    store.close()
    clock.now += 1000
    store = SqliteStore.open(tmp_path, clock=clock)
    clock.now += 2
    assert store.seconds() == pytest.approx(7)
    store.start([])
    clock.now += 100
    reader = SqliteStore.read(tmp_path)
    assert reader.seconds() == pytest.approx(7)
    reader.close()
    store.close()


def test_readers_see_what_a_live_writer_commits(tmp_path: Path) -> None:
    writer = SqliteStore.open(tmp_path)
    readers = [SqliteStore.read(tmp_path) for _ in range(3)]
    for trial in range(1, 50):
        writer.finish_attempt(key(trial), solved())
        for reader in readers:
            assert reader.find_attempt(key(trial), TASK) == solved()
    writer.start([key(99)])
    for reader in readers:
        assert (len(reader.attempts()), reader.lost()) == (49, 0)
        reader.close()
    writer.close()


def test_a_reader_beside_a_writer_in_another_process_sees_only_whole_attempts(tmp_path: Path) -> None:
    writer = child(tmp_path, "write")
    assert writer.stdout is not None and writer.stderr is not None
    for _ in range(3):
        writer.stdout.readline()  # ready, open, the first attempt
    reader = SqliteStore.read(tmp_path)
    seen = [len(reader.attempts()) for _ in range(40)]
    assert seen == sorted(seen) and seen[0] >= 1
    assert {one.outcome for one in reader.attempts()} == {"solved"}
    reader.close()
    writer.kill()
    writer.communicate()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path).close()
    reader = SqliteStore.read(tmp_path)
    with pytest.raises(StoreError, match="cannot be written"):
        reader.finish_attempt(key(), solved())
    reader.close()


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_a_folder_without_a_database_is_not_a_run_folder(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunFolderError, match="is not a run folder"):
        SqliteStore.read(tmp_path / folder)
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_folder_whose_process_died_at_once_holds_no_run_yet(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    with pytest.raises(RunFolderError, match="holds no run yet"):
        SqliteStore.read(tmp_path)


def test_a_copied_and_a_moved_folder_continue(tmp_path: Path) -> None:
    first = tmp_path / "first, with # and ?"
    store = SqliteStore.open(first)
    store.finish_attempt(key(), solved())
    shutil.copytree(first, tmp_path / "copy")  # beside the live writer: the log is copied with the file
    store.close()
    first.rename(tmp_path / "moved")
    for folder in (tmp_path / "copy", tmp_path / "moved"):
        reader = SqliteStore.read(folder)
        assert reader.find_attempt(key(), TASK) == solved()
        reader.close()
        store = SqliteStore.open(folder)
        store.finish_attempt(key(2), solved())
        assert len(store.attempts()) == 2
        store.close()


def test_the_database_is_in_wal_mode_and_closing_folds_the_log_into_it(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.finish_attempt(key(), solved())
    assert (tmp_path / "run.db-wal").stat().st_size > 0
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.db", "run.lock"]
    connection = sqlite3.connect(tmp_path / "run.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_file_that_versions_share_is_kept_once(tmp_path: Path) -> None:
    big = b"x" * 100_000
    with closing(SqliteStore.open(tmp_path)) as store:
        for number in range(20):
            files = {"assets/big.bin": big, "references/a.md": f"{number}\n".encode()}
            store.add_version(Version(f"d{number}", None, "# Skill\n", files=files))
        assert [version.files["assets/big.bin"] for version in store.versions()] == [big] * 20
    assert (tmp_path / "run.db").stat().st_size < 10 * len(big)
