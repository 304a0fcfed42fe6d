"""The server itself: asyncio in a thread, raw enough to break HTTP in the middle of an answer."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from types import TracebackType

from faults.plans import Fault, Plan, Seen, always, ok
from faults.wires import answer, error, last_text, protocol_of

Reply = Callable[[Seen], str]

_LOGIN_PAGE = b"<!doctype html><html><head><title>Please log in</title></head><body>hello</body></html>"


class FaultServer:
    """A context manager. `reply` makes an answer's text; without one the last message is repeated.

    `plan` and `reply` may be exchanged while it runs; `requests` is everything that arrived, in order.
    """

    def __init__(self, plan: Plan | None = None, *, reply: Reply | None = None) -> None:
        self.plan: Plan = plan or always(ok())
        self.reply = reply
        self.requests: list[Seen] = []
        self.most_at_once = 0
        self._at_once = 0
        self._counts: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def v1(self) -> str:
        return f"{self.url}/v1"

    @property
    def posts(self) -> int:
        """Requests for an answer, without look-ups of model names."""
        return sum(seen.method == "POST" for seen in self.requests)

    def __enter__(self) -> FaultServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join()
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._loop.call_soon(self._ready.set)  # not before the loop runs that `_stop` is to stop
        self._loop.run_forever()
        for task in self._connections:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._connections, return_exceptions=True))

    async def _listen(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._server = server
        self.port = server.sockets[0].getsockname()[1]

    def _stop(self) -> None:
        self._server.close()
        self._loop.stop()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and what it meets; False ends the connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = self._noted(Seen(method, path, headers, json.loads(raw) if raw else {}))
        fault = ok() if method == "GET" else self.plan(seen)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if fault.latency:
                await asyncio.sleep(fault.latency)
            return await self._meet(fault, seen, writer)
        finally:
            self._at_once -= 1

    def _noted(self, seen: Seen) -> Seen:
        numbered = Seen(seen.method, seen.path, seen.headers, seen.body, self._counts[seen.content])
        self._counts[seen.content] += 1
        self.requests.append(numbered)
        return numbered

    async def _meet(self, fault: Fault, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        path = seen.path.partition("?")[0]
        protocol = protocol_of(path)
        if fault.kind == "hang":
            await asyncio.sleep(3600)
        if fault.kind == "reset":
            _reset(writer)
            return False
        if fault.kind == "status":
            body = json.dumps(error(protocol, fault.status, fault.message, fault.code)).encode()
            return await _send(writer, fault.status, body, headers=dict(fault.headers))
        if fault.kind == "html_error":
            return await _send(
                writer, fault.status, b"<html><h1>502 Bad Gateway</h1></html>", kind="text/html"
            )
        if fault.kind == "html_page":
            return await _send(writer, 200, _LOGIN_PAGE, kind="text/html; charset=utf-8")
        if fault.kind == "garbage":
            return await _send(writer, 200, b'{"choices": [{"mess\x00\xff not json')
        return await self._answer(fault, seen, protocol, writer)

    async def _answer(self, fault: Fault, seen: Seen, protocol: str, writer: asyncio.StreamWriter) -> bool:
        text = self.reply(seen) if self.reply and seen.body else last_text(protocol, seen.body)
        if protocol == "unknown":
            return await _send(writer, 404, b'{"error": {"message": "no such path", "code": "not_found"}}')
        body = json.dumps(answer(protocol, str(seen.body.get("model", "served")), text)).encode()
        if fault.kind == "wrong_type":
            return await _send(writer, 200, body, kind="text/plain")
        if fault.kind == "truncated":
            await _send(writer, 200, body[: len(body) // 2], length=len(body))
            return False
        if fault.kind == "drip":
            await _send(writer, 200, b"", length=len(body))
            for byte in body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.1)
            return True
        return await _send(writer, 200, body)


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    *,
    kind: str = "application/json",
    length: int | None = None,
    headers: dict[str, str] | None = None,
) -> bool:
    fields = {"content-type": kind, "content-length": str(len(body) if length is None else length)} | (
        headers or {}
    )
    head = f"HTTP/1.1 {status} Simulated\r\n" + "".join(
        f"{name}: {value}\r\n" for name, value in fields.items()
    )
    writer.write(head.encode() + b"\r\n" + body)
    await writer.drain()
    return True


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a TCP reset instead of a goodbye."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
