"""Calls on their way: workers share them, and each answer can be awaited by itself.

A worker calls in the next one before it makes its first call; that one begins when this one has to wait. So
an actor that answers at once costs two workers, not as many as may be in flight. The first failure stops the
others and is raised to whoever waits. Knows nothing of students, budgets or stores.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Flight(Generic[T]):
    """Makes the calls numbered `which`; `places` bounds how many run at once in all flights that share it."""

    def __init__(
        self, make: Callable[[int], Awaitable[T]], which: Iterable[int], places: asyncio.Semaphore
    ) -> None:
        loop = asyncio.get_running_loop()
        self._make, self._places = make, places
        self._landed: dict[int, asyncio.Future[T]] = {i: loop.create_future() for i in which}
        self._waiting = deque(self._landed)
        self._workers: list[asyncio.Task[None]] = []
        self._call_in()

    def __contains__(self, number: int) -> bool:
        return number in self._landed

    async def answer(self, number: int) -> T:
        return await self._landed[number]

    async def close(self) -> None:
        """Nobody waits any more: calls still on their way are cancelled, and gone when this returns."""
        self._waiting.clear()
        for worker in self._workers:
            worker.cancel()
        for future in self._landed.values():
            if not future.cancel() and not future.cancelled():
                future.exception()  # looked at, so that nobody is told it never was
        await asyncio.gather(*self._workers, return_exceptions=True)

    def _call_in(self) -> None:
        if self._waiting:
            self._workers.append(asyncio.ensure_future(self._work()))

    async def _work(self) -> None:
        async with self._places:
            try:
                first = True
                while self._waiting:
                    number = self._waiting.popleft()
                    if first:
                        self._call_in()
                        first = False
                    self._landed[number].set_result(await self._make(number))
            except BaseException as failure:  # noqa: BLE001 - raised to whoever waits for an answer
                self._fail(failure)

    def _fail(self, failure: BaseException) -> None:
        self._waiting.clear()
        for worker in self._workers:
            if worker is not asyncio.current_task():
                worker.cancel()
        for future in self._landed.values():
            if not future.done():
                if isinstance(failure, asyncio.CancelledError):
                    future.cancel()
                else:
                    future.set_exception(failure)
