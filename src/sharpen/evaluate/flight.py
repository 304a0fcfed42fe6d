"""Calls on their way: workers share them, and each answer can be awaited by itself.

A worker calls in the next one before it makes its first call; that one begins when this one has to wait. So
an actor that answers at once costs two workers, not as many as may be in flight. An answer is kept before
anybody gets it; those that come at almost the same time are kept together. The first failure stops the others
and is raised to whoever waits. Knows nothing of students, budgets or stores.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

TOGETHER = 0.01
"""Seconds after a landing in which answers may wait for others; one that comes later lands at once."""


class Flight(Generic[T]):
    """Makes the calls numbered `which`; `places` bounds how many run at once in all flights that share it."""

    def __init__(
        self,
        make: Callable[[int], Awaitable[T]],
        which: Iterable[int],
        places: asyncio.Semaphore,
        keep: Callable[[Sequence[tuple[int, T]]], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._make, self._places, self._keep = make, places, keep
        self._landed: dict[int, asyncio.Future[T]] = {i: self._loop.create_future() for i in which}
        self._waiting = deque(self._landed)
        self._workers: list[asyncio.Task[None]] = []
        self._arrived: list[tuple[int, T]] = []  # answered and not yet kept
        self._last = self._loop.time()  # when the latest of them landed
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
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._land()
        for future in self._landed.values():
            if not future.cancel() and not future.cancelled():
                future.exception()  # looked at, so that nobody is told it never was

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
                    self._arrive(number, await self._make(number))
            except BaseException as failure:  # noqa: BLE001 - raised to whoever waits for an answer
                self._land()
                self._fail(failure)

    def _arrive(self, number: int, answer: T) -> None:
        self._arrived.append((number, answer))
        if self._loop.time() - self._last >= TOGETHER:
            self._land()
        elif len(self._arrived) == 1:
            self._loop.call_soon(self._land)

    def _land(self) -> None:
        """Keep what has arrived, then hand it out."""
        arrived, self._arrived = self._arrived, []
        if not arrived:
            return
        self._last = self._loop.time()
        try:
            self._keep(arrived)
        except BaseException as failure:  # noqa: BLE001 - as above
            self._fail(failure)
            return
        for number, answer in arrived:
            if not self._landed[number].done():  # else it was too late
                self._landed[number].set_result(answer)

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
