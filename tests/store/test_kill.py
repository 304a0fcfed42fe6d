"""`kill -9` at any moment: what `finish_attempt` returned for is there, and the run goes on."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from sharpen.store import SqliteStore

from .samples import child
from .writer_process import BATCH, TASK

ROUNDS = 40 if os.environ.get("SHARPEN_TEST_FULL") else 6


def write_until_killed(folder: Path, *, after: float, wait_for: str) -> list[int]:
    """The trials whose `finish_attempt` is known to have returned before the kill."""
    process = child(folder, "write")
    assert process.stdout is not None
    while process.stdout.readline().strip() != wait_for:
        assert process.poll() is None, process.communicate()
    time.sleep(after)
    process.kill()
    said, complaint = process.communicate()
    assert not complaint
    return [int(line) for line in said.splitlines() if line.isdigit()]


def test_finished_attempts_survive_a_kill_while_writing(tmp_path: Path) -> None:
    moments, finished, lost = random.Random(7), set[int](), 0
    for _ in range(ROUNDS):
        finished |= set(write_until_killed(tmp_path, after=moments.uniform(0, 0.2), wait_for="open"))
        store = SqliteStore.open(tmp_path)
        records = store.attempts()
        there = {record.key.trial for record in records if record.outcome}
        assert finished <= there
        assert all(store.find_attempt(record.key, TASK) for record in records if record.outcome)
        assert lost <= store.lost() <= lost + BATCH
        finished, lost = there, store.lost()
        store.close()
    assert len(finished) > ROUNDS


def test_a_kill_while_opening_leaves_a_folder_that_opens(tmp_path: Path) -> None:
    moments = random.Random(11)
    for number in range(ROUNDS):
        folder = tmp_path / str(number % 2)  # some kills hit a new folder, some an existing one
        write_until_killed(folder, after=moments.uniform(0, 0.01), wait_for="ready")
        store = SqliteStore.open(folder)
        assert store.lost() <= BATCH * ROUNDS
        store.close()
