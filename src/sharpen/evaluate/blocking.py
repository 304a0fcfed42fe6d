"""The plain functions beside the async ones: run a coroutine to its end, or say why that cannot be here."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from sharpen.errors import UsageError

T = TypeVar("T")


def run_blocking(coroutine: Coroutine[Any, Any, T], name: str) -> T:
    """What `name()` does with the coroutine of `a{name}()`."""
    if _in_event_loop():
        coroutine.close()
        raise UsageError(f"{name}() was called inside a running event loop; use `await sharpen.a{name}(...)`")
    return asyncio.run(coroutine)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
