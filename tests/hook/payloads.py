"""What the real clients sent to a hook after `echo boom-okapi; exit 3`, folder names aside."""

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
        },
    },
}
"""The line of Codex's session file that knows the exit code when the hook is started."""
