"""The plain functions beside the async ones: run a coroutine to its end, or say why that cannot be here.

The event loop is ours and ends with the call, so connections that actors opened in it are closed before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from sharpen.errors import UsageError

T = TypeVar("T")


def run_blocking(coroutine: Coroutine[Any, Any, T], name: str, *actors: object) -> T:
    """What `name()` does with the coroutine of `a{name}()`, called with these actors."""
    if _in_event_loop():
        coroutine.close()
        raise UsageError(f"{name}() was called inside a running event loop; use `await sharpen.a{name}(...)`")
    return asyncio.run(_closing(coroutine, actors))


async def _closing(coroutine: Coroutine[Any, Any, T], actors: tuple[object, ...]) -> T:
    try:
        return await coroutine
    finally:
        for actor in actors:
            close = getattr(actor, "aclose", None)
            if callable(close):
                await close()


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
