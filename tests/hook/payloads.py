"""What clients send to a hook: first after `echo boom-okapi; exit 3`, then after other endings (`ENDINGS`).

They were recorded from the real programs; folder names and durations are round, and fields that nobody reads
are left out. Made from the descriptions alone are the two interrupted calls of Claude Code.
"""

from __future__ import annotations

CLAUDE_FAILED = {
    "session_id": "1f3c91d9",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-work/1f3c91d9.jsonl",
    "cwd": "/home/dev/work",
    "permission_mode": "acceptEdits",
    "hook_event_name": "PostToolUseFailure",
    "tool_name": "Bash",
    "tool_input": {"command": "echo boom-okapi; exit 3", "description": "one command"},
    "tool_use_id": "toolu_1",
    "error": "Exit code 3\nboom-okapi",
    "is_interrupt": False,
}
CLAUDE_WORKED = {
    **{name: value for name, value in CLAUDE_FAILED.items() if name != "error"},
    "hook_event_name": "PostToolUse",
    "tool_response": {
        "stdout": "boom-okapi",
        "stderr": "and a warning",
        "interrupted": False,
        "isImage": False,
    },
}
CODEX = {
    "session_id": "01a1e0e5",
    "turn_id": "01a1e0e5-4b4c",
    "transcript_path": None,
    "cwd": "/home/dev/work",
    "hook_event_name": "PostToolUse",
    "model": "m",
    "permission_mode": "bypassPermissions",
    "tool_name": "Bash",
    "tool_input": {"command": "echo boom-okapi; exit 3"},
    "tool_response": "boom-okapi\n",
    "tool_use_id": "call_1",
}
GEMINI = {
    "session_id": "a1585743",
    "transcript_path": "/home/dev/.gemini/tmp/work/chats/session.jsonl",
    "cwd": "/home/dev/work",
    "hook_event_name": "AfterTool",
    "timestamp": "2026-11-15T20:28:18.987Z",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "echo boom-okapi; exit 3", "description": "one command"},
    "tool_response": {
        "llmContent": "<untrusted_context>\nOutput: boom-okapi\nExit Code: 3\nProcess Group PGID: 26167\n"
        "</untrusted_context>",
        "returnDisplay": "boom-okapi",
    },
}
KIMI = {
    "hook_event_name": "PostToolUseFailure",
    "session_id": "session_6100d29b",
    "cwd": "/home/dev/work",
    "client_type": "kimi_code_cli",
    "tool_name": "Bash",
    "tool_input": {"command": "echo boom-okapi; exit 3", "description": "one command"},
    "tool_call_id": "call_1",
    "error": {
        "code": "internal",
        "message": "boom-okapi\nCommand failed with exit code: 3.",
        "retryable": False,
    },
}
OPENCODE = {
    "hook_event_name": "PostToolUse",
    "session_id": "ses_1",
    "tool_use_id": "call_1",
    "cwd": "/home/dev/work",
    "tool_name": "bash",
    "tool_input": {"command": "echo boom-okapi; exit 3", "description": "one command"},
    "tool_response": "boom-okapi\n",
    "exit_code": 3,
}
COPILOT = {
    "hook_event_name": "PostToolUse",
    "session_id": "83454e86",
    "timestamp": "2026-11-15T20:53:29.755Z",
    "cwd": "/home/dev/work",
    "tool_name": "Bash",
    "tool_input": {"command": "echo boom-okapi; exit 3", "description": "one command"},
    "tool_result": {
        "result_type": "success",
        "text_result_for_llm": "boom-okapi\n<shellId: 0 completed with exit code 3>",
    },
}
CODEX_ITEM = {
    "timestamp": "2026-11-15T20:28:06.394Z",
    "ordinal": 11,
    "type": "event_msg",
    "payload": {
        "type": "item_completed",
        "thread_id": "01a1e0e5",
        "item": {
            "type": "CommandExecution",
            "id": "call_1",
            "command": ["/bin/bash", "-lc", "echo boom-okapi; exit 3"],
            "status": "failed",
            "aggregated_output": "boom-okapi\n",
            "exit_code": 3,
            "duration": {"secs": 4, "nanos": 250_000_000},
        },
    },
}
"""The line of Codex's session file that knows the exit code when the hook is started."""


