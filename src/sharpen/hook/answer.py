"""What each client wants to read on standard output for a text to reach its model.

Kimi starts its hooks after a tool call without waiting for them, so a text for it is held until the next
prompt is sent, where it does listen. OpenCode has no hook commands; the plugin that `install` writes for it
speaks Claude Code's format.
"""

from __future__ import annotations

from sharpen.hook.quick_json import dumps

CLIENTS = ("claude-code", "codex", "gemini", "opencode", "kimi", "copilot")
"""The clients that can start this process."""
HOLDS = ("kimi",)
LONGEST = 8_000
"""Characters of one answer; Claude Code takes 10,000, Codex moves more than 2,500 tokens to a file."""


def framed(rule: dict[str, object]) -> str:
    """A rule's text as a statement of fact with its source: orders from a hook look like an injection."""
    return f"Known from earlier sessions ({rule.get('skill')}, rule {rule.get('id')}): {rule.get('say')}"


def answer(client: str, event_name: str, texts: list[str]) -> str:
    """The output that puts these texts before the model."""
    said = "\n".join(texts)[:LONGEST]
    if client in HOLDS:
        return said
    if client == "copilot":
        return dumps({"additionalContext": said})
    return dumps({"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": said}})
