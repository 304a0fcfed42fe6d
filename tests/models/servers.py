"""Models of every protocol on a fault server, and running a coroutine to its end with the model closed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from faults import FaultServer
from sharpen.models import Model, ModelSettings, Request, open_model

T = TypeVar("T")

CANARY = "sk-canary-Zq81LmXw0PfYt6Rb"
QUICK = ModelSettings(first_wait=0.001, timeout=10)
ENVIRON: Mapping[str, str] = {
    "OPENAI_API_KEY": CANARY,
    "ANTHROPIC_API_KEY": CANARY,
    "GEMINI_API_KEY": CANARY,
    "AZURE_OPENAI_API_KEY": CANARY,
}


class Opener(Protocol):
    def __call__(self, server: FaultServer, **changes: Any) -> Model: ...


def opener(name: str, *, v1: bool = True, **always: Any) -> Opener:
    """Opens a model on a server; `changes` are settings of the single case."""

    def opened(server: FaultServer, **changes: Any) -> Model:
        base = replace(QUICK, base_url=server.v1 if v1 else server.url)
        return open_model(name, replace(base, **{**always, **changes}), environ=ENVIRON)

    return opened


PROTOCOLS: Mapping[str, Opener] = {
    "chat": opener("openai:gpt-5-mini"),
    "responses": opener("openai:gpt-5-mini", api="responses"),
    "messages": opener("anthropic:claude-haiku-4-5", v1=False),
    "gemini": opener("gemini:gemini-2.5-flash", v1=False),
}


def ask(model: Model, *requests: Request | str, trial: int = 1) -> list[Any]:
    """Answers in order; a failed call gives its exception instead."""

    async def all_of_them() -> list[Any]:
        asked = [Request.of(request) if isinstance(request, str) else request for request in requests]
        try:
            return await asyncio.gather(
                *(model.complete(request, trial=trial) for request in asked), return_exceptions=True
            )
        finally:
            await model.aclose()

    return run(all_of_them())


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)
