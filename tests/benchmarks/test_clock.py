"""The virtual clock: sleeping is free, order and length of sleeps are kept."""

from __future__ import annotations

import asyncio
import time

import pytest

import clock
from clock import run_virtual


def test_a_long_sleep_takes_virtual_time_only() -> None:
    began = time.perf_counter()
    result, seconds = run_virtual(asyncio.sleep(86_400, result="done"))
    assert result == "done"
    assert seconds == pytest.approx(86_400)
    assert time.perf_counter() - began < 5


def test_sleepers_wake_in_order_of_their_time() -> None:
    woken: list[float] = []

    async def sleeper(seconds: float) -> None:
        await asyncio.sleep(seconds)
        woken.append(seconds)

    async def main() -> None:
        await asyncio.gather(*(sleeper(s) for s in (3.0, 1.0, 2.0, 0.5)))

    _, seconds = run_virtual(main())
    assert woken == [0.5, 1.0, 2.0, 3.0]
    assert seconds == pytest.approx(3.0)


def test_a_timeout_fires_at_its_time_and_not_before() -> None:
    async def main() -> tuple[str, float]:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(10):
            await asyncio.sleep(9)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.sleep(60)
        return "late", loop.time()

    (result, at), seconds = run_virtual(main())
    assert result == "late"
    assert at == pytest.approx(14)
    assert seconds == pytest.approx(14)


def test_sixteen_sleeps_at_once_take_as_long_as_the_longest() -> None:
    async def main() -> list[int]:
        async def worker(k: int) -> int:
            await asyncio.sleep(0.5 + k / 16)
            return k

        return list(await asyncio.gather(*map(worker, range(16))))

    result, seconds = run_virtual(main())
    assert result == list(range(16))
    assert seconds == pytest.approx(0.5 + 15 / 16)


def test_sixteen_workers_share_forty_calls() -> None:
    async def main() -> None:
        free = asyncio.Semaphore(16)

        async def call() -> None:
            async with free:
                await asyncio.sleep(1)

        await asyncio.gather(*(call() for _ in range(40)))

    _, seconds = run_virtual(main())
    assert seconds == pytest.approx(3)


def test_real_work_does_not_move_the_clock() -> None:
    async def main() -> int:
        return sum(range(100_000))

    _, seconds = run_virtual(main())
    assert seconds == 0


def test_threads_are_waited_for() -> None:
    result, seconds = run_virtual(asyncio.to_thread(time.sleep, 0.05))
    assert result is None
    assert seconds == 0


def test_a_deadlock_is_an_error_not_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "GRACE", 0.01)

    async def main() -> None:
        waiting = asyncio.Event()
        waiter = asyncio.create_task(waiting.wait())
        with pytest.raises(asyncio.CancelledError):
            await waiter

    with pytest.raises(RuntimeError, match="deadlock"):
        run_virtual(main())
