"""Session files of Claude Code and Codex made by dice, for measuring how fast they are read.

The kinds of lines, their fields and how often each comes are those of files that Claude Code 2.1 and Codex
0.166 wrote: what the client notes beside a step (requests, token counts, encrypted reasoning) is there, too.
Texts are what commands and editors print: code, paths, test runs, letters beyond ASCII; sizes of outputs are
spread from a few hundred bytes to tens of kilobytes, and one output in forty holds a secret.
"""

from __future__ import annotations

import base64
import json
import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

Json = dict[str, object]
PROJECT = "/home/alice/app"
STEPS_PER_PROMPT = 20
SECRETS = ("AKIA{0:016X}", "ghp_{0:036x}", "sk-ant-api03-{0:024x}", "PASSWORD={0:x}", "alice.{0:x}@corp.io")
_VOCABULARY = """
    the function returns an error when list is empty and test expects value none import path config server
    module request response handler update remove add check token key user file line warning failed passed
"""
_WORDS = _VOCABULARY.split()
_CODE = (
    '    if {0}.{1}("{2}", timeout={n}):\n        return self._{1}[{n}]["{0}"]',
    "def {0}_{1}({2}: dict[str, int], *, {0}: str = '{1}') -> None:",
    '{{"{0}": [{n}, "{1}", {{"{2}": null}}], "{1}": "{n}.{n}"}}',
    "+    const {0} = await {1}(`/{2}/${{{0}.id}}`);  // {1} {2}",
    "tests/test_{0}.py::test_{1}[{2}-{n}] PASSED                    [ {n}%]",
    "│ {0} │ {1:<12} │ {n:>6} │ ✓ größer als {2} │",
    "{n}\t\t{0}: {1} {2}",
    PROJECT + "/src/{0}/{1}.py:{n}: {2} {0} {1}",
)


