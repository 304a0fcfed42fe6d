"""The record as people read it: what recurred, what counts as the same, and what is told beside it."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpen.hook import journal
from sharpen.hook.event import Event
from sharpen.install.firings import Filter, read_firings, summary

RULE: dict[str, object] = {"id": "s/boom", "skill": "s", "say": "x"}
EVENT = Event("codex", {"session_id": "1", "cwd": "/w/project", "tool_name": "Bash"})


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHARPEN_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "hooks"


def record(*rows: tuple[int, str, str, bool]) -> None:
    for at, what, session, same in rows:
        event = Event("codex", {"session_id": session, "cwd": "/w/project", "tool_name": "Bash"})
        journal.firing(what, RULE, event, at, same=same)


def test_what_came_back_is_counted_with_the_firing_before_it():
    record(
        (1, "fired", "1", False), (2, "again", "1", True), (3, "fired", "2", False), (4, "again", "1", False)
    )
    record((5, "fired", "1", True), (6, "again", "1", False))
    firings, complaints = read_firings()
    assert [(one.at, one.session, one.recurred, one.same_command) for one in firings] == [
        (1, "1", 3, 2), (3, "2", 0, 0), (5, "1", 1, 0),
    ]  # fmt: skip
    assert complaints == []
    (row,) = summary(firings)
    assert (row.fired, row.sessions, row.recurred, row.same_command) == (3, 2, 4, 2)


def test_a_filter_does_not_change_what_recurred():
    record((1, "fired", "1", False), (100, "fired", "1", False), (101, "again", "1", False))
    late, _ = read_firings(Filter(since=datetime.fromtimestamp(50, UTC)))
    assert [(one.at, one.recurred) for one in late] == [(100, 1)]
    assert not read_firings(Filter(project=Path("/elsewhere")))[0]
    for name, found in (("s/boom", 2), ("boom", 2), ("s", 2), ("oom", 0)):
        assert len(read_firings(Filter(rule=name))[0]) == found


def test_errors_are_told_with_the_rules_they_are_about():
    journal.failure("codex", "s/boom", ValueError(), 1)
    journal.failure("codex", "", OSError(28, "No space left"), 1)
    for name, told in ((None, 2), ("s", 1), ("boom", 1), ("s/boom", 1), ("nope", 0)):
        assert len(read_firings(Filter(rule=name))[1]) == told


def test_lines_that_are_no_rows_are_counted(state):
    record((1, "fired", "1", False))
    with (state / journal.FIRINGS).open("ab") as stream:
        stream.write(
            b'{"at": 1, "what": "fi\n[]\n{"at": "x", "what": "fired"}\n\xff\n' + b"[" * 100_000 + b"\n\n"
        )
    firings, complaints = read_firings()
    assert len(firings) == 1
    assert complaints == ["5 lines of the record could not be read"]


def test_errors_are_told_with_their_count():
    for _ in range(3):
        journal.failure("codex", "s/boom", PermissionError(13, "Permission denied", "/secret"), 5)
    assert read_firings()[1] == [
        "the rule s/boom failed and stayed silent, 3 times: PermissionError: Permission denied"
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(state):
    state.parent.mkdir()
    state.parent.chmod(0o500)
    assert "cannot be written" in read_firings()[1][0]


def test_the_record_stays_within_bounds_and_whole_under_many_writers(state):
    record((1, "fired", "1", False))
    path = state / journal.FIRINGS
    row = path.read_bytes()
    path.write_bytes(row * (journal.LONGEST_FILE // len(row) - 200))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: journal.firing("fired", RULE, EVENT, at, same=False), range(2_000)))
    files = [path, state / f"{journal.FIRINGS}.1"]
    assert all(0 < path.stat().st_size < journal.LONGEST_FILE + 10_000 for path in files)
    rows = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    firings, complaints = read_firings()
    assert len(firings) == len(rows) > 2_000
    assert complaints == []


def test_a_row_has_an_end(state):
    long = Event("codex", {"session_id": "x" * 100_000, "cwd": "/" + "y" * 100_000})
    journal.firing("fired", {"id": "z" * 100_000, "skill": "s"}, long, 1, same=False)
    assert (state / journal.FIRINGS).stat().st_size < 4_000


def test_only_its_owner_reads_the_record(state):
    record((1, "fired", "1", False))
    assert (state / journal.FIRINGS).stat().st_mode & 0o077 == 0
