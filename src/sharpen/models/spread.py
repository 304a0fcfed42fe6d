"""Requests spread over a few connection pools: a pool looks at all its connections for every request.

With 64 requests under way that search is a third of a call's time. A request goes to the pool with the least
to do, so that few requests share few connections. Imported only where an HTTP client is made.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator

import httpx2

POOLS = 8
KEPT_PER_POOL = 32


class SpreadTransport(httpx2.AsyncBaseTransport):
    """Several transports that look like one."""

    def __init__(self, verify: ssl.SSLContext) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=KEPT_PER_POOL)
        self._pools = [httpx2.AsyncHTTPTransport(verify=verify, limits=limits) for _ in range(POOLS)]
        self._busy = [0] * POOLS

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        least = min(range(POOLS), key=self._busy.__getitem__)
        self._busy[least] += 1
        try:
            response = await self._pools[least].handle_async_request(request)
        except BaseException:
            self._busy[least] -= 1
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, self._busy, least)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()


class _Counted(httpx2.AsyncByteStream):
    """A body whose end frees a place in its pool."""

    def __init__(self, body: httpx2.AsyncByteStream, busy: list[int], pool: int) -> None:
        self._body, self._busy, self._pool = body, busy, pool
        self._open = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._body.__aiter__()

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._busy[self._pool] -= 1
        await self._body.aclose()
