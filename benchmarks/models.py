"""What our stack adds to a model call: calls per second against the bare SDK, and many calls with latency.

    python benchmarks/models.py [--calls N] [--rounds N]

Both figures come from one run against a loopback server in a process of its own. With no latency the bare
SDK and ours take turns, and the ratio of their medians counts (at least 0.8). With 0.5 s of latency and 64
calls at once, 640 calls have an ideal of 5 s (at most 1.15 times that). Ends with status 1 when a figure
is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

from openai import AsyncOpenAI

from sharpen.models import ModelSettings, Request, open_model

AT_ONCE = 64
LATENCY = 0.5
LATE_CALLS = 640
LEAST_RATIO = 0.8
MOST_OVER_IDEAL = 1.15

ANSWER = json.dumps(
    {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "bench",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "fine"}}
        ],
        "usage": {"prompt_tokens": 30, "completion_tokens": 1, "total_tokens": 31},
    }
).encode()
RESPONSE = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(ANSWER) + ANSWER
)

Call = Callable[[int], Awaitable[object]]


class Answering(asyncio.Protocol):
    """As little HTTP as a client needs; `latency` seconds from a request to its answer."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        if len(rest) < length:
            return
        self._received = rest[length:]
        asyncio.get_running_loop().call_later(self._latency, self._answer)

    def _answer(self) -> None:
        if isinstance(self._transport, asyncio.WriteTransport) and not self._transport.is_closing():
            self._transport.write(RESPONSE)


async def serve(latency: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Answering(latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)  # until whoever started us goes away


class Served:
    """The server as a child that ends with us."""

    def __init__(self, latency: float) -> None:
        command = [sys.executable, __file__, "--serve", str(latency)]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> str:
        assert self._child.stdout is not None
        return f"http://127.0.0.1:{int(self._child.stdout.readline())}/v1"

    def __exit__(self, *reason: object) -> None:
        self._child.communicate(timeout=10)


async def timed(call: Call, calls: int) -> float:
    """Seconds for that many calls, at most AT_ONCE at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        async with gate:
            await call(number)

    started = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(calls)))
    return time.perf_counter() - started


async def compare(url: str, calls: int, rounds: int) -> tuple[float, float]:
    """Calls per second of the bare SDK and of ours, medians over rounds taken in turn."""
    sdk = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    model = open_model("compatible:bench", ModelSettings(base_url=url, concurrency=AT_ONCE), environ={})

    async def bare(number: int) -> object:
        return await sdk.chat.completions.create(
            model="bench",
            messages=[
                {"role": "system", "content": "a skill"},
                {"role": "user", "content": f"task {number}"},
            ],
            max_tokens=100,
        )

    async def ours(number: int) -> object:
        return await model.complete(Request.of(f"task {number}", system="a skill", max_tokens=100))

    rates: dict[Call, list[float]] = {bare: [], ours: []}
    for call in rates:
        await timed(call, AT_ONCE)
    for _ in range(rounds):
        for call, seen in rates.items():
            seen.append(calls / await timed(call, calls))
    await sdk.close()
    await model.aclose()
    return statistics.median(rates[bare]), statistics.median(rates[ours])


async def with_latency(url: str) -> float:
    model = open_model("compatible:bench", ModelSettings(base_url=url, concurrency=AT_ONCE), environ={})
    await model.complete(Request.of("what an SDK loads at its first call is not counted"))
    started = time.perf_counter()
    await asyncio.gather(*(model.complete(Request.of(f"task {n}")) for n in range(LATE_CALLS)))
    seconds = time.perf_counter() - started
    await model.aclose()
    return seconds


def judged(holds: bool) -> str:
    return "ok" if holds else "no"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=600, help="calls per round without latency")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", type=float, metavar="LATENCY", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        asyncio.run(serve(asked.serve))
        return 0
    with Served(0.0) as url:
        bare, ours = asyncio.run(compare(url, asked.calls, asked.rounds))
    fast = ours / bare >= LEAST_RATIO
    print(
        f"no latency: {ours:.0f} calls/s, bare SDK {bare:.0f}, ratio {ours / bare:.2f}"
        f" (at least {LEAST_RATIO}): {judged(fast)}"
    )
    with Served(LATENCY) as url:
        seconds = asyncio.run(with_latency(url))
    ideal = LATE_CALLS / AT_ONCE * LATENCY
    prompt = seconds <= MOST_OVER_IDEAL * ideal
    print(
        f"{LATENCY} s latency, {AT_ONCE} at once: {LATE_CALLS} calls in {seconds:.2f} s, ideal {ideal:.1f} s,"
        f" ratio {seconds / ideal:.2f} (at most {MOST_OVER_IDEAL}): {judged(prompt)}"
    )
    return 0 if fast and prompt else 1


if __name__ == "__main__":
    sys.exit(main())
