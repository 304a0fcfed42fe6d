"""The time that a call may take, for many calls at once.

All calls of a run may take equally long, so the one that began first runs out first, and one timer watches
them all; `asyncio.timeout`, which this is otherwise like, sets and cancels a timer for each. Knows no calls.
"""

from __future__ import annotations

import asyncio
from types import TracebackType


class Deadlines:
    """`with deadlines.one():` raises TimeoutError if what is inside takes `seconds`; None waits forever."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._running: dict[Deadline, None] = {}  # the first to run out first
        self._timer: asyncio.TimerHandle | None = None

    def one(self) -> Deadline:
        return Deadline(self)

    def add(self, deadline: Deadline) -> None:
        if self.seconds is None:
            return
        loop = asyncio.get_running_loop()
        deadline.when = loop.time() + self.seconds
        self._running[deadline] = None
        if self._timer is None:
            self._timer = loop.call_at(deadline.when, self._expire, loop)

    def remove(self, deadline: Deadline) -> None:
        self._running.pop(deadline, None)

    def _expire(self, loop: asyncio.AbstractEventLoop) -> None:
        """End what has run out of time, and wait for the next; calls that ended in time are not here."""
        self._timer = None
        for deadline in list(self._running):
            if deadline.when > loop.time():
                self._timer = loop.call_at(deadline.when, self._expire, loop)
                break
            self.remove(deadline)
            deadline.expire()


class Deadline:
    """One of them, entered once by the task that it ends."""

    __slots__ = ("_all", "_cancellations", "_expired", "_task", "when")

    def __init__(self, all_of_them: Deadlines) -> None:
        self._all, self._expired = all_of_them, False
        self.when = 0.0

    def __enter__(self) -> Deadline:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._cancellations = task, task.cancelling()
        self._all.add(self)
        return self

    def expire(self) -> None:
        self._expired = True
        self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._all.remove(self)
        # A cancellation that somebody else asked for, too, stays one.
        if self._expired and self._task.uncancel() <= self._cancellations and kind is asyncio.CancelledError:
            raise TimeoutError from error
