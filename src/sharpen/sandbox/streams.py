"""Feeding and reading a job's three pipes without blocking, up to a bound.

Knows descriptors and bytes. Does not know what the bytes mean or who is at the other end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

_PIECE = 1 << 16


class Streams:
    """Our ends of the pipes. `on_full` is called once, when both outputs together reach the bound."""

    def __init__(
        self, ends: tuple[int, int, int], stdin: bytes, *, bound: int, on_full: Callable[[], None]
    ) -> None:
        self.truncated = False
        self._loop = asyncio.get_running_loop()
        self._stdin, self._left = ends[0], memoryview(stdin)
        self._kept: dict[int, bytearray] = {ends[1]: bytearray(), ends[2]: bytearray()}
        self._outputs = ends[1:]
        self._room, self._on_full = bound, on_full
        self._open = set(ends)
        self._all_read = self._loop.create_future()
        for end in ends:
            os.set_blocking(end, False)
        for end in self._outputs:
            self._loop.add_reader(end, self._read, end)
        self._loop.add_writer(self._stdin, self._write)

    @property
    def stdout(self) -> bytes:
        return bytes(self._kept[self._outputs[0]])

    @property
    def stderr(self) -> bytes:
        return bytes(self._kept[self._outputs[1]])

    async def all_read(self, grace: float) -> None:
        """Until both outputs ended; what a stranger still holds open is given up after the grace."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._all_read), grace)

    def close(self) -> None:
        for end in list(self._open):
            self._close(end)

    def _read(self, end: int) -> None:
        try:
            piece = os.read(end, _PIECE)
        except BlockingIOError:
            return
        if not piece:
            self._close(end)
            return
        self._kept[end] += piece[: self._room]
        if len(piece) > self._room and not self.truncated:
            self.truncated = True
            self._on_full()
        self._room -= min(len(piece), self._room)

    def _write(self) -> None:
        try:
            self._left = (
                self._left[os.write(self._stdin, self._left[:_PIECE]) :] if self._left else self._left
            )
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._left = memoryview(b"")  # the job does not read its input: its own affair
        if not self._left:
            self._close(self._stdin)

    def _close(self, end: int) -> None:
        if end not in self._open:
            return
        self._open.discard(end)
        self._loop.remove_reader(end)
        self._loop.remove_writer(end)
        os.close(end)
        if not self._open.intersection(self._outputs) and not self._all_read.done():
            self._all_read.set_result(None)
