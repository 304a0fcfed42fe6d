"""The store in a run folder: one SQLite file, `run.db`, in WAL mode.

Every `finish_*` and `add_*` is one transaction, committed before it returns, unless several are `together`. A
killed process loses only the calls in flight, and the next one counts them as lost. Knows tables and
transactions. How records become rows is in `rows.py`, what the tables are in `schema.py`, who may write in
`lock.py`.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sharpen.errors import RunFolderError
from sharpen.store import rows
from sharpen.store.connection import connect_reader, connect_writer
from sharpen.store.failures import DiskErrors
from sharpen.store.lock import FolderLock
from sharpen.store.records import (
    AttemptKey,
    AttemptRecord,
    Evaluation,
    Event,
    Proposal,
    ProposalKey,
    ProposalRecord,
    Version,
)
from sharpen.types import CallKey, Json, Rollout, Task, Usage

DB_NAME = "run.db"
Clock = Callable[[], float]
Record = TypeVar("Record")

FIND_ATTEMPT = f"""SELECT {rows.ATTEMPT_COLUMNS} FROM attempts
    WHERE skill = ? AND task = ? AND student = ? AND trial = ? AND outcome IN ('solved', 'failed', 'error')"""
FIND_PROPOSAL = f"""SELECT {rows.PROPOSAL_COLUMNS} FROM proposals
    WHERE teacher = ? AND question = ? AND trial = ? AND outcome IN ('answered', 'error')"""
FINISHED_KEYS = """SELECT skill, task, student, trial FROM attempts
    WHERE outcome IN ('solved', 'failed', 'error')"""
FIND_TRAJECTORY = """SELECT trajectory FROM attempts
    WHERE skill = ? AND task = ? AND student = ? AND trial = ?
    AND trajectory IS NOT NULL AND outcome IN ('solved', 'failed', 'error')"""
FORGET_ATTEMPT = """UPDATE attempts SET outcome = 'lost'
    WHERE skill = ? AND task = ? AND student = ? AND trial = ?"""
FORGET_PROPOSAL = "UPDATE proposals SET outcome = 'lost' WHERE teacher = ? AND question = ? AND trial = ?"
LOSE_ATTEMPTS = "UPDATE attempts SET outcome = 'lost' WHERE outcome IS NULL"
LOSE_PROPOSALS = "UPDATE proposals SET outcome = 'lost' WHERE outcome IS NULL"
LOST_ATTEMPT = """INSERT INTO attempts (skill, task, student, trial, outcome) VALUES (?, ?, ?, ?, 'lost')
    ON CONFLICT DO NOTHING"""
LOST_PROPOSAL = """INSERT INTO proposals (teacher, question, trial, outcome) VALUES (?, ?, ?, 'lost')
    ON CONFLICT DO NOTHING"""
# The first answer to a question stays: finishing twice changes nothing.
FINISH_ATTEMPT = f"""INSERT INTO attempts (skill, task, student, trial, {rows.ATTEMPT_COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET ({rows.ATTEMPT_COLUMNS}) = (excluded.outcome, excluded.task_id, excluded.hard,
        excluded.soft, excluded.feedback, excluded.error, excluded.usage, excluded.stage, excluded.trajectory)
    WHERE outcome IS NULL OR outcome = 'lost'"""
FINISH_PROPOSAL = f"""INSERT INTO proposals (teacher, question, trial, {rows.PROPOSAL_COLUMNS})
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET ({rows.PROPOSAL_COLUMNS}) =
        (excluded.outcome, excluded.edits, excluded.usage, excluded.error, excluded.stage)
    WHERE outcome IS NULL OR outcome = 'lost'"""
FIND_CALL = "SELECT answer FROM calls WHERE model = ? AND request = ? AND trial = ?"
FINISH_CALL = """INSERT INTO calls (model, request, trial, answer, usage) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
ADD_CONTENT = "INSERT INTO files (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
FIND_CONTENT = "SELECT content FROM files WHERE digest = ?"
ADD_VERSION = f"""INSERT INTO versions ({rows.VERSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET status = excluded.status
    WHERE versions.status NOT IN ('start', 'accepted')"""
ADD_EVALUATION = f"""INSERT INTO evaluations ({rows.EVALUATION_COLUMNS}) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (skill, split, purpose)
    DO UPDATE SET estimate = excluded.estimate, counted = excluded.counted"""
# A replayed event keeps the time at which it first happened.
ADD_EVENT = f"""INSERT INTO events ({rows.EVENT_COLUMNS}) VALUES (?, ?, ?, ?)
    ON CONFLICT (number) DO UPDATE SET kind = excluded.kind, data = excluded.data"""
ANNOUNCE = "INSERT OR REPLACE INTO facts (name, value) VALUES ('in flight', ?), ('seconds', ?)"
SET_FACT = "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)"


class SqliteStore:
    """A run folder, opened by `open` for its one writer or by `read` for any number of readers."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, lock: FolderLock | None, clock: Clock
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._disk = DiskErrors(path)
        self._clock = clock
        self._opened = clock()
        self._earlier_seconds = 0.0
        self._finished: set[AttemptKey] | None = None  # the writer's; a reader's would go stale
        self._in_flight: dict[AttemptKey | ProposalKey, None] = {}

    @classmethod
    def open(cls, run_dir: Path, *, clock: Clock = time.monotonic) -> SqliteStore:
        """The folder's writer; the folder is made if missing, a second writer is refused."""
        path = run_dir / DB_NAME
        with DiskErrors(run_dir):
            run_dir.mkdir(parents=True, exist_ok=True)
            lock = FolderLock(run_dir)
        with ExitStack() as undo, DiskErrors(path):
            undo.callback(lock.release)
            connection = connect_writer(path)
            undo.callback(connection.close)
            store = cls(connection, path, lock, clock)
            store._take_over()
            undo.pop_all()
        return store

    @classmethod
    def read(cls, run_dir: Path) -> SqliteStore:
        """A reader: takes no lock, sees what is committed, and cannot write."""
        path = run_dir / DB_NAME
        if not path.is_file():
            raise RunFolderError(f"{run_dir} is not a run folder: it holds no {DB_NAME}")
        with DiskErrors(path):
            return cls(connect_reader(path), path, None, time.monotonic)

    def find_attempt(self, key: AttemptKey, task: Task) -> Rollout | None:
        if self._finished is not None and key not in self._finished:
            return None
        with self._disk:
            row = self._connection.execute(FIND_ATTEMPT, key).fetchone()
        return None if row is None else rows.read_rollout(row, task)

    def find_proposal(self, key: ProposalKey) -> Proposal | None:
        with self._disk:
            row = self._connection.execute(FIND_PROPOSAL, key).fetchone()
        return None if row is None else rows.read_proposal(row)

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for everything inside."""
        with self._disk:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def start(self, keys: Sequence[AttemptKey | ProposalKey]) -> None:
        self._in_flight.update(dict.fromkeys(keys))
        in_flight = rows.write_json(list(self._in_flight), "the calls in flight")
        with self._disk:
            self._connection.execute(ANNOUNCE, (in_flight, str(self.seconds())))

    def finish_attempt(self, key: AttemptKey, rollout: Rollout, *, stage: str = "") -> None:
        with self._disk:
            self._connection.execute(FINISH_ATTEMPT, key + rows.write_attempt(rollout, stage))
        self._in_flight.pop(key, None)
        if self._finished is not None:
            self._finished.add(key)

    def finish_proposal(self, key: ProposalKey, proposal: Proposal, *, stage: str = "") -> None:
        with self._disk:
            self._connection.execute(FINISH_PROPOSAL, key + rows.write_proposal(proposal, stage))
        self._in_flight.pop(key, None)

    def find_call(self, key: CallKey) -> Json | None:
        with self._disk:
            row = self._connection.execute(FIND_CALL, key).fetchone()
        return None if row is None else json.loads(row[0])

    def finish_call(self, key: CallKey, answer: Json, usage: Usage) -> None:
        with self._disk:
            cells = (rows.write_json(answer, "a model's answer"), rows.write_usage(usage))
            self._connection.execute(FINISH_CALL, key + cells)

    def models_called(self) -> list[str]:
        """The fingerprints of the models whose answers are kept."""
        return self._list(lambda row: str(row[0]), "SELECT DISTINCT model FROM calls ORDER BY model")

    def forget(self, keys: Sequence[AttemptKey | ProposalKey]) -> None:
        attempts, proposals = _by_kind(keys)
        with self.together():
            self._connection.executemany(FORGET_ATTEMPT, attempts)
            self._connection.executemany(FORGET_PROPOSAL, proposals)
            self._set_fact("lost", self.lost() + len(keys))
        if self._finished is not None:
            self._finished.difference_update(attempts)

    def lost(self) -> int:
        return int(self._fact("lost", 0))

    def add_version(self, version: Version) -> None:
        row = rows.write_version(version)
        contents = [(rows.content_digest(content), content) for content in version.files.values()]
        with self.together():
            self._connection.executemany(ADD_CONTENT, contents)
            self._connection.execute(ADD_VERSION, row)

    def add_evaluation(self, evaluation: Evaluation) -> None:
        with self._disk:
            self._connection.execute(ADD_EVALUATION, rows.write_evaluation(evaluation))

    def drop_events(self, *, after: int) -> None:
        with self._disk:
            self._connection.execute("DELETE FROM events WHERE number > ?", (after,))

    def add_event(self, event: Event) -> None:
        with self._disk:
            self._connection.execute(ADD_EVENT, rows.write_event(event))

    def versions(self) -> list[Version]:
        query = f"SELECT {rows.VERSION_COLUMNS} FROM versions ORDER BY number"
        return self._list(lambda row: rows.read_version(row, self._content), query)

    def evaluations(self) -> list[Evaluation]:
        query = f"SELECT {rows.EVALUATION_COLUMNS} FROM evaluations ORDER BY number"
        return self._list(rows.read_evaluation, query)

    def events(self) -> list[Event]:
        return self._list(rows.read_event, f"SELECT {rows.EVENT_COLUMNS} FROM events ORDER BY number")

    def attempts(self) -> list[AttemptRecord]:
        query = f"""SELECT skill, task, student, trial, {rows.RECORD_COLUMNS}, trajectory IS NOT NULL
            FROM attempts WHERE outcome IS NOT NULL ORDER BY skill, task, student, trial"""
        return self._list(rows.read_attempt_record, query)

    def proposals(self) -> list[ProposalRecord]:
        query = f"""SELECT teacher, question, trial, {rows.PROPOSAL_COLUMNS} FROM proposals
            WHERE outcome IN ('answered', 'error') ORDER BY teacher, question, trial"""
        return self._list(rows.read_proposal_record, query)

    def trajectory(self, key: AttemptKey) -> Json | None:
        with self._disk:
            row = self._connection.execute(FIND_TRAJECTORY, key).fetchone()
        return None if row is None else json.loads(row[0])

    def config(self) -> dict[str, Any]:
        return dict(self._fact("config", {}))

    def set_config(self, config: Json) -> None:
        with self._disk:
            self._set_fact("config", config)

    def result(self) -> dict[str, Any] | None:
        found = self._fact("result", None)
        return None if found is None else dict(found)

    def set_result(self, result: Json) -> None:
        with self._disk:
            self._set_fact("result", result)

    def seconds(self) -> float:
        """For a reader: as of the last batch of calls."""
        if self._lock is None:
            return float(self._fact("seconds", 0.0))
        return self._earlier_seconds + self._clock() - self._opened

    def close(self) -> None:
        """Note the time spent, fold the log into the file, let the next writer in. Twice is harmless."""
        with self._disk:
            try:
                if self._lock and self._lock.held:
                    self._set_fact("seconds", self.seconds())
            finally:
                self._connection.close()
                if self._lock:
                    self._lock.release()

    def _take_over(self) -> None:
        """Learn what earlier processes left: time spent, finished keys, and calls they started and lost."""
        self._earlier_seconds = float(self._fact("seconds", 0.0))
        finished = self._finished = rows.intern_keys(self._connection.execute(FINISHED_KEYS))
        unfinished = self._unfinished(finished)
        with self.together():
            fresh = sum(self._connection.execute(mark).rowcount for mark in (LOSE_ATTEMPTS, LOSE_PROPOSALS))
            attempts, proposals = _by_kind(unfinished)
            self._connection.executemany(LOST_ATTEMPT, attempts)
            self._connection.executemany(LOST_PROPOSAL, proposals)
            self._set_fact("in flight", [])
            if fresh or unfinished:
                self._set_fact("lost", self.lost() + fresh + len(unfinished))

    def _unfinished(self, finished: set[AttemptKey]) -> list[AttemptKey | ProposalKey]:
        """What the last process had announced when it ended, without what it still finished."""
        announced = [_key(parts) for parts in self._fact("in flight", [])]
        return [
            key
            for key in announced
            if (key not in finished if isinstance(key, AttemptKey) else self.find_proposal(key) is None)
        ]

    def _content(self, digest: str) -> bytes:
        row = self._connection.execute(FIND_CONTENT, (digest,)).fetchone()
        return bytes(row[0])

    def _list(self, read: Callable[[rows.Row], Record], query: str) -> list[Record]:
        with self._disk:
            return [read(row) for row in self._connection.execute(query)]

    def _fact(self, name: str, default: object) -> Any:
        with self._disk:
            row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def _set_fact(self, name: str, value: object) -> None:
        self._connection.execute(SET_FACT, (name, rows.write_json(value, f"the {name}")))


def _key(parts: Sequence[Any]) -> AttemptKey | ProposalKey:
    """A key as JSON spells it: a proposal's has one part less."""
    return AttemptKey(*parts) if len(parts) == len(AttemptKey._fields) else ProposalKey(*parts)


def _by_kind(keys: Sequence[AttemptKey | ProposalKey]) -> tuple[list[AttemptKey], list[ProposalKey]]:
    attempts = [key for key in keys if isinstance(key, AttemptKey)]
    return attempts, [key for key in keys if isinstance(key, ProposalKey)]
