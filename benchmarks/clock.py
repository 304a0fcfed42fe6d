"""An event loop on a virtual clock: sleeping costs nothing, and the time that would have passed is known.

For measuring how well a loop uses its workers when students and teachers only sleep. Real work still takes
real time but does not move the clock. With nothing ready and nothing scheduled a plain loop would wait for
ever; here that is an error, after a moment's grace for threads.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
GRACE = 5.0  # real seconds for a thread to report back


class VirtualSelector(selectors.DefaultSelector):
    """Instead of waiting for the timeout, moves the clock by it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(GRACE if timeout is None else 0)
        if ready:
            return ready
        if timeout is None:
            raise RuntimeError("everything waits and nothing is scheduled: a deadlock on the virtual clock")
        self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A selector event loop whose `time()` starts at 0 and only moves when everybody sleeps."""

    def __init__(self) -> None:
        self._virtual = VirtualSelector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def run_virtual(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """The coroutine's result, and the virtual seconds it took."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(main)
        return result, runner.get_loop().time()
