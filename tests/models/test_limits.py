"""The limiter and the retry policy, by what a server sees of them."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from faults import Fault, FaultServer, Seen, always, ok, rate_limited
from models.servers import PROTOCOLS, QUICK, ask, run
from sharpen.models import Completion, Limiters, open_model
from sharpen.models.faults import TransportError, retry_after
from sharpen.models.limiter import Limiter
from sharpen.models.retry import RetryPolicy


def test_no_more_requests_at_once_than_permitted() -> None:
    with FaultServer(always(ok(latency=0.02))) as server:
        answers = ask(PROTOCOLS["chat"](server, concurrency=5), *(f"q{n}" for n in range(40)))
        assert all(isinstance(answer, Completion) for answer in answers)
        assert server.most_at_once == 5


def test_models_that_share_limiters_share_the_limit_of_an_endpoint() -> None:
    with FaultServer(always(ok(latency=0.02))) as server:
        limiters = Limiters()
        teacher, student = (
            open_model(f"vllm:{name}", _at(server, permitted), limiters=limiters, environ={})
            for name, permitted in (("teacher", 8), ("student", 3))
        )

        async def both() -> None:
            from sharpen.models import Request

            calls = [m.complete(Request.of(f"q{n}")) for n in range(15) for m in (teacher, student)]
            await asyncio.gather(*calls)
            await asyncio.gather(teacher.aclose(), student.aclose())

        run(both())
        assert server.most_at_once == 3


def _at(server: FaultServer, permitted: int):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(QUICK, base_url=server.v1, concurrency=permitted)


def test_a_busy_server_is_asked_by_fewer_and_all_calls_succeed() -> None:
    """The server refuses each question's first request; the limiter halves once for the whole storm."""

    def plan(seen: Seen) -> Fault:
        return rate_limited(0.05) if seen.repeats == 0 else ok(latency=0.02)

    with FaultServer(plan) as server:
        model = PROTOCOLS["chat"](server, concurrency=16)
        answers = ask(model, *(f"q{n}" for n in range(16)))
        assert all(isinstance(answer, Completion) for answer in answers)
        assert server.posts == 32
        assert 8 <= model.limiter.limit < 16  # type: ignore[attr-defined]


def test_one_storm_halves_once_and_success_grows_back_slowly() -> None:
    async def story() -> list[int]:
        limiter = Limiter(16)
        taken = [await limiter.take() for _ in range(16)]
        for place in taken:
            limiter.slow_down(place)
            limiter.give_back()
        seen = [limiter.limit]
        limiter.slow_down(await limiter.take())
        limiter.give_back()
        seen.append(limiter.limit)
        for _ in range(10):
            limiter.speed_up()
        seen.append(limiter.limit)
        for _ in range(1000):
            limiter.speed_up()
        return [*seen, limiter.limit]

    halved, quartered, growing, grown = run(story())
    assert (halved, quartered, grown) == (8, 4, 16)
    assert 4 < growing < 8


def test_waiting_is_first_come_first_served_and_cancelling_loses_no_place() -> None:
    async def story() -> list[int]:
        limiter, order = Limiter(1), []

        async def visit(number: int) -> None:
            await limiter.take()
            order.append(number)
            await asyncio.sleep(0)
            limiter.give_back()

        tasks = [asyncio.create_task(visit(number)) for number in range(8)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return order

    assert run(story()) == [0, 1, 2, 4, 5, 6, 7]


@given(
    st.integers(1, 6), st.floats(0, 50), st.floats(0.001, 5), st.floats(0, 1), st.none() | st.floats(0, 200)
)
def test_attempts_and_waiting_are_bounded(
    attempts: int, max_wait: float, first: float, jitter: float, wish: float | None
) -> None:
    policy = RetryPolicy(attempts, max_wait, first)
    fault = TransportError("status", "", status=429, retry_after=wish)
    waited, attempt = 0.0, 1
    while (pause := policy.pause(fault, attempt=attempt, waited=waited, jitter=jitter)) is not None:
        assert wish is None or pause >= wish
        waited += pause
        attempt += 1
    assert attempt <= attempts
    assert waited <= max_wait


def test_retry_after_in_all_its_spellings() -> None:
    assert retry_after({"retry-after-ms": "1500"}, 0) == 1.5
    assert retry_after({"retry-after": "2"}, 0) == 2
    assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40) == 60
    assert retry_after({"retry-after": "soon"}, 0) is None
    assert retry_after({}, 0) is None
