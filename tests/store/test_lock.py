"""One writer per folder: a live holder is named and refused, a dead one does not block."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

from sharpen.errors import RunLockedError
from sharpen.store import SqliteStore
from sharpen.store.lock import HOLDER_NAME, FolderLock

from .samples import child


def holding_process(folder: Path) -> subprocess.Popen[str]:
    process = child(folder, "hold")
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "open\n"]
    return process


def test_a_live_holder_in_another_process_is_named(tmp_path: Path) -> None:
    holder = holding_process(tmp_path)
    with pytest.raises(RunLockedError) as refused:
        SqliteStore.open(tmp_path)
    holder.kill()
    holder.communicate()
    message = str(refused.value)
    assert message.startswith(f"run folder {tmp_path} is in use by process {holder.pid} (writer_process.py)")
    assert f"on host {socket.gethostname()} since 2" in message
    assert message.endswith("; wait for it or choose another folder")


def test_this_process_is_named_to_another(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    refused = child(tmp_path, "hold")
    said, complaint = refused.communicate(timeout=60)
    store.close()
    assert (refused.returncode, complaint) == (2, "")
    assert f"RunLockedError: run folder {tmp_path} is in use by process {os.getpid()} " in said


def test_a_second_store_in_the_same_process_is_refused_and_the_first_works_on(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    for _ in range(2):
        with pytest.raises(RunLockedError, match=f"process {os.getpid()} "):
            SqliteStore.open(tmp_path)
    store.set_config({"still": "working"})
    store.close()
    SqliteStore.open(tmp_path).close()


def test_readers_are_let_in_while_the_folder_is_held(tmp_path: Path) -> None:
    holder = holding_process(tmp_path)
    SqliteStore.read(tmp_path).close()
    holder.kill()
    holder.communicate()


def test_a_killed_holder_does_not_block(tmp_path: Path) -> None:
    holder = holding_process(tmp_path)
    holder.kill()
    holder.communicate()
    assert json.loads((tmp_path / HOLDER_NAME).read_text())["pid"] == holder.pid
    store = SqliteStore.open(tmp_path)
    assert json.loads((tmp_path / HOLDER_NAME).read_text())["pid"] == os.getpid()
    store.close()


def test_a_holder_that_left_no_record_is_refused_without_a_name(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    (tmp_path / HOLDER_NAME).write_text("{")
    with pytest.raises(RunLockedError, match="in use by another process; wait"):
        FolderLock(tmp_path)
    lock.release()


def test_released_locks_leave_no_holder_and_may_be_released_again(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    assert lock.held
    lock.release()
    lock.release()
    assert not lock.held
    assert not (tmp_path / HOLDER_NAME).exists()
