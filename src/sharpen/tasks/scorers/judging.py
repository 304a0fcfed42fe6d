"""Asking a model for a verdict: constrained by a schema, read strictly, with one turn to mend what was not.

Scorers are called from threads; a judge's calls run on one event loop in a thread of its own, so that its
connections live as long as the judge. What the calls cost is added up in `spent`. A verdict that stays
unreadable is an error of the attempt, never a score.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sharpen.models import AnswerError, Message, Model, Request
from sharpen.types import Json, Usage

Verdict = TypeVar("Verdict")
Result = TypeVar("Result")


class Bench:
    """An event loop in a thread, started when first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[object, object, Result]) -> Result:
        """Does the work there and waits for it here."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="judge")
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


@dataclass
class Spent:
    """What a judge's calls cost so far; dollars are unknown as soon as one call's are."""

    usage: Usage = field(default_factory=lambda: Usage(calls=0, usd=0.0))

    def add(self, more: Usage) -> None:
        had = self.usage
        usd = None if had.usd is None or more.usd is None else had.usd + more.usd
        self.usage = Usage(
            had.input_tokens + more.input_tokens,
            had.output_tokens + more.output_tokens,
            had.calls + more.calls,
            usd,
            more.model or had.model,
        )


@dataclass(frozen=True)
class Judge:
    """A model of its own: not shared with a student, whose event loop is another."""

    model: Model
    max_tokens: int = 2048
    spent: Spent = field(default_factory=Spent, compare=False)
    bench: Bench = field(default_factory=Bench, compare=False, repr=False)

    def ask(self, prompt: str, schema: Json, read: Callable[[object], Verdict], *, trial: int = 1) -> Verdict:
        """What `read` makes of the answer; `read` raises ValueError on one it cannot use."""
        request = Request((Message("user", prompt),), schema=schema, max_tokens=self.max_tokens)
        return self.bench.run(self._ask(request, schema, read, trial))

    def close(self) -> None:
        self.bench.run(self.model.aclose())
        self.bench.close()

    async def _ask(
        self, request: Request, schema: Json, read: Callable[[object], Verdict], trial: int
    ) -> Verdict:
        for mending in (True, False):
            completion = await self.model.complete(request, trial=trial)
            self.spent.add(completion.usage)
            try:
                return read(completion.json(schema))
            except (AnswerError, ValueError, KeyError, TypeError) as error:
                if not mending:
                    raise AnswerError(
                        f"the judge {self.model.name} gave no readable verdict: {error}"
                    ) from None
                turn = Message(
                    "user", f"That cannot be read: {error}. Answer again with the JSON object alone."
                )
                request = replace(request, messages=(*request.messages, completion.message, turn))
        raise AssertionError("unreachable")


def as_judge(model: Model | Judge) -> Judge:
    return model if isinstance(model, Judge) else Judge(model)