def claude(**response: object) -> dict[str, object]:
    return {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": response}


def claude_error(error: str) -> dict[str, object]:
    return {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": error}


def gemini(text: str, shown: str) -> dict[str, object]:
    framed = f"<untrusted_context>\n{text}\n</untrusted_context>"
    response = {"llmContent": framed, "returnDisplay": shown}
    return {
        "hook_event_name": "AfterTool",
        "tool_name": "run_shell_command",
        "tool_response": response,
    }


def opencode(text: str, code: int | None) -> dict[str, object]:
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "bash",
        "tool_response": text,
        "exit_code": code,
    }


def copilot(text: str) -> dict[str, object]:
    result = {"result_type": "success", "text_result_for_llm": text}
    return {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_result": result}


def kimi(text: str) -> dict[str, object]:
    return {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_output": text}


def kimi_error(text: str) -> dict[str, object]:
    error = {"code": "internal", "message": text, "retryable": False}
    return {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": error}


LIES = "one\nExit Code: 7\nexit code: 9"
SLOW = "shell tool terminated command after exceeding timeout 1500 ms. If this command is expected to"
TASK = "task_id: bash-ynyh5u7l\npid: 12915\ndescription: one\nstatus: running\nautomatic_notification: true"
ENDINGS = [
    (
        "claude-code",
        "worked",
        claude(stdout="fine\nwarn", stderr="", interrupted=False),
        "fine\nwarn",
        0,
        False,
    ),
    ("claude-code", "lies", claude(stdout=LIES, stderr=""), LIES, 0, False),
    ("claude-code", "failed", claude_error("Exit code 3\nboom-okapi"), "boom-okapi", 3, True),
    ("claude-code", "silent", claude_error("Exit code 6"), "", 6, True),
    ("claude-code", "grep", claude(stdout="", returnCodeInterpretation="No matches found"), "", None, None),
    (
        "claude-code",
        "too slow",
        claude(stdout="begin", backgroundTaskId="b8", timedOutAfterMs=1500),
        "begin",
        None,
        None,
    ),
    ("claude-code", "background", claude(stdout="", stderr="", backgroundTaskId="bo8"), "", None, None),
    ("claude-code", "interrupted", claude(stdout="half", interrupted=True), "half", None, None),
    ("claude-code", "interrupted early", {**claude_error("No."), "is_interrupt": True}, "No.", None, None),
    ("codex", "worked", {**CODEX, "tool_response": LIES}, LIES, None, None),
    (
        "gemini",
        "worked",
        gemini("Output: fine\nwarn\nProcess Group PGID: 8116", "fine\nwarn"),
        "fine\nwarn",
        0,
        False,
    ),
    ("gemini", "lies", gemini(f"Output: {LIES}\nProcess Group PGID: 8266", LIES), LIES, 0, False),
    (
        "gemini",
        "failed",
        gemini("Output: boom-okapi\nExit Code: 3\nProcess Group PGID: 8178", "boom-okapi"),
        "boom-okapi",
        3,
        True,
    ),
    (
        "gemini",
        "silent",
        gemini("Output: (empty)\nExit Code: 6\nProcess Group PGID: 8379", "Command exited with code: 6"),
        "",
        6,
        True,
    ),
    (
        "gemini",
        "killed",
        gemini("Output: (empty)\nSignal: 9\nProcess Group PGID: 8338", "Command terminated by signal: 9"),
        "",
        137,
        True,
    ),
    (
        "gemini",
        "background",
        gemini("Command moved to background (PID: 8486). Output hidden.", "Command moved"),
        "Command moved to background (PID: 8486). Output hidden.",
        None,
        None,
    ),
    ("opencode", "worked", opencode("fine\nwarn\n", 0), "fine\nwarn\n", 0, False),
    ("opencode", "silent", opencode("(no output)", 6), "", 6, True),
    (
        "opencode",
        "too slow",
        opencode(f"begin\n\n\n<shell_metadata>\n{SLOW}\n</shell_metadata>", None),
        "begin\n",
        None,
        True,
    ),
    (
        "copilot",
        "worked",
        copilot("fine\nwarn\n<shellId: 0 completed with exit code 0>"),
        "fine\nwarn",
        0,
        False,
    ),
    ("copilot", "lies", copilot(f"{LIES}\n<shellId: 3 completed with exit code 0>"), LIES, 0, False),
    ("copilot", "silent", copilot("\n<shellId: 2 completed with exit code 1>"), "", 1, True),
    (
        "copilot",
        "background",
        copilot("<command started in background with shellId: 10>"),
        "<command started in background with shellId: 10>",
        None,
        None,
    ),
    ("copilot", "refused", claude_error("Command not executed."), "Command not executed.", None, True),
    ("kimi", "worked", kimi(LIES), LIES, 0, False),
    ("kimi", "failed", kimi_error("boom-okapi\nCommand failed with exit code: 3."), "boom-okapi", 3, True),
    (
        "kimi",
        "silent",
        kimi_error("Process exited with code 6\nCommand failed with exit code: 6."),
        "",
        6,
        True,
    ),
    ("kimi", "background", kimi(TASK), TASK, None, None),
]
"""Client, what happened, payload; then output, exit code and failure as they should be read."""
