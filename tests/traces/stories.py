"""One story in every format: asked to fix a file, an agent runs a command that fails, then one that works.

`write` puts the story into a folder the way the format does; the test knows what was done. The formats that
real clients were recorded in have tests of their own recordings, too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

PROMPT = "Fix the build"
COMMANDS = ("make all", "make all -k")
OUTPUTS = ("cc: error: no input files", "built app")
CODES = (2, 0)
FINAL = "The build works again."
TIME = "2026-11-15T06:36:41.493Z"
PROJECT = "/srv/app"

Object = dict[str, object]


def lines(path: Path, objects: list[Object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in objects), encoding="utf-8")
    return path


def document(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path


def codex_line(kind: str, payload: Object, time: str = TIME) -> Object:
    return {"timestamp": time, "type": kind, "payload": payload}


def codex_user(text: str) -> Object:
    return codex_line(
        "response_item",
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]},
    )


def codex_said(text: str) -> Object:
    part = {"type": "output_text", "text": text}
    return codex_line("response_item", {"type": "message", "role": "assistant", "content": [part]})


def codex_meta(**facts: object) -> Object:
    meta = {"id": "s1", "cwd": PROJECT, "cli_version": "0.166.0", "timestamp": TIME, **facts}
    return codex_line("session_meta", meta)


def codex_command(place: int) -> list[Object]:
    call = {"type": "function_call", "name": "exec_command", "call_id": f"c{place}"}
    output = f"Wall time: 0.1 seconds\nProcess exited with code {CODES[place]}\nOutput:\n{OUTPUTS[place]}"
    return [
        codex_line("response_item", {**call, "arguments": json.dumps({"cmd": COMMANDS[place]})}),
        codex_line(
            "response_item", {"type": "function_call_output", "call_id": f"c{place}", "output": output}
        ),
    ]


def codex(folder: Path) -> Path:
    told = [codex_meta(), codex_user(PROMPT), *codex_command(0), *codex_command(1), codex_said(FINAL)]
    done = codex_line("event_msg", {"type": "task_complete", "last_agent_message": FINAL})
    return lines(folder / ".codex/sessions/2026/11/15/rollout-2026-11-15T06-36-41-s1.jsonl", [*told, done])


def claude_line(kind: str, content: object, **facts: object) -> Object:
    message: Object = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {
            "id": facts.pop("id", "m1"),
            "model": "some-model",
            "stop_reason": facts.pop("stop", None),
        }
    own = {"sessionId": "s1", "version": "2.1.325", "cwd": PROJECT, "timestamp": TIME, "isSidechain": False}
    return {**own, "type": kind, "message": message, **facts}


def claude_command(place: int, **facts: object) -> list[Object]:
    call = {"type": "tool_use", "id": f"t{place}", "name": "Bash", "input": {"command": COMMANDS[place]}}
    failed = CODES[place] != 0
    output = f"Exit code {CODES[place]}\n{OUTPUTS[place]}" if failed else OUTPUTS[place]
    result = {"type": "tool_result", "tool_use_id": f"t{place}", "content": output, "is_error": failed}
    return [claude_line("assistant", [call], id=f"m{place}", **facts), claude_line("user", [result], **facts)]


def claude(folder: Path) -> Path:
    told = [claude_line("user", PROMPT), *claude_command(0), *claude_command(1)]
    said = claude_line("assistant", [{"type": "text", "text": FINAL}], id="m9", stop="end_turn")
    return lines(folder / ".claude/projects/-srv-app/s1.jsonl", [*told, said])


def gemini_header() -> Object:
    return {
        "sessionId": "s1",
        "projectHash": "ab",
        "startTime": TIME,
        "kind": "main",
        "directories": [PROJECT],
    }


def gemini_user(name: str, text: str) -> Object:
    return {"id": name, "timestamp": TIME, "type": "user", "content": [{"text": text}]}


def gemini_said(name: str, text: str, **facts: object) -> Object:
    return {"id": name, "timestamp": TIME, "type": "gemini", "content": text, "model": "g", **facts}


def gemini_command(place: int) -> list[Object]:
    told = f"Output: {OUTPUTS[place]}\n" + (f"Exit Code: {CODES[place]}\n" if CODES[place] else "")
    call = {
        "id": f"c{place}",
        "name": "run_shell_command",
        "args": {"command": COMMANDS[place]},
        "status": "success",
        "result": [{"functionResponse": {"response": {"output": told}}}],
        "resultDisplay": OUTPUTS[place],
    }
    return [gemini_said(f"g{place}", ""), gemini_said(f"g{place}", "", toolCalls=[call])]


def gemini(folder: Path) -> Path:
    told = [
        gemini_header(),
        gemini_user("u1", PROMPT),
        *gemini_command(0),
        *gemini_command(1),
        gemini_said("g9", FINAL),
    ]
    return lines(folder / ".gemini/tmp/app/chats/session-2026-11-15-s1.jsonl", told)


def gemini_legacy(folder: Path) -> Path:
    messages = [
        gemini_user("u1", PROMPT),
        gemini_command(0)[1],
        gemini_command(1)[1],
        gemini_said("g9", FINAL),
    ]
    return document(folder / "session-old.json", {**gemini_header(), "messages": messages})


def gemini_telemetry(folder: Path) -> Path:
    def record(name: str, **facts: object) -> Object:
        return {
            "attributes": {
                "event.name": f"gemini_cli.{name}",
                "session.id": "s1",
                "event.timestamp": TIME,
                **facts,
            }
        }

    told = [record("user_prompt", prompt=PROMPT)]
    for command, code in zip(COMMANDS, CODES, strict=True):
        told.append(record("api_response", model="g", input_token_count=5, output_token_count=1))
        arguments = json.dumps({"command": command})
        told.append(
            record("tool_call", function_name="run_shell_command", function_args=arguments, success=code == 0)
        )
    told.append(
        record("api_response", model="g", input_token_count=5, output_token_count=1, response_text=FINAL)
    )
    path = folder / "telemetry.jsonl"
    path.write_text("".join(json.dumps(value, indent=2) + "\n" for value in told))
    return path


def opencode_messages() -> list[tuple[Object, list[Object]]]:
    def tool(place: int) -> Object:
        state = {
            "status": "completed",
            "input": {"command": COMMANDS[place]},
            "output": OUTPUTS[place],
            "metadata": {"exit": CODES[place]},
        }
        return {"type": "tool", "callID": f"c{place}", "tool": "bash", "state": state}

    finish = {"type": "step-finish", "reason": "tool-calls", "tokens": {"input": 5, "output": 1}, "cost": 0.5}
    times = {"time": {"created": 1794724601493}}
    return [
        ({"id": "msg_1", "role": "user", **times}, [{"type": "text", "text": PROMPT}]),
        (
            {"id": "msg_2", "role": "assistant", "modelID": "m", **times},
            [{"type": "step-start"}, tool(0), finish],
        ),
        (
            {"id": "msg_3", "role": "assistant", "modelID": "m", **times},
            [{"type": "step-start"}, tool(1), finish],
        ),
        ({"id": "msg_4", "role": "assistant", "modelID": "m", **times}, [{"type": "text", "text": FINAL}]),
    ]


def opencode_export(folder: Path, **info: object) -> Path:
    messages = [{"info": about, "parts": parts} for about, parts in opencode_messages()]
    session = {"id": "ses_1", "directory": PROJECT, "version": "1.18.33", **info}
    return document(folder / "ses_1.json", {"info": session, "messages": messages})


def opencode(folder: Path) -> Path:
    path = folder / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT,"
            " time_created INTEGER, revert TEXT);"
            "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);"
            "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);"
        )
        database.execute(
            "INSERT INTO session VALUES ('ses_1', NULL, ?, '1.18', 1794724601493, NULL)", (PROJECT,)
        )
        for about, parts in opencode_messages():
            database.execute("INSERT INTO message VALUES (?, 'ses_1', ?)", (about["id"], json.dumps(about)))
            for place, part in enumerate(parts):
                row = (f"{about['id']}.{place}", about["id"], json.dumps(part))
                database.execute("INSERT INTO part VALUES (?, ?, 'ses_1', ?)", row)
    database.close()
    return path


def kimi(folder: Path) -> Path:
    def loop(**event: object) -> Object:
        return {"type": "context.append_loop_event", "event": event, "time": 1794724601493}

    told: list[Object] = [
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1794724601493},
        {"type": "profile.bind", "environmentDisclosure": {"cwd": PROJECT}},
        {"type": "turn.prompt", "input": [{"type": "text", "text": PROMPT}], "time": 1794724601493},
    ]
    for place, (command, output, code) in enumerate(zip(COMMANDS, OUTPUTS, CODES, strict=True)):
        text = f"{output}\nCommand failed with exit code: {code}." if code else output
        told += [
            loop(type="step.begin"),
            loop(type="tool.call", toolCallId=f"c{place}", name="Bash", args={"command": command}),
            loop(type="tool.result", toolCallId=f"c{place}", result={"output": text, "isError": code != 0}),
        ]
    told += [loop(type="step.begin"), loop(type="content.part", part={"type": "text", "text": FINAL})]
    return lines(folder / ".kimi-code/sessions/wd/s1/agents/main/wire.jsonl", told)


def copilot(folder: Path) -> Path:
    def event(kind: str, **data: object) -> Object:
        return {"type": kind, "data": data, "timestamp": TIME}

    told = [
        event("session.start", sessionId="s1", context={"cwd": PROJECT}),
        event("user.message", content=PROMPT),
    ]
    for place, (command, output, code) in enumerate(zip(COMMANDS, OUTPUTS, CODES, strict=True)):
        request = {"toolCallId": f"c{place}", "name": "bash", "arguments": {"command": command}}
        told.append(event("assistant.message", content="", toolRequests=[request]))
        shell = {"shellExecution": {"exitCode": code}, "success": True, "result": {"content": output}}
        told.append(event("tool.execution_complete", toolCallId=f"c{place}", **shell))
    told.append(event("assistant.message", content=FINAL, toolRequests=[]))
    return lines(folder / ".copilot/session-state/s1/events.jsonl", told)


def cursor(folder: Path) -> Path:
    def said(role: str, *parts: Object) -> Object:
        return {"role": role, "message": {"content": list(parts)}}

    told = [said("user", {"type": "text", "text": f"<user_query>\n{PROMPT}\n</user_query>"})]
    calls = [{"type": "tool_use", "name": "Shell", "input": {"command": command}} for command in COMMANDS]
    told += [said("assistant", call) for call in calls]
    told.append(said("assistant", {"type": "text", "text": FINAL}))
    return lines(folder / ".cursor/projects/app/agent-transcripts/s1/s1.jsonl", told)


def pi_entry(name: str, parent: str | None, **message: object) -> Object:
    return {"type": "message", "id": name, "parentId": parent, "timestamp": TIME, "message": message}


def pi_entries() -> list[Object]:
    told: list[Object] = [{"type": "session", "version": 3, "id": "s1", "timestamp": TIME, "cwd": PROJECT}]
    told.append(pi_entry("e0", None, role="user", content=PROMPT))
    last = "e0"
    for place, (command, output, code) in enumerate(zip(COMMANDS, OUTPUTS, CODES, strict=True)):
        call = {"type": "toolCall", "id": f"c{place}", "name": "bash", "arguments": {"command": command}}
        told.append(pi_entry(f"a{place}", last, role="assistant", content=[call], model="m"))
        result = {"toolCallId": f"c{place}", "content": [{"type": "text", "text": output}]}
        details = {"details": {"exitCode": code}, "isError": code != 0}
        told.append(pi_entry(f"r{place}", f"a{place}", role="toolResult", **result, **details))
        last = f"r{place}"
    said = [{"type": "text", "text": FINAL}]
    return [*told, pi_entry("e9", last, role="assistant", content=said, stopReason="stop")]


def pi(folder: Path) -> Path:
    return lines(folder / ".pi/agent/sessions/app/s1.jsonl", pi_entries())


def atif_value(version: str = "1.8") -> Object:
    steps: list[Object] = [{"step_id": 1, "source": "user", "message": PROMPT, "timestamp": TIME}]
    for place, (command, output, code) in enumerate(zip(COMMANDS, OUTPUTS, CODES, strict=True)):
        call = {"tool_call_id": f"c{place}", "function_name": "bash", "arguments": {"command": command}}
        result = {"source_call_id": f"c{place}", "content": output, "extra": {"exit_code": code}}
        steps.append(
            {
                "step_id": place + 2,
                "source": "agent",
                "message": "",
                "tool_calls": [call],
                "observation": {"results": [result]},
            }
        )
    steps.append({"step_id": 4, "source": "agent", "message": FINAL})
    agent = {"name": "some-agent", "version": "1.0"}
    return {"schema_version": f"ATIF-v{version}", "session_id": "s1", "agent": agent, "steps": steps}


def atif(folder: Path) -> Path:
    return document(folder / "trajectory.json", atif_value())


def chat_messages() -> list[Object]:
    told: list[Object] = [{"role": "user", "content": PROMPT}]
    for place, (command, output) in enumerate(zip(COMMANDS, OUTPUTS, strict=True)):
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        call = {"id": f"c{place}", "type": "function", "function": function}
        told.append({"role": "assistant", "content": None, "tool_calls": [call]})
        told.append({"role": "tool", "tool_call_id": f"c{place}", "content": output})
    return [*told, {"role": "assistant", "content": FINAL}]


def messages(folder: Path) -> Path:
    return lines(folder / "chats.jsonl", [{"id": "s1", "messages": chat_messages()}])


def sharegpt(folder: Path) -> Path:
    told: list[Object] = [{"from": "human", "value": PROMPT}]
    for command, output in zip(COMMANDS, OUTPUTS, strict=True):
        told.append({"from": "function_call", "value": json.dumps({"command": command})})
        told.append({"from": "observation", "value": output})
    told.append({"from": "gpt", "value": FINAL})
    return lines(folder / "sharegpt.jsonl", [{"id": "s1", "conversations": told}])


def mini_swe_agent(folder: Path) -> Path:
    told: list[Object] = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": PROMPT},
    ]
    for command, output, code in zip(COMMANDS, OUTPUTS, CODES, strict=True):
        told.append({"role": "assistant", "content": f"Next.\n```bash\n{command}\n```"})
        told.append(
            {"role": "user", "content": f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"}
        )
    told.append({"role": "assistant", "content": FINAL})
    info = {
        "exit_status": "Submitted",
        "submission": "diff --git a/x b/x\n",
        "model_stats": {"api_calls": 3, "instance_cost": 0.1},
    }
    value = {"info": info, "messages": told, "trajectory_format": "mini-swe-agent-1.1"}
    return document(folder / "x.traj.json", value)


def swe_agent(folder: Path) -> Path:
    turns = [
        {"action": command, "observation": output, "thought": "", "response": ""}
        for command, output in zip(COMMANDS, OUTPUTS, strict=True)
    ]
    turns.append({"action": "", "observation": "", "thought": FINAL, "response": FINAL})
    history = [{"role": "system", "content": "Be good."}, {"role": "user", "content": PROMPT}]
    value = {
        "trajectory": turns,
        "history": history,
        "info": {"exit_status": "submitted"},
        "environment": "x",
    }
    return document(folder / "x.traj", value)


def _attributes(facts: Object) -> list[Object]:
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in facts.items()
    ]


def _span(start: int, facts: Object, *, parent: str = "root", failed: bool = False) -> Object:
    return {
        "traceId": "t1",
        "spanId": f"s{start}",
        "parentSpanId": parent,
        "startTimeUnixNano": str(start * 10**9),
        "attributes": _attributes(facts),
        "status": {"code": 2 if failed else 0},
    }


def otlp_genai(folder: Path) -> Path:
    def parts(role: str, *found: Object) -> Object:
        return {"role": role, "parts": list(found)}

    history, spans = [parts("user", {"type": "text", "content": PROMPT})], []
    for place, (command, output, code) in enumerate(zip(COMMANDS, OUTPUTS, CODES, strict=True)):
        call = {"type": "tool_call", "id": f"c{place}", "name": "bash", "arguments": {"command": command}}
        answer = parts("assistant", call)
        spans.append(
            _span(
                10 * place + 1,
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "m",
                    "gen_ai.input.messages": json.dumps(history),
                    "gen_ai.output.messages": json.dumps([answer]),
                    "gen_ai.usage.input_tokens": 5,
                    "gen_ai.usage.output_tokens": 1,
                },
            )
        )
        spans.append(
            _span(
                10 * place + 2,
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "bash",
                    "gen_ai.tool.call.id": f"c{place}",
                    "gen_ai.tool.call.result": output,
                },
                failed=code != 0,
            )
        )
        history += [
            answer,
            parts("tool", {"type": "tool_call_response", "id": f"c{place}", "response": output}),
        ]
    last = parts("assistant", {"type": "text", "content": FINAL})
    spans.append(
        _span(
            90,
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps(history),
                "gen_ai.output.messages": json.dumps([last]),
            },
        )
    )
    spans.append(_span(0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}, parent=""))
    return lines(folder / "traces.jsonl", [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}])


def otlp_openinference(folder: Path) -> Path:
    history: Object = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": PROMPT,
    }
    spans, seen = [], 1
    for place, (command, output, code) in enumerate(zip(COMMANDS, OUTPUTS, CODES, strict=True)):

        def call(stem: str, place: int = place, command: str = command) -> Object:
            inner = f"{stem}.message.tool_calls.0.tool_call"
            return {
                f"{stem}.message.role": "assistant",
                f"{inner}.id": f"c{place}",
                f"{inner}.function.name": "bash",
                f"{inner}.function.arguments": json.dumps({"command": command}),
            }

        facts = {
            "openinference.span.kind": "LLM",
            "llm.model_name": "m",
            **history,
            **call("llm.output_messages.0"),
        }
        spans.append(_span(10 * place + 1, facts))
        spans.append(
            _span(
                10 * place + 2,
                {
                    "openinference.span.kind": "TOOL",
                    "tool.name": "bash",
                    "tool_call.id": f"c{place}",
                    "output.value": output,
                },
                failed=code != 0,
            )
        )
        history |= call(f"llm.input_messages.{seen}")
        result = f"llm.input_messages.{seen + 1}.message"
        history |= {
            f"{result}.role": "tool",
            f"{result}.content": output,
            f"{result}.tool_call_id": f"c{place}",
        }
        seen += 2
    said = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": FINAL}
    spans.append(_span(90, {"openinference.span.kind": "LLM", **history, **said}))
    spans.append(_span(0, {"openinference.span.kind": "AGENT"}, parent=""))
    return document(folder / "phoenix.json", {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


STORIES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "codex": ("codex", codex),
    "claude-code": ("claude-code", claude),
    "gemini": ("gemini", gemini),
    "gemini, older": ("gemini", gemini_legacy),
    "gemini-telemetry": ("gemini-telemetry", gemini_telemetry),
    "opencode": ("opencode", opencode),
    "opencode-export": ("opencode-export", opencode_export),
    "kimi": ("kimi", kimi),
    "copilot": ("copilot", copilot),
    "cursor": ("cursor", cursor),
    "pi": ("pi", pi),
    "atif": ("atif", atif),
    "messages": ("messages", messages),
    "sharegpt": ("messages", sharegpt),
    "mini-swe-agent": ("mini-swe-agent", mini_swe_agent),
    "swe-agent": ("swe-agent", swe_agent),
    "otlp, GenAI": ("otlp", otlp_genai),
    "otlp, OpenInference": ("otlp", otlp_openinference),
}
"""The format's name and who writes it, by the story's name."""

NO_CODES = {
    "gemini-telemetry",
    "cursor",
    "messages",
    "sharegpt",
    "swe-agent",
    "otlp, GenAI",
    "otlp, OpenInference",
}
"""Formats that say no exit codes."""
NO_OUTPUTS = {"gemini-telemetry", "cursor"}