class Writer:
    """Texts and names, the same ones for the same seed."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        self._lines = [self._line() for _ in range(4000)]

    def name(self) -> str:
        return str(uuid.UUID(int=self.dice.getrandbits(128)))

    def words(self, size: int) -> str:
        """A sentence or a few."""
        return " ".join(self.dice.choices(_WORDS, k=max(size // 6, 1)))

    def output(self) -> str:
        """What a command printed."""
        size = min(self.dice.lognormvariate(6.8, 1.3), 60_000)
        lines = self.dice.choices(self._lines, k=max(int(size / 48), 1))
        if self.dice.random() < 1 / 40:
            lines.append(self.dice.choice(SECRETS).format(self.dice.getrandbits(60)))
        return "\n".join(lines)

    def sealed(self, size: int) -> str:
        """A signature or an encrypted thought."""
        return base64.b64encode(self.dice.randbytes(size)).decode()

    def _line(self) -> str:
        if self.dice.random() < 0.4:
            return self.words(self.dice.randint(20, 80))
        kinds = self.dice.choices(_WORDS, k=3)
        return self.dice.choice(_CODE).format(*kinds, n=self.dice.randint(1, 99))


def claude_code(writer: Writer) -> Iterator[Json]:
    """One session without an end."""
    session, last = writer.name(), writer.name()
    fixed: Json = {
        "userType": "external",
        "entrypoint": "cli",
        "cwd": PROJECT,
        "sessionId": session,
        "version": "2.1.325",
        "gitBranch": "main",
    }
    number = 0
    while True:
        for line in _claude_step(writer, number, session):
            if line.get("type") in ("user", "assistant", "attachment"):
                before, last = last, writer.name()
                line = {"parentUuid": before, "isSidechain": False, **line, "uuid": last, **_time(), **fixed}
            yield line
        number += 1


def _claude_step(writer: Writer, number: int, session: str) -> Iterator[Json]:
    if number % STEPS_PER_PROMPT == 0:
        prompt = writer.words(200)
        yield {"type": "queue-operation", "operation": "enqueue", **_time(), "sessionId": session}
        yield {
            "type": "user",
            "promptId": writer.name(),
            "permissionMode": "acceptEdits",
            "message": {"role": "user", "content": prompt},
        }
        reminder = {"type": "todo_reminder", "content": [], "itemCount": 0}
        yield {"type": "attachment", "attachment": reminder, "rendered": [{"content": writer.words(900)}]}
        yield {"type": "last-prompt", "lastPrompt": prompt, "sessionId": session}
    request, answer, call = writer.name(), f"msg_{writer.name()}", f"toolu_{number}"
    yield _claude_request(writer, request, session)
    thought: Json = {"type": "thinking", "thinking": writer.words(400), "signature": writer.sealed(600)}
    command = {"command": writer.words(60), "description": writer.words(30)}
    parts: list[Json] = [thought, {"type": "tool_use", "id": call, "name": "Bash", "input": command}]
    if number % 3 == 0:
        parts.insert(1, {"type": "text", "text": writer.words(300)})
    for place, part in enumerate(parts):
        yield _claude_answer(part, answer, request, place)
    output = writer.output()
    told: Json = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    yield {
        "type": "user",
        "promptId": request,
        "message": {
            "role": "user",
            "content": [{"tool_use_id": call, "type": "tool_result", "content": output, "is_error": False}],
        },
        "toolUseResult": {**told, "noOutputExpected": False},
        "permissionDecision": {"decision": "accept", "source": "config", "reasonType": "rule"},
        "sourceToolAssistantUUID": writer.name(),
    }


def _claude_request(writer: Writer, name: str, session: str) -> Json:
    betas = [f"{writer.dice.choice(_WORDS)}-2026-0{digit}-01" for digit in range(1, 9)]
    asked = {"model": "some-model", "betas": betas, "max_tokens": 32000, "thinking": {"type": "adaptive"}}
    return {
        "type": "api-request",
        "sessionId": session,
        "id": name,
        **_time(),
        "version": "2.1.325",
        "shapeHash": f"{writer.dice.getrandbits(256):064x}",
        "params": asked,
        "keep": 2,
        "tail": [f"{writer.dice.getrandbits(256):064x}" for _ in range(2)],
        "cacheControl": [{"path": ["system", place], "value": {"type": "ephemeral"}} for place in range(3)],
    }


def _claude_answer(part: Json, answer: str, request: str, place: int) -> Json:
    usage = {
        "input_tokens": 90,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 800,
        "output_tokens": 30,
        "output_tokens_details": {"thinking_tokens": 0},
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
    }
    message = {
        "id": answer,
        "type": "message",
        "role": "assistant",
        "model": "some-model",
        "content": [part],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": usage,
    }
    return {
        "type": "assistant",
        "message": message,
        "requestRef": request,
        "apiBlockIndex": place,
        "effort": "high",
    }


def codex(writer: Writer) -> Iterator[Json]:
    """One session without an end, in the newer of the two history modes."""
    thread, ordinal, number = writer.name(), 0, 0
    meta: Json = {"id": thread, "cwd": PROJECT, "cli_version": "0.166.0", "history_mode": "paginated"}
    meta["base_instructions"] = {"text": writer.words(20_000)}
    yield {**_time(), "ordinal": 0, "type": "session_meta", "payload": meta}
    turn = writer.name()
    while True:
        if number % STEPS_PER_PROMPT == 0:
            turn = writer.name()
        for kind, payload in _codex_step(writer, number, thread, turn):
            ordinal += 1
            yield {**_time(), "ordinal": ordinal, "type": kind, "payload": payload}
        number += 1


def _codex_step(writer: Writer, number: int, thread: str, turn: str) -> Iterator[tuple[str, Json]]:
    beside: Json = {
        "internal_chat_message_metadata_passthrough": {"turn_id": turn, "create_time": 1794724536.13}
    }
    if number % STEPS_PER_PROMPT == 0:
        yield from _codex_turn(writer, turn, beside)
    thought = {
        "type": "reasoning",
        "id": writer.name(),
        "summary": [],
        "encrypted_content": writer.sealed(900),
    }
    yield "response_item", {**thought, **beside}
    if number % 3 == 0:
        words = [{"type": "output_text", "text": writer.words(300), "annotations": []}]
        said = {"type": "message", "status": "completed", "role": "assistant", "content": words}
        yield "response_item", {**said, **beside}
    command, call = writer.words(60), f"call_{number}"
    called = {"type": "function_call", "name": "exec_command", "call_id": call}
    yield "response_item", {**called, "arguments": json.dumps({"cmd": command}), **beside}
    usage = _codex_usage()
    spent = {"usage": usage, "turn_token_usage": usage, "thread_token_usage": usage}
    yield "token_usage_record", {"thread_id": thread, "turn_id": turn, "response_id": writer.name(), **spent}
    output, code = writer.output(), 0 if number % 7 else 1
    item = {
        "type": "CommandExecution",
        "id": call,
        "process_id": "74997",
        "command": ["/bin/bash", "-lc", command],
        "cwd": f"file://{PROJECT}",
        "parsed_cmd": [{"type": "unknown", "cmd": command}],
        "source": "unified_exec_startup",
        "status": "completed",
        "aggregated_output": output,
        "exit_code": code,
        "duration": {"secs": 0, "nanos": 7148},
    }
    yield "event_msg", {"type": "item_completed", "thread_id": thread, "turn_id": turn, "item": item}
    framed = f"Wall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
    yield "response_item", {"type": "function_call_output", "call_id": call, "output": framed, **beside}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 258400}
    limits = {"limit_id": "codex", "primary": None, "secondary": None, "credits": None, "plan_type": None}
    yield "event_msg", {"type": "token_count", "info": info, "rate_limits": limits}


def _codex_turn(writer: Writer, turn: str, beside: Json) -> Iterator[tuple[str, Json]]:
    yield "event_msg", {"type": "task_started", "turn_id": turn, "started_at": 1794724536}
    entries = [
        {"path": {"type": "path", "path": f"{PROJECT}/{name}"}, "access": "write"}
        for name in (".git", ".agents", ".codex", ".aws")
    ]
    policy = {"kind": "restricted", "entries": entries}
    context = {"turn_id": turn, "cwd": PROJECT, "model": "some-model", "effort": "high"}
    yield "turn_context", {**context, "permission_profile": policy, "file_system_sandbox_policy": policy}
    words = [{"type": "input_text", "text": writer.words(200)}]
    yield "response_item", {"type": "message", "role": "user", "content": words, **beside}


def _codex_usage() -> Json:
    return {
        "input_tokens": 900,
        "cached_input_tokens": 800,
        "cache_write_input_tokens": 0,
        "output_tokens": 30,
        "reasoning_output_tokens": 12,
        "total_tokens": 930,
    }


def _time() -> Json:
    return {"timestamp": "2026-11-15T06:36:41.493Z"}


SESSIONS: dict[str, Callable[[Writer], Iterator[Json]]] = {"claude-code": claude_code, "codex": codex}


def write_session(path: Path, megabytes: float, client: str) -> None:
    """A session file of about that size, spelled as the clients do: UTF-8, no spaces."""
    size = 0
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
    with path.open("wb") as file:
        for line in SESSIONS[client](Writer(f"{path.name} {megabytes}")):
            size += file.write(encoder.encode(line).encode() + b"\n")
            if size >= megabytes * 1e6:
                return
