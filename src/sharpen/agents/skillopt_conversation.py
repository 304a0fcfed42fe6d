"""SkillOpt's `conversation.json` as a trajectory in ATIF.

It understands the kinds of entries that SkillOpt's own reader does: a tool call with its output, a step of a
world with its feedback, and anything with a role and a content. Entries of other kinds are kept as texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sharpen.traces import Agent, Result, Step, ToolCall, Trajectory, to_json
from sharpen.types import Json


def read_conversation(folder: Path, *, agent: str) -> Json | None:
    """The trajectory in a prediction's folder; None when there is none that can be read."""
    try:
        entries = json.loads((folder / "conversation.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(entries, list) or not entries:
        return None
    steps = tuple(_step(entry, number) for number, entry in enumerate(entries, 1))
    return to_json(Trajectory(agent=Agent(agent, "skillopt"), steps=steps))


def _step(entry: object, number: int) -> Step:
    if not isinstance(entry, Mapping):
        return Step("agent", str(entry))
    if entry.get("type") == "tool_call":
        call = ToolCall(f"call-{number}", "shell", {"cmd": str(entry.get("cmd", ""))})
        return Step(
            "agent",
            tool_calls=(call,),
            results=(Result(str(entry.get("obs", "")), source_call_id=call.tool_call_id),),
        )
    if "action" in entry:
        return Step(
            "agent",
            str(entry["action"]),
            reasoning_content=str(entry["reasoning"]) if entry.get("reasoning") else None,
            results=(Result(str(entry.get("env_feedback", ""))),),
        )
    source = entry.get("role")
    text = entry.get("content", "")
    message = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    if source == "system":
        return Step("system", message)
    return Step("user" if source == "user" else "agent", message)
