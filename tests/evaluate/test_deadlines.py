"""Deadlines: each call has its own time, whoever else shares the timer."""

from __future__ import annotations

import asyncio

import pytest

from sharpen.evaluate.deadlines import Deadlines

SHORT = 0.01


async def hangs(deadlines: Deadlines) -> None:
    with deadlines.one():
        await asyncio.Event().wait()


def test_what_hangs_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(hangs(Deadlines(SHORT)))


def test_without_a_limit_nothing_is_given_up() -> None:
    async def waits() -> None:
        with deadlines.one():
            await asyncio.sleep(3 * SHORT)

    deadlines = Deadlines(None)
    asyncio.run(waits())


def test_one_that_ends_in_time_leaves_the_others_their_own() -> None:
    """The timer was set for the first; the later ones run out one after the other."""
    ended = []

    async def named(name: int) -> None:
        try:
            await hangs(deadlines)
        except TimeoutError:
            ended.append(name)

    async def run() -> None:
        with deadlines.one():
            pass
        calls = []
        for name in range(3):
            calls.append(asyncio.create_task(named(name)))
            await asyncio.sleep(SHORT / 4)
        await asyncio.gather(*calls)
        with pytest.raises(TimeoutError):  # and so does one that begins when all are gone
            await hangs(deadlines)

    deadlines = Deadlines(SHORT)
    asyncio.run(run())
    assert ended == [0, 1, 2]


def test_a_task_goes_on_after_its_call_was_given_up() -> None:
    async def run() -> None:
        with pytest.raises(TimeoutError):
            await hangs(deadlines)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await asyncio.sleep(0)

    deadlines = Deadlines(SHORT)
    asyncio.run(run())


def test_a_cancellation_from_outside_stays_one() -> None:
    async def run() -> None:
        call = asyncio.create_task(hangs(Deadlines(3600)))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(run())


def test_a_cancellation_that_comes_with_the_timeout_stays_one() -> None:
    async def both() -> None:
        task = asyncio.current_task()
        assert task is not None
        with Deadlines(3600).one() as deadline:
            deadline.expire()
            task.cancel()
            await asyncio.sleep(0)

    async def run() -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(both())

    asyncio.run(run())


def test_another_error_inside_is_not_taken_for_a_timeout() -> None:
    async def run() -> None:
        with Deadlines(3600).one() as deadline:
            deadline.expire()
            raise KeyError("something else")

    with pytest.raises(KeyError, match="something else"):
        asyncio.run(run())
