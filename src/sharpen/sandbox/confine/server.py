"""The starter: keeps a few processes ready to become jobs, and makes new ones as they are used up.

Each ready process is a pair, a monitor and the recruit that becomes the job. The recruit takes an order
straight from the connection all of them share: one byte with four descriptors, the job's three streams and
a connection of its own, on which the order is read and the ending told. When the orderer goes away,
everything here ends.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from . import landlock, monitor, seccomp
from .cgroups import Group
from .job import Recruit
from .order import Order, Setting

_READY = 2
# Seconds. Joining a cgroup holds up every exec and exit on the machine: not while a short job runs.
_LULL = 0.05
_TAKEN, _OVER = b"t", b"x"

_Made = TypeVar("_Made")


def main(descriptor: int, setting: str) -> None:
    os.set_inheritable(descriptor, False)
    station = _Station.of(socket.socket(fileno=descriptor), Setting.from_text(setting))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # monitors are not waited for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the orderer's; it closes the connections
    os.chdir("/")
    gc.disable()
    ready = 0
    while True:
        if ready == 0 or (ready < _READY and not station.hears(_LULL)):
            station.make_ready()
            ready += 1
        elif station.hears(None):
            if os.read(station.news[0], 1) == _OVER:
                return
            ready -= 1


@dataclass(frozen=True)
class _Station:
    orders: socket.socket
    setting: Setting
    rules: bytes
    news: tuple[int, int]

    @classmethod
    def of(cls, orders: socket.socket, setting: Setting) -> _Station:
        safe = "truncation" not in landlock.gaps(landlock.abi())
        rules = seccomp.on_the_host(network=setting.network, truncation=safe) if setting.confined else b""
        return cls(orders, setting, rules, os.pipe())

    def hears(self, seconds: float | None) -> bool:
        """Whether there is news within this time."""
        return bool(select.select([self.news[0]], [], [], seconds)[0])

    def make_ready(self) -> None:
        if os.fork() == 0:
            try:
                monitor.watch(self.setting, self.recruit)
            except BaseException:  # noqa: BLE001  without monitors no order would ever be answered
                os.write(self.news[1], _OVER)
            finally:
                os._exit(0)

    def recruit(self, tmp: str, group: Group | None, to_monitor: socket.socket) -> None:
        """Waits for an order and becomes the job."""
        try:
            ready = _attempt(lambda: Recruit(self.setting, tmp, group))
            byte, fds, _, _ = socket.recv_fds(self.orders, 1, 4)
            os.write(self.news[1], _TAKEN if byte else _OVER)
            if byte:
                failure = _attempt(lambda: self._serve(ready, fds, to_monitor))
                to_monitor.sendall(b"!" + str(failure).encode("utf-8", "replace"))
        finally:
            os._exit(127)

    def _serve(self, ready: Recruit | str, fds: list[int], to_monitor: socket.socket) -> str:
        """Returns only when there will be no job, and says why."""
        for fd in fds:
            os.set_inheritable(fd, False)  # no job inherits what was sent to us
        order = _received(socket.socket(fileno=fds[3]), to_monitor)
        if isinstance(ready, Recruit):
            ready.become(order, fds[:3], rules=self.rules, monitor=to_monitor)
        return str(ready)


def _attempt(act: Callable[[], _Made]) -> _Made | str:
    """What was made, or why it could not be: the orderer must hear of it, whatever it is."""
    try:
        return act()
    except OSError as error:
        return str(error)
    except BaseException:  # noqa: BLE001
        return traceback.format_exc()


def _received(control: socket.socket, to_monitor: socket.socket) -> Order:
    """The order, after its length in eight bytes. The monitor gets the connection and the folder."""
    data, size = b"", 8
    while len(data) < size:
        piece = control.recv(1 << 16)
        if not piece:
            raise ConnectionError("the order broke off")
        data += piece
        if len(data) >= 8:
            size = 8 + int.from_bytes(data[:8], "big")
    order = Order.from_bytes(data[8:])
    socket.send_fds(to_monitor, [os.fsencode(order.folder) + b"\0"], [control.fileno()])
    return order
