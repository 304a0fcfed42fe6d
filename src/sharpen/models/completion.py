"""What comes back: text, tool calls, what it cost, and why the model stopped.

A completion turns into JSON and back without loss; that JSON is what the store keeps. It can be read as
JSON only when it is whole: an answer cut at its token limit is refused, however well its beginning parses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, cast

from sharpen.models.errors import AnswerError
from sharpen.models.messages import Message, ToolCall
from sharpen.types import Json, Usage

Finish = Literal["stop", "length", "tools", "filter"]

_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
}


@dataclass(frozen=True)
class Completion:
    """One answer. `model` is the name the server gave itself; `parts` go back with `message` if needed."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"
    model: str = ""
    parts: tuple[Json, ...] = ()

    @property
    def truncated(self) -> bool:
        """Cut at the token limit: not the whole answer."""
        return self.finish == "length"

    @property
    def message(self) -> Message:
        """The answer as a turn of the conversation that goes on from it."""
        return Message("assistant", self.text, tool_calls=self.tool_calls, parts=self.parts)

    def json(self, schema: Json | None = None) -> object:
        """The text as JSON, fenced or bare; with a schema, of its type and with its required keys."""
        if self.truncated:
            raise AnswerError(
                f"the answer was cut at {self.usage.output_tokens} output tokens and is not read as JSON;"
                " raise max_tokens"
            )
        fenced = _FENCE.match(self.text)
        try:
            value: object = json.loads(fenced.group(1) if fenced else self.text)
        except ValueError as error:
            raise AnswerError(f"the answer is not JSON: {error}") from None
        if schema is not None:
            _check(value, schema)
        return value

    def to_json(self) -> Json:
        value: dict[str, object] = {
            "text": self.text,
            "finish": self.finish,
            "model": self.model,
            "usage": asdict(self.usage),
        }
        if self.tool_calls:
            value["tool_calls"] = [call.to_json() for call in self.tool_calls]
        if self.parts:
            value["parts"] = list(self.parts)
        return value

    @classmethod
    def from_json(cls, value: Json) -> Completion:
        return cls(
            text=value["text"],
            tool_calls=tuple(ToolCall.from_json(call) for call in value.get("tool_calls", ())),
            usage=Usage(**value["usage"]),
            finish=cast(Finish, value["finish"]),
            model=value["model"],
            parts=tuple(value.get("parts", ())),
        )


def _check(value: object, schema: Json) -> None:
    """Type and required keys of the top level; a server that ignored the schema is caught here."""
    kind = schema.get("type")
    expected = _KINDS.get(kind) if isinstance(kind, str) else None
    if expected is not None and not isinstance(value, expected):
        raise AnswerError(f"the answer is a JSON {type(value).__name__}, but the schema asks for {kind}")
    if isinstance(value, dict):
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing:
            raise AnswerError(f"the answer lacks {', '.join(map(repr, missing))}, which the schema requires")
