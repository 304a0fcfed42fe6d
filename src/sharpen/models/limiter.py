"""How many requests may be under way at once, per endpoint.

Starts at what is permitted. A 429 halves the limit, once for all requests that were under way together, and
holds new ones back as long as the server asked; every round of successes gives one place back. Waiting is
first come, first served. It never blocks the event loop, and knows neither requests nor answers.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Limiter:
    """Places for requests. A limiter may serve one event loop after another, not two at once."""

    def __init__(self, permitted: int) -> None:
        self.permitted = permitted
        self._limit = float(permitted)
        self._generation = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._paused_until = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def limit(self) -> int:
        """Requests allowed at once right now."""
        return int(self._limit)

    def permit(self, at_most: int) -> None:
        """Never more than this many at once, whatever was permitted before."""
        self.permitted = min(self.permitted, at_most)
        self._limit = min(self._limit, float(self.permitted))

    async def take(self) -> int:
        """Wait for a place. The number returned goes back in `slow_down`, so that one storm halves once."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # what waited in an earlier loop died with it
            self._loop = loop
            self._reset()
        if self._waiting or self._active >= self.limit or self._paused_until > loop.time():
            await self._wait(loop)
        else:
            self._active += 1
        return self._generation

    def give_back(self) -> None:
        """The request is over, however it went."""
        self._active -= 1
        self._admit()

    def speed_up(self) -> None:
        """A request succeeded: a full round of these raises the limit by one."""
        if self._limit < self.permitted:
            self._limit = min(self.permitted, self._limit + 1 / self._limit)

    def slow_down(self, taken: int, *, pause: float = 0.0) -> None:
        """The server said too many: halve, unless a request of the same round has done so already."""
        if taken == self._generation:
            self._generation += 1
            self._limit = max(1.0, self._limit / 2)
        if self._loop is not None:
            self._paused_until = max(self._paused_until, self._loop.time() + pause)

    def _reset(self) -> None:
        self._active = 0
        self._waiting = deque()
        self._paused_until = 0.0
        self._alarm = None

    async def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        place = loop.create_future()
        self._waiting.append(place)
        self._admit()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # admitted and cancelled in the same turn of the loop
                self.give_back()
            raise

    def _admit(self) -> None:
        """Let waiting requests in, in order, as far as there are places and no pause is on."""
        if not self._waiting or self._loop is None:
            return
        remaining = self._paused_until - self._loop.time()
        if remaining > 0:
            if self._alarm is None:
                self._alarm = self._loop.call_later(remaining, self._ring)
            return
        while self._waiting and self._active < self.limit:
            place = self._waiting.popleft()
            if not place.done():
                self._active += 1
                place.set_result(None)

    def _ring(self) -> None:
        self._alarm = None
        self._admit()


class Limiters:
    """One limiter per endpoint, for models that should share them: hand the same object to `open_model`."""

    def __init__(self) -> None:
        self._by_endpoint: dict[str, Limiter] = {}

    def of(self, endpoint: str, permitted: int) -> Limiter:
        """The endpoint's limiter; of several numbers permitted, the smallest counts."""
        limiter = self._by_endpoint.setdefault(endpoint, Limiter(permitted))
        limiter.permit(permitted)
        return limiter
