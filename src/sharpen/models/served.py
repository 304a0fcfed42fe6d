"""Models on this machine: a llama.cpp server of our own on loopback, started at the first question.

Its prompt cache is off and every request has a seed, so the same question gets the same answer from whichever
replica is free. How servers start and where model files come from is in `local/`; here they are only asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sharpen.errors import SettingsError
from sharpen.models.completion import Completion
from sharpen.models.endpoint import Endpoint
from sharpen.models.limiter import Limiters
from sharpen.models.local import CATALOGUE, DEFAULT, LocalServer, server_for
from sharpen.models.messages import Request
from sharpen.models.opening import fingerprint_for, open_remote
from sharpen.models.prices import FREE
from sharpen.models.remote import RemoteModel
from sharpen.models.settings import ModelSettings
from sharpen.types import Usage

_REPRODUCIBLE: Mapping[str, object] = {"cache_prompt": False}
_NOWHERE = "http://127.0.0.1/v1"


class ServedModel:
    """One model, one server of as many replicas as it likes; each replica is asked one thing at a time."""

    def __init__(self, server: LocalServer, content: str, settings: ModelSettings) -> None:
        self._server = server
        self.name = f"local:{server.name}"
        self._settings = replace(
            settings, price=settings.price or FREE, extra_body={**_REPRODUCIBLE, **settings.extra_body}
        )
        endpoint = Endpoint("local", server.name, _NOWHERE, server.api_key)
        self.fingerprint = fingerprint_for(endpoint, self._settings, place=content)
        self._unplaced = self._at(_NOWHERE)
        self._replicas: dict[str, RemoteModel] = {}
        self._busy: dict[str, int] = {}

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        """The answer of the replica with the least to do."""
        self._unplaced.refuse_images(request)
        if not self._server.is_running:
            await self._server.start()
        self._match(self._server.base_urls)
        place = min(self._busy, key=self._busy.__getitem__)
        self._busy[place] += 1
        try:
            return await self._replicas[place].complete(request, trial=trial)
        finally:
            self._busy[place] -= 1

    def worst_case(self, request: Request) -> Usage:
        return self._unplaced.worst_case(request)

    async def aclose(self) -> None:
        """Ends the server; the next question starts it again."""
        for replica in self._replicas.values():
            await replica.aclose()
        await self._server.aclose()

    def _match(self, places: tuple[str, ...]) -> None:
        """One client per replica; a server that was started again has new addresses."""
        if set(places) != set(self._replicas):
            self._replicas = {place: self._at(place) for place in places}
            self._busy = dict.fromkeys(places, 0)

    def _at(self, place: str) -> RemoteModel:
        endpoint = Endpoint("local", self._server.name, place, self._server.api_key)
        model = open_remote(endpoint, replace(self._settings, concurrency=1), limiters=Limiters(), environ={})
        return replace(model, fingerprint=self.fingerprint, seeded=True, text_only=True)


def open_local(name: str, settings: ModelSettings) -> ServedModel:
    """A model of the catalogue by name, or any GGUF file by path."""
    if settings.base_url is not None or settings.key_variable is not None:
        raise SettingsError(
            "local: starts a server of its own and takes no base_url or key;"
            " for a server that runs already use compatible:MODEL"
        )
    name = name or DEFAULT
    server = server_for(name)
    content = CATALOGUE[name].sha256 if name in CATALOGUE else _content_of(Path(name))
    return ServedModel(server, content[:16], settings)


def _content_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
