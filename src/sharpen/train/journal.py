"""The run's diary: every decision as one event, to the store, to the caller, and into the result's history.

History records hold no clock value, so a resumed run tells the same story as one never interrupted.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from sharpen.evaluate import Ledger
from sharpen.store import Event, Store
from sharpen.train.settings import OnEvent
from sharpen.types import Estimate


class Journal:
    """Numbers events from 1 and writes each to the store before anyone sees it."""

    def __init__(self, store: Store, ledger: Ledger, *, on_event: OnEvent | None = None) -> None:
        self.store, self._ledger, self._on_event = store, ledger, on_event
        self.history: list[dict[str, Any]] = []

    def count(self, kind: str) -> int:
        return sum(entry["kind"] == kind for entry in self.history)

    def record(self, kind: str, **data: Any) -> None:
        number = len(self.history) + 1
        entry = {"number": number, "kind": kind, **data, "rollouts": self._ledger.rollouts}
        entry["calls"] = self._ledger.calls
        self.history.append(entry)
        self.store.add_event(Event(number, kind, entry, at=time.time()))
        if self._on_event is not None:
            self._on_event(kind, entry)


def estimate_json(estimate: Estimate | None) -> dict[str, Any] | None:
    return asdict(estimate) if estimate is not None else None
