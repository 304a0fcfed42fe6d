"""Starting, killing and reading after `child_run.py`: what the tests with real processes share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sharpen.errors import RunFolderError
from sharpen.store import ProposalKey, SqliteStore

from .child_run import SCENARIOS

CHILD = Path(__file__).with_name("child_run.py")


class Key(NamedTuple):
    """A call: an attempt (skill, task) or a proposal (question, "-")."""

    kind: str
    asked: str
    task: str
    trial: int


class Session(NamedTuple):
    """What one process noted: the calls it began, and those it was about to return."""

    began: list[Key]
    ended: list[Key]


class Run:
    """One run folder of a scenario, and the processes that work on it one after the other."""

    def __init__(self, scenario: str, place: Path) -> None:
        self.scenario, self.folder, self.log = scenario, place / "run", place / "calls.log"
        self._read = 0
        self._known: set[Key] = set()

    def start(self, *, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*before, sys.executable, str(CHILD), self.scenario, str(self.folder), str(self.log)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    @contextmanager
    def working(self, *, calls: int) -> Iterator[subprocess.Popen[str]]:
        """A process that has begun that many calls; ended in any case."""
        process = self.start()
        try:
            while not self.log.exists() or self.log.read_text().count("begin") < calls:
                assert process.poll() is None, process.communicate()
                time.sleep(0.002)
            yield process
        finally:
            process.kill()
            process.communicate()

    def finish(self) -> dict[str, Any]:
        """Let a process run to its end; its result."""
        said, complaint = self.start().communicate(timeout=300)
        assert not complaint, complaint
        result: dict[str, Any] = json.loads(said.splitlines()[-1])
        return result

    def kill_at(self, moment: float) -> dict[str, Any] | None:
        """Kill a process so many seconds after it is ready for the folder; its result if it was quicker."""
        process = self.start()
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
        time.sleep(moment)
        process.kill()
        said, complaint = process.communicate()
        assert not complaint, complaint
        lines = [line for line in said.splitlines() if line.endswith("}")]
        return json.loads(lines[-1]) if lines else None

    def session(self) -> Session:
        """What was noted since the last time this was asked."""
        noted = self.log.read_text() if self.log.exists() else ""
        fresh, self._read = noted[self._read :], len(noted)
        began: list[Key] = []
        ended: list[Key] = []
        for line in fresh.splitlines():
            what, kind, asked, task, trial = line.split(" ")
            (began if what == "begin" else ended).append(Key(kind, asked, task, int(trial)))
        self._known.update(began)
        return Session(began, ended)

    def stored(self) -> set[Key]:
        """The calls whose answers are in the store."""
        try:
            store = SqliteStore.read(self.folder)
        except RunFolderError:  # killed before there was anything to read
            return set()
        teacher = store.config().get("teacher", "")
        with closing(store):
            found = {
                Key("attempt", record.key.skill, record.task_id, record.key.trial)
                for record in store.attempts()
                if record.outcome is not None
            }
            for key in self._known:
                if key.kind == "proposal" and store.find_proposal(ProposalKey(teacher, key.asked, key.trial)):
                    found.add(key)
        return found


def uninterrupted(scenario: str) -> dict[str, Any]:
    """What the scenario comes to when nobody interrupts it, kept in memory."""
    result: dict[str, Any] = json.loads(json.dumps(SCENARIOS[scenario].train(None).as_json()))
    return result
