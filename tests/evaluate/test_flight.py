"""Flights: an answer is kept before anybody gets it, together with those that come almost with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from sharpen.evaluate.flight import TOGETHER, Flight


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock moves only when told to."""

    now = 0.0

    def time(self) -> float:
        return self.now


class Log:
    """What was kept, batch by batch; `refuses` is a number that cannot be."""

    def __init__(self, *, refuses: int | None = None) -> None:
        self.batches: list[list[int]] = []
        self._refuses = refuses

    def keep(self, arrived: Sequence[tuple[int, str]]) -> None:
        numbers = [number for number, _ in arrived]
        if self._refuses in numbers:
            raise OSError("the disk is full")
        assert [answer for _, answer in arrived] == [f"answer {number}" for number in numbers]
        self.batches.append(numbers)

    @property
    def kept(self) -> list[int]:
        return [number for batch in self.batches for number in batch]


async def at_once(number: int) -> str:
    return f"answer {number}"


def flown(
    make: Callable[[int], Awaitable[str]], count: int, log: Log, *, places: int = 16
) -> list[tuple[str, list[int]]]:
    """Each answer, with what had been kept when it was handed out."""

    async def fly() -> list[tuple[str, list[int]]]:
        flight = Flight(make, range(count), asyncio.Semaphore(places), log.keep)
        try:
            return [(await flight.answer(number), log.kept) for number in range(count)]
        finally:
            await flight.close()

    with asyncio.Runner(loop_factory=StillLoop) as runner:
        return runner.run(fly())


def test_answers_that_come_in_the_same_moment_are_kept_together() -> None:
    log = Log()
    assert [answer for answer, _ in flown(at_once, 5, log)] == [f"answer {number}" for number in range(5)]
    assert log.batches == [[0, 1, 2, 3, 4]]


def test_an_answer_that_took_its_time_is_kept_at_once() -> None:
    """Also where the actor never lets the event loop turn: what was paid for must not wait for the next."""
    log, seen = Log(), []

    async def blocking(number: int) -> str:
        seen.append(log.kept)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, StillLoop)
        loop.now += TOGETHER
        return f"answer {number}"

    flown(blocking, 3, log)
    assert seen == [[], [0], [0, 1]]


@pytest.mark.parametrize("places", [1, 2, 16])
def test_nothing_is_handed_out_before_it_is_kept(places: int) -> None:
    async def in_reverse(number: int) -> str:
        for _ in range(9 - number):
            await asyncio.sleep(0)
        return f"answer {number}"

    log = Log()
    for number, (_, kept) in enumerate(flown(in_reverse, 9, log, places=places)):
        assert number in kept
    assert sorted(log.kept) == list(range(9))


def test_what_cannot_be_kept_is_raised_to_whoever_waits() -> None:
    with pytest.raises(OSError, match="the disk is full"):
        flown(at_once, 5, Log(refuses=3))


def test_a_failure_keeps_what_was_answered_before_it() -> None:
    async def failing(number: int) -> str:
        if number == 2:
            raise KeyError("no such student")
        return f"answer {number}"

    log = Log()
    with pytest.raises(KeyError, match="no such student"):
        flown(failing, 5, log)
    assert log.kept == [0, 1]


def test_a_flight_that_is_closed_keeps_what_was_answered_meanwhile() -> None:
    async def unstoppable(number: int) -> str:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return f"answer {number}"
        return ""

    async def closed() -> None:
        flight = Flight(unstoppable, range(2), asyncio.Semaphore(2), log.keep)
        for _ in range(5):
            await asyncio.sleep(0)
        await flight.close()

    log = Log()
    asyncio.run(closed())
    assert sorted(log.kept) == [0, 1]
