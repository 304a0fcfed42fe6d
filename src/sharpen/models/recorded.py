"""A stored run's answers, played again: the same requests get the same answers, and nothing is paid.

A request that was not asked in that run is an error that names it; nothing is ever sent. Where the answers
are kept is the log's business: anything with `find_call` will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sharpen.models.completion import Completion
from sharpen.models.errors import ModelError
from sharpen.models.messages import Request
from sharpen.models.model import upper_bound
from sharpen.models.prices import FREE
from sharpen.store import SqliteStore
from sharpen.types import CallKey, CallLog, Usage


@dataclass(frozen=True)
class Recorded:
    """`played` is the fingerprint of the model whose answers these are, and is the fingerprint here too."""

    place: str
    log: CallLog
    played: str
    opened: SqliteStore | None = None  # a run folder that is this model's to close

    @property
    def name(self) -> str:
        return f"recorded:{self.place}"

    @property
    def fingerprint(self) -> str:
        return self.played

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        found = self.log.find_call(CallKey(self.played, request.digest, trial))
        if found is None:
            asked = request.messages[-1].text
            raise ModelError(
                f"{self.name} holds no answer of {self.played} to request {request.digest[:12]},"
                f" trial {trial} ({asked[:60]!r}…); a recorded model answers only what was asked then"
            )
        return Completion.from_json(found)

    def worst_case(self, request: Request) -> Usage:
        return upper_bound(
            request, request.to_json(), max_tokens=request.max_tokens, price=FREE, model=self.name
        )

    async def aclose(self) -> None:
        """A log that was handed in belongs to whoever opened it."""
        if self.opened is not None:
            self.opened.close()


def open_recorded(place: str, log: CallLog | None) -> Recorded:
    """The answers in the run folder at PATH, or in a given log; `PATH#FINGERPRINT` says whose."""
    path, _, played = place.partition("#")
    if not path:
        raise ModelError("write recorded:RUN, for example recorded:runs/first")
    if log is not None and played:
        return Recorded(path, log, played)
    store = SqliteStore.read(Path(path))
    try:
        return Recorded(path, store, _whose(store, path, played), store)
    except ModelError:
        store.close()
        raise


def _whose(store: SqliteStore, path: str, played: str) -> str:
    called = store.models_called()
    if not called:
        raise ModelError(f"the run in {path} holds no answers of a model")
    if played in called or (not played and len(called) == 1):
        return played or called[0]
    which = f"none of {played!r}" if played else "several"
    raise ModelError(
        f"{path} holds answers of {which}; write " + " or ".join(f"recorded:{path}#{one}" for one in called)
    )
