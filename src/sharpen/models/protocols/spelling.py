"""What all protocols are given: the model's name and the settings that shape a body.

`thinking` is one setting with four spellings; each protocol says which of them it has, and an impossible one
is an error when the model is opened, not a field that a server ignores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sharpen.errors import SettingsError
from sharpen.models.completion import Completion
from sharpen.models.messages import Request
from sharpen.models.prices import Price
from sharpen.types import Json

Dialect = Literal["own", "compatible", "dashscope"]
Body = dict[str, object]


@dataclass(frozen=True)
class Spelling:
    """`own` is the service that the protocol comes from, `compatible` any other server that speaks it."""

    model: str
    dialect: Dialect = "own"
    temperature: float | None = None
    max_tokens: int | None = None
    thinking: bool | int | str | None = None
    chat_template: Json = field(default_factory=dict)
    extra_body: Json = field(default_factory=dict)

    def warmth(self, request: Request) -> float | None:
        return self.temperature if request.temperature is None else request.temperature

    def length(self, request: Request) -> int:
        return self.max_tokens or request.max_tokens


class Wire(Protocol):
    """One protocol for one model. `tells_length`: does the server say when it cut an answer?"""

    @property
    def path(self) -> str: ...
    @property
    def tells_length(self) -> bool: ...
    def payload(self, request: Request, seed: int | None) -> Body: ...
    def completion(self, body: Json, price: Price | None) -> Completion: ...


def given(**fields: object) -> Body:
    """The fields that have a value."""
    return {
        name: value for name, value in fields.items() if value is not None and value != [] and value != ""
    }


def merged(body: Body, extra: Json) -> Body:
    """The body with the user's fields; an object meets an object field by field."""
    result = dict(body)
    for name, value in extra.items():
        old = result.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[name] = {**old, **value} if both else value  # type: ignore[dict-item]
    return result


def refuse_thinking(value: object, where: str, choices: str) -> SettingsError:
    return SettingsError(f"thinking={value!r} has no meaning for {where}; {choices}")


def is_strict(schema: object) -> bool:
    """Does a schema obey OpenAI's strict mode: every property required, no others allowed?"""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object":
            required, known = schema.get("required", ()), schema.get("properties", {})
            if schema.get("additionalProperties") is not False or set(required) != set(known):
                return False
        return all(is_strict(value) for value in schema.values())
    return all(map(is_strict, schema)) if isinstance(schema, (list, tuple)) else True


def chat_format(schema: Json | None) -> Body | None:
    """The schema in the words of the chat protocol; compatible servers take it so on other paths, too."""
    if schema is None:
        return None
    named = {"name": "answer", "schema": schema} | ({"strict": True} if is_strict(schema) else {})
    return {"type": "json_schema", "json_schema": named}
