"""Taking a server's JSON apart without trusting its shape.

Each function says where it was looking when the shape was wrong, because that sentence is all a user sees of
a broken server. Missing optional fields are empty; fields of the wrong type are `GarbledError`.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from sharpen.models.messages import ToolCall
from sharpen.types import Json

T = TypeVar("T")


class GarbledError(ValueError):
    """An answer that decodes as JSON but is not an answer of this protocol."""


def field(value: Json, name: str, kind: type[T]) -> T:
    """A field that must be there, of this type."""
    found = value.get(name)
    if not isinstance(found, kind):
        raise GarbledError(f"{name!r} should be a {kind.__name__}, got {type(found).__name__}")
    return found


def items(value: Json, name: str) -> list[dict[str, Any]]:
    """A list of objects; empty where it is missing or null."""
    found = value.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise GarbledError(f"{name!r} should be a list of objects")
    return found


def part(value: Json, name: str) -> dict[str, Any]:
    """An object; empty where it is missing or null."""
    found = value.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise GarbledError(f"{name!r} should be an object, got {type(found).__name__}")
    return found


def text(value: Json, name: str) -> str:
    """A string; empty where it is missing or null."""
    found = value.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise GarbledError(f"{name!r} should be a string, got {type(found).__name__}")
    return found


def count(value: Json, name: str) -> int:
    """A number of tokens; zero where it is missing."""
    found = value.get(name)
    if found is None:
        return 0
    if not isinstance(found, int) or found < 0:
        raise GarbledError(f"{name!r} should be a number of tokens, got {found!r}")
    return found


def tool_call(call_id: str, name: str, arguments: object) -> ToolCall:
    """A tool call whose arguments may be JSON text that a model got wrong."""
    if isinstance(arguments, dict):
        return ToolCall(call_id, name, arguments)
    spelled = arguments if isinstance(arguments, str) else json.dumps(arguments)
    try:
        parsed = json.loads(spelled or "{}")
    except ValueError as error:
        return ToolCall(call_id, name, {}, spelled, f"the arguments are not JSON: {error}")
    if not isinstance(parsed, dict):
        return ToolCall(call_id, name, {}, spelled, "the arguments are JSON but not an object")
    return ToolCall(call_id, name, parsed)
