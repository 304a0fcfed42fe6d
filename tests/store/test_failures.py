"""A disk that refuses: full, read-only, damaged, or not what it should be."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sharpen.errors import RunFolderError, StoreError, UsageError
from sharpen.store import SqliteStore
from sharpen.types import Rollout

from .samples import TASK, child, key, record_small_run, solved


def can_mount() -> bool:
    """Whether this machine lets us mount a small disk in a private namespace."""
    if sys.platform != "linux":
        return False
    try:
        tried = subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        )
    except OSError:
        return False
    return tried.returncode == 0


needs_mount = pytest.mark.skipif(not can_mount(), reason="needs Linux and permission to mount a tmpfs")


def inside_mount(mount: str, *, afterwards: str = "true") -> tuple[str, ...]:
    """The start of a command that runs with a mount of its own, which vanishes with it."""
    return ("unshare", "-rm", "sh", "-c", f'{mount} && "$@"; code=$?; {afterwards}; exit $code', "sh")


def read_only(folder: Path) -> str:
    return f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}"


def test_a_full_database_says_so_keeps_what_it_has_and_goes_on_once_there_is_room(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.finish_attempt(key(1), solved())
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    big = Rollout.scored(TASK, hard=1, trajectory={"text": "x" * 50_000})
    with pytest.raises(StoreError, match=r"run\.db: the disk is full; free some space .* is kept") as full:
        store.finish_attempt(key(2), big)
    assert not isinstance(full.value, UsageError)
    with pytest.raises(StoreError, match="the disk is full"):
        store.start([key(trial) for trial in range(3, 2000)])
    assert store.find_attempt(key(1), TASK) == solved()
    assert store.find_attempt(key(2), TASK) is None
    store._connection.execute("PRAGMA max_page_count = 100000")
    store.finish_attempt(key(2), big)
    store.close()
    store = SqliteStore.open(tmp_path)
    assert (len(store.attempts()), store.lost()) == (2, 0)
    store.close()


@needs_mount
def test_a_full_disk_ends_the_process_with_a_message_and_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    mount = f"mount -t tmpfs -o size=1m none {tmp_path}/disk"
    save = f"cp -r {tmp_path}/disk/run {tmp_path}/kept"
    process = child(tmp_path / "disk" / "run", "write", before=inside_mount(mount, afterwards=save))
    said, complaint = process.communicate(timeout=120)
    *lines, message = said.splitlines()
    assert process.returncode == 1, complaint
    assert message.startswith("StoreError: ") and "the disk is full" in message
    finished = {int(line) for line in lines if line.isdigit()}
    store = SqliteStore.open(tmp_path / "kept")
    assert finished and finished <= {one.key.trial for one in store.attempts() if one.outcome}
    store.close()


@needs_mount
@pytest.mark.parametrize("task", ["hold", "read"])
def test_a_read_only_folder_can_be_read_but_not_written(tmp_path: Path, task: str) -> None:
    store = SqliteStore.open(tmp_path)
    record_small_run(store)
    store.close()
    process = child(tmp_path, task, before=inside_mount(read_only(tmp_path)))
    said, _ = process.communicate(timeout=60)
    if task == "read":
        assert (process.returncode, said) == (0, "ready\n12\n")
    else:
        assert process.returncode == 1
        assert f"StoreError: {tmp_path}" in said and "cannot be written; make it writable" in said


@needs_mount
def test_in_a_read_only_folder_the_log_of_a_killed_writer_is_never_left_out(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "run")
    record_small_run(store)
    shutil.copytree(tmp_path / "run", tmp_path / "killed")  # as a kill leaves it: all in the log
    store.close()
    (tmp_path / "killed" / "run.db-shm").unlink()
    process = child(tmp_path / "killed", "read", before=inside_mount(read_only(tmp_path)))
    said, _ = process.communicate(timeout=60)
    assert said == "ready\n12\n" or "StoreError" in said


@pytest.mark.parametrize("open_or_read", [SqliteStore.open, SqliteStore.read])
def test_a_file_that_is_no_database_is_named(tmp_path: Path, open_or_read: object) -> None:
    (tmp_path / "run.db").write_text("this is a letter to my mother, " * 100)
    with pytest.raises(RunFolderError, match=r"run\.db: it is not a database written by sharpen"):
        open_or_read(tmp_path)  # type: ignore[operator]
    (tmp_path / "run.db").unlink()
    SqliteStore.open(tmp_path).close()  # the refusal did not leave the folder locked


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    for trial in range(300):
        store.finish_attempt(key(trial), solved())
    store.close()
    content = bytearray((tmp_path / "run.db").read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    (tmp_path / "run.db").write_bytes(content)
    with pytest.raises(StoreError, match=r"run\.db: the database is damaged; restore"):
        SqliteStore.open(tmp_path)


def test_a_database_that_is_a_folder_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "run.db").mkdir()
    with pytest.raises(StoreError, match=r"run\.db: it cannot be opened"):
        SqliteStore.open(tmp_path)


@pytest.mark.parametrize("run_dir", ["letter.txt", "letter.txt/run"])
def test_a_file_in_place_of_the_folder_is_the_users_mistake(tmp_path: Path, run_dir: str) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(RunFolderError, match="a file stands where a folder is needed"):
        SqliteStore.open(tmp_path / run_dir)


def test_values_that_are_not_json_are_refused_by_name(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with pytest.raises(UsageError, match=r"the trajectory of task 't1' cannot be stored: .*Path"):
        store.finish_attempt(key(), Rollout.scored(TASK, hard=1, trajectory={"at": tmp_path}))
    assert store.find_attempt(key(), TASK) is None
    store.close()


def test_a_bug_is_not_wrapped(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.close()
    with pytest.raises(Exception, match="closed database") as raised:
        store.events()
    assert type(raised.value).__module__ == "sqlite3"
