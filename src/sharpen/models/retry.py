"""The one retry policy: which failures are tried again, how often, and how long apart.

Pauses grow exponentially and are jittered from a stream keyed by the request, so a run is as reproducible as
its servers; a server's own wish for a pause comes first. Attempts and total waiting are bounded. SDK retries
are off, so the number of requests a failing call makes is the number of attempts here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from sharpen.models.faults import TransportError
from sharpen.models.messages import Request
from sharpen.types import digest_of

T = TypeVar("T")

_LONGEST = 30.0  # seconds; the most one pause grows to by itself


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of one call; the names are those of `ModelSettings`."""

    max_attempts: int = 4
    max_wait: float = 120.0
    first_wait: float = 0.5

    def pause(self, fault: TransportError, *, attempt: int, waited: float, jitter: float) -> float | None:
        """Seconds until the next attempt, or None when there is to be none."""
        if not fault.passing or attempt >= self.max_attempts:
            return None
        grown = min(_LONGEST, self.first_wait * 2 ** (attempt - 1))
        pause = grown * (0.5 + jitter / 2)
        if fault.retry_after is not None:
            pause = fault.retry_after + 0.25 * self.first_wait * jitter
        return pause if waited + pause <= self.max_wait else None


@dataclass(frozen=True)
class GivenUp:
    """A call that failed for good: the last fault, and what was spent on it."""

    fault: TransportError
    requests: int
    waited: float


async def persist(
    send: Callable[[], Awaitable[T]], policy: RetryPolicy, *, key: tuple[Request, int]
) -> T | GivenUp:
    """Send until it succeeds or the policy says stop. `key` is the request and the trial."""
    waited = 0.0
    attempt = 0
    while True:
        attempt += 1
        try:
            return await send()
        except TransportError as caught:
            fault = caught
        pause = policy.pause(fault, attempt=attempt, waited=waited, jitter=_jitter(key, attempt))
        if pause is None:
            return GivenUp(fault, attempt, waited)
        await asyncio.sleep(pause)
        waited += pause


def _jitter(key: tuple[Request, int], attempt: int) -> float:
    """A number in 0..1 that belongs to this attempt of this call."""
    request, trial = key
    return int(digest_of("retry", request.digest, trial, attempt)[:12], 16) / 16**12
