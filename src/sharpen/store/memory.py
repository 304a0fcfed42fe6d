"""A store in dictionaries: for runs without a folder, and for tests.

It answers exactly as the SQLite store does, order of lists included, but forgets when the process ends.
So no call can be lost by an earlier process, and `close` has nothing to do.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

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


class MemoryStore:
    """Everything a run records, kept for as long as the process lives."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._opened = clock()
        self._attempts: dict[AttemptKey, tuple[Rollout, str]] = {}
        self._proposals: dict[ProposalKey, tuple[Proposal, str]] = {}
        self._calls: dict[CallKey, str] = {}  # JSON, as this and the two below would be kept on disk
        self._versions: dict[str, Version] = {}
        self._evaluations: dict[tuple[str, str, str], Evaluation] = {}
        self._events: dict[int, Event] = {}
        self._config = "{}"
        self._result = "null"

    def find_attempt(self, key: AttemptKey, task: Task) -> Rollout | None:
        found = self._attempts.get(key)
        return None if found is None else replace(found[0], task=task)

    def find_proposal(self, key: ProposalKey) -> Proposal | None:
        found = self._proposals.get(key)
        return None if found is None else found[0]

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def start(self, keys: Sequence[AttemptKey | ProposalKey]) -> None:
        """Nothing outlives the process, so there is nobody to tell what was lost."""

    def finish_attempt(self, key: AttemptKey, rollout: Rollout, *, stage: str = "") -> None:
        self._attempts.setdefault(key, (rollout, stage))

    def finish_proposal(self, key: ProposalKey, proposal: Proposal, *, stage: str = "") -> None:
        self._proposals.setdefault(key, (proposal, stage))

    def find_call(self, key: CallKey) -> Json | None:
        found = self._calls.get(key)
        return None if found is None else json.loads(found)

    def finish_call(self, key: CallKey, answer: Json, usage: Usage) -> None:
        self._calls.setdefault(key, json.dumps(answer))

    def forget(self, keys: Sequence[AttemptKey | ProposalKey]) -> None:
        for key in keys:
            if isinstance(key, AttemptKey):
                self._attempts.pop(key, None)
            else:
                self._proposals.pop(key, None)

    def lost(self) -> int:
        return 0

    def add_version(self, version: Version) -> None:
        known = self._versions.get(version.digest, version)
        settled = known.status in ("start", "accepted")
        self._versions[version.digest] = known if settled else replace(known, status=version.status)

    def add_evaluation(self, evaluation: Evaluation) -> None:
        self._evaluations[evaluation.skill, evaluation.split, evaluation.purpose] = evaluation

    def drop_events(self, *, after: int) -> None:
        self._events = {number: event for number, event in self._events.items() if number <= after}

    def add_event(self, event: Event) -> None:
        first = self._events.get(event.number, event)
        self._events[event.number] = replace(event, at=first.at)

    def versions(self) -> list[Version]:
        return list(self._versions.values())

    def evaluations(self) -> list[Evaluation]:
        return list(self._evaluations.values())

    def events(self) -> list[Event]:
        return [self._events[number] for number in sorted(self._events)]

    def attempts(self) -> list[AttemptRecord]:
        return [AttemptRecord.of(key, *self._attempts[key]) for key in sorted(self._attempts)]

    def proposals(self) -> list[ProposalRecord]:
        return [
            ProposalRecord(key, len(proposal.edits), proposal.error, proposal.usage, stage)
            for key, (proposal, stage) in sorted(self._proposals.items(), key=lambda item: item[0])
        ]

    def trajectory(self, key: AttemptKey) -> Json | None:
        found = self._attempts.get(key)
        if found is None or found[0].trajectory is None:
            return None
        copied: dict[str, Any] = json.loads(json.dumps(found[0].trajectory))
        return copied

    def config(self) -> dict[str, Any]:
        return dict(json.loads(self._config))

    def set_config(self, config: Json) -> None:
        self._config = json.dumps(config)

    def result(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = json.loads(self._result)
        return found

    def set_result(self, result: Json) -> None:
        self._result = json.dumps(result)

    def seconds(self) -> float:
        return self._clock() - self._opened

    def close(self) -> None:
        """Part of the interface; a store in memory holds nothing that needs closing."""
