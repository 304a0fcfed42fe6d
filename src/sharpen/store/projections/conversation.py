"""A trajectory as SkillOpt's `conversation.json`: a list of things said and of tools called.

ATIF steps become `{"role", "content"}` and `{"type": "tool_call", "cmd", "obs"}`. Any other JSON is passed
through as it is. The store lies below the room that knows ATIF, so its fields are read here as plain JSON,
leniently: the files explain a run to a person and are never read back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sharpen.types import Json

ROLES = {"agent": "assistant"}  # who SkillOpt says it was; the others have the same name there
COMMANDS = ("command", "cmd", "code")
"""Arguments that are the whole of a tool call to a reader."""


def conversation_of(trajectory: Json) -> object:
    """SkillOpt's list for an ATIF trajectory; the trajectory itself for anything else."""
    steps = trajectory.get("steps")
    is_atif = str(trajectory.get("schema_version", "")).startswith("ATIF")
    if not is_atif or not isinstance(steps, list):
        return trajectory
    return [item for step in steps if isinstance(step, Mapping) for item in _items(step)]


def _items(step: Json) -> Iterator[dict[str, Any]]:
    source = str(step.get("source", ""))
    said = _text(step.get("message"))
    if said or source != "agent":
        yield {"role": ROLES.get(source, source), "content": said}
    results = (step.get("observation") or {}).get("results") or []
    for call in step.get("tool_calls") or ():
        own = [one for one in results if one.get("source_call_id") == call.get("tool_call_id")]
        yield _call(_command(call), own)
    unclaimed = [one for one in results if one.get("source_call_id") is None]
    if unclaimed:
        yield _call("", unclaimed)


def _call(command: str, results: list[Json]) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "cmd": command,
        "obs": "\n".join(_text(one.get("content")) for one in results),
    }


def _command(call: Json) -> str:
    arguments = call.get("arguments") or {}
    for name in COMMANDS:
        if isinstance(arguments.get(name), str):
            return str(arguments[name])
    return f"{call.get('function_name', '')} {json.dumps(arguments, ensure_ascii=False)}"


def _text(content: object) -> str:
    """Text, or the texts of content parts with the kind of every other part in their place."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping)]
        return "\n".join(str(part.get("text") or f"[{part.get('type')}]") for part in parts)
    return content if isinstance(content, str) else ""
