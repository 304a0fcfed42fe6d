"""A loopback model in both parts: a student that follows rules, a teacher that knows which are missing.

    python benchmarks/school.py STUDENT_SECONDS TEACHER_SECONDS

Speaks as much of OpenAI's chat protocol as the SDK needs and answers after a fixed time. A student's answer
is right when its system prompt holds the rule of the task's kind; the teacher reads the kinds of the failures
it is shown. On the line "stats" at its standard input it prints how many calls it answered and how many were
in flight on average; it ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from typing import Any

RIGHT, WRONG = "right", "wrong"
KIND = re.compile(r"a task of kind (\d+)")
RULE = re.compile(r"RULE-(\d+)")
LIMIT = 4


def rule(kind: int) -> str:
    return f"- RULE-{kind}: mind it."


def answer(body: dict[str, Any]) -> str:
    """What the model of that name says."""
    texts = {message["role"]: message["content"] for message in body["messages"]}
    if body["model"] == "student":
        kind = KIND.search(texts["user"])
        known = RULE.findall(texts.get("system", ""))
        return RIGHT if kind is not None and kind[1] in known else WRONG
    return json.dumps(advice(body["response_format"]["json_schema"]["schema"]["properties"], texts["user"]))


def advice(fields: dict[str, Any], text: str) -> dict[str, Any]:
    """The teacher's answer, told apart by the fields it is asked for."""
    if "selected_indices" in fields:
        return {"selected_indices": list(range(LIMIT)), "reasoning": ""}
    if "items" in fields:
        places: dict[str, list[int]] = {}
        for place, line in re.findall(r"^\[(\d+)\] (.*)$", text, re.MULTILINE):
            places.setdefault(json.loads(line)["content"], []).append(int(place))
        return {"items": [{**_append(said), "sources": own} for said, own in places.items()], "reasoning": ""}
    kinds = dict.fromkeys(map(int, KIND.findall(text))) if "failure_summary" in fields else {}
    said = [rule(kind) for kind in list(kinds)[:LIMIT]] or ["- Go on as before."]
    edits = [{**_append(content), "attempts": [1]} for content in said]
    return {"edits": edits, "reasoning": "", "failure_summary": [], "success_patterns": []}


def _append(content: str) -> dict[str, str]:
    return {"op": "append", "target": "", "content": content, "file": ""}


class Meter:
    """Calls answered, and how many were in flight over time."""

    def __init__(self) -> None:
        self.calls, self._flying, self._area = 0, 0, 0.0
        self._since = self._first = time.perf_counter()

    def change(self, by: int) -> None:
        now = time.perf_counter()
        if not self.calls and not self._flying:
            self._first = self._since = now
        self._area += self._flying * (now - self._since)
        self._since, self._flying = now, self._flying + by
        self.calls += by < 0

    def report(self) -> dict[str, float]:
        mean = self._area / max(1e-9, self._since - self._first)
        return {"calls": self.calls, "in_flight": mean, "in_flight_seconds": self._area}


class Answering(asyncio.Protocol):
    """As little HTTP as a client needs."""

    def __init__(self, latencies: dict[str, float], meter: Meter) -> None:
        self._latencies, self._meter, self._received = latencies, meter, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = self._received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        if not found or len(rest) < length:
            return
        body, self._received = json.loads(rest[:length]), rest[length:]
        self._meter.change(+1)
        asyncio.get_running_loop().call_later(self._latencies[body["model"]], self._answer, body)

    def _answer(self, body: dict[str, Any]) -> None:
        self._meter.change(-1)
        said = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": answer(body)},
        }
        usage = {"prompt_tokens": 30, "completion_tokens": 1, "total_tokens": 31}
        whole = {"id": "c1", "object": "chat.completion", "created": 0, "model": body["model"]}
        sent = json.dumps({**whole, "choices": [said], "usage": usage}).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(sent)
        if isinstance(self._transport, asyncio.WriteTransport) and not self._transport.is_closing():
            self._transport.write(head + sent)


async def serve(student: float, teacher: float) -> None:
    meter, latencies = Meter(), {"student": student, "teacher": teacher}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(latencies, meter), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(meter.report()), flush=True)


class School:
    """The server as a child that ends with us."""

    def __init__(self, *, student: float, teacher: float) -> None:
        command = [sys.executable, __file__, str(student), str(teacher)]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = ""

    def __enter__(self) -> School:
        self.url = f"http://127.0.0.1:{int(self._line())}/v1"
        return self

    def __exit__(self, *reason: object) -> None:
        self._child.communicate(timeout=10)

    def stats(self) -> dict[str, float]:
        assert self._child.stdin is not None
        print("stats", file=self._child.stdin, flush=True)
        found: dict[str, float] = json.loads(self._line())
        return found

    def _line(self) -> str:
        assert self._child.stdout is not None
        return self._child.stdout.readline()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), float(sys.argv[2])))
