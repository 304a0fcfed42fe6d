"""Calls that are kept: an answer is in the log before anybody uses it, and no question is paid for twice.

Credentials are redacted before an answer is stored, and the caller gets the redacted answer, so that a replay
reads what the live run read. Equal questions asked at the same time wait for one answer. Failed calls are
not kept.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import cast

from sharpen.models.completion import Completion
from sharpen.models.messages import Request
from sharpen.models.model import Model
from sharpen.models.remote import RemoteModel
from sharpen.redaction import Redactor
from sharpen.types import CallKey, CallLog, Json, Usage


class Kept:
    """A model whose answers go through a log. It is a model itself, with the same name and fingerprint."""

    def __init__(self, model: Model, log: CallLog) -> None:
        self._model = model
        self._log = log
        self._redactor = model.redactor if isinstance(model, RemoteModel) else Redactor()
        self._asking: dict[CallKey, asyncio.Lock] = {}
        self._waiting: Counter[CallKey] = Counter()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        key = CallKey(self.fingerprint, request.digest, trial)
        lock = self._asking.setdefault(key, asyncio.Lock())
        self._waiting[key] += 1
        try:
            async with lock:
                found = self._log.find_call(key)
                return Completion.from_json(found) if found is not None else await self._ask(key, request)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key], self._asking[key]

    def worst_case(self, request: Request) -> Usage:
        return self._model.worst_case(request)

    async def aclose(self) -> None:
        await self._model.aclose()

    async def _ask(self, key: CallKey, request: Request) -> Completion:
        answer = await self._model.complete(request, trial=key.trial)
        kept = cast(Json, self._redactor.redact_json(answer.to_json()))
        self._log.finish_call(key, kept, answer.usage)
        return Completion.from_json(kept)
