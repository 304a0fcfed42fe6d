"""The listening half: a threaded HTTP server that asks the script, bills every answer and keeps all of it.

`failing` makes every model request end with that status instead, which is how a provider that is down looks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType

from . import wires
from .script import Ask, Bill, Script


@dataclass(frozen=True)
class Request:
    """One model request that was answered, with what it cost."""

    ask: Ask
    bill: Bill
    headers: dict[str, str]


class LoopbackModel:
    """Use as a context manager; `url` is the bare address, `requests` what came, in order."""

    def __init__(self, script: Script, *, failing: int | None = None) -> None:
        self.script, self.failing = script, failing
        self.requests: list[Request] = []
        self.refused = 0
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> LoopbackModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, ask: Ask, headers: dict[str, str]) -> bytes:
        with self._lock:
            number = len(self.requests) + 1
            bill = Bill.of_request(number)
            self.requests.append(Request(ask, bill, headers))
        return wires.write(ask, self.script(ask), bill, number=number)

    def refuse(self) -> None:
        with self._lock:
            self.refused += 1


def _handler_for(model: LoopbackModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, b'{"object": "list", "data": [], "models": []}', "application/json")

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
            wire = wires.wire_of(self.path)
            if wire is None:
                self._send(404, b'{"error": {"message": "no such path"}}', "application/json")
            elif model.failing is not None:
                model.refuse()
                problem = {"error": {"message": "the scripted model is down", "code": model.failing}}
                self._send(model.failing, json.dumps(problem).encode(), "application/json")
            else:
                ask = wires.read(wire, self.path, json.loads(data))
                kind = "application/json" if ask.wire in wires.WHOLE else "text/event-stream"
                self._send(200, model.answer(ask, dict(self.headers)), kind)

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are kept, not printed."""

    return Handler
