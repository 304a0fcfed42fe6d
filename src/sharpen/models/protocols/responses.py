"""OpenAI's Responses. Nothing is stored on the server: the whole conversation goes with every request.

It has no stop sequences and no seed; asking for the former is an error, the latter is a wish that is dropped.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sharpen.models.completion import Completion, Finish
from sharpen.models.errors import ModelError
from sharpen.models.messages import Message, Request, ToolSpec
from sharpen.models.prices import Price, Tokens, usage_of
from sharpen.models.protocols.reading import GarbledError, count, field, items, part, text, tool_call
from sharpen.models.protocols.spelling import (
    Body,
    Spelling,
    chat_format,
    given,
    is_strict,
    merged,
    refuse_thinking,
)
from sharpen.types import Json


@dataclass(frozen=True)
class Responses:
    """Reasoning items come back encrypted and are sent along again, as the service wants without storage."""

    spelling: Spelling
    path: str = "/responses"

    def __post_init__(self) -> None:
        self._thinking()

    @property
    def tells_length(self) -> bool:
        """llama.cpp's server calls a cut answer completed."""
        return self.spelling.dialect == "own"

    def payload(self, request: Request, seed: int | None) -> Body:
        if request.stop:
            raise ModelError('the Responses protocol has no stop sequences; use ModelSettings(api="chat")')
        spelling = self.spelling
        body: Body = {
            "model": spelling.model,
            "input": [item for message in request.messages for item in _items(message)],
            "max_output_tokens": spelling.length(request),
        }
        body |= given(
            instructions=request.system,
            temperature=spelling.warmth(request),
            tools=[_tool(tool) for tool in request.tools],
            text=None if request.schema is None else {"format": _format(request.schema)},
            store=False if spelling.dialect == "own" else None,
            seed=None if spelling.dialect == "own" else seed,
            response_format=None if spelling.dialect == "own" else chat_format(request.schema),
        )
        return merged(body | self._thinking(), spelling.extra_body)

    def _thinking(self) -> Body:
        thinking = self.spelling.thinking
        if thinking is None:
            return {}
        if not isinstance(thinking, str):
            raise refuse_thinking(thinking, "the Responses protocol", "give an effort such as 'low'")
        return {"reasoning": {"effort": thinking}, "include": ["reasoning.encrypted_content"]}

    def completion(self, body: Json, price: Price | None) -> Completion:
        output = items(body, "output")
        if field(body, "status", str) == "failed":
            raise GarbledError(f"the server says it failed: {text(part(body, 'error'), 'message')}")
        pieces = [
            text(piece, "text") or text(piece, "refusal")
            for item in output
            if item.get("type") == "message"
            for piece in items(item, "content")
        ]
        calls = tuple(
            tool_call(text(item, "call_id"), text(item, "name"), item.get("arguments", ""))
            for item in output
            if item.get("type") == "function_call"
        )
        parts = tuple(output) if any(item.get("encrypted_content") for item in output) else ()
        return Completion(
            "".join(pieces),
            calls,
            usage_of(_tokens(body), price),
            _finish(body, calls),
            text(body, "model"),
            parts,
        )


def _finish(body: Json, calls: tuple[object, ...]) -> Finish:
    reason = text(part(body, "incomplete_details"), "reason")
    if reason == "content_filter":
        return "filter"
    if reason or text(body, "status") == "incomplete":
        return "length"
    return "tools" if calls else "stop"


def _tokens(body: Json) -> Tokens:
    usage = part(body, "usage")
    cached = count(part(usage, "input_tokens_details"), "cached_tokens")
    return Tokens(count(usage, "input_tokens"), count(usage, "output_tokens"), cached)


def _items(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": message.text}]
    if message.role == "user":
        words = [{"type": "input_text", "text": message.text}]
        pictures = [{"type": "input_image", "image_url": image.data_url} for image in message.images]
        return [{"role": "user", "content": [*words, *pictures]}]
    if message.parts:
        return list(message.parts)
    calls = [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.text or json.dumps(call.arguments),
        }
        for call in message.tool_calls
    ]
    spoken = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": message.text}],
    }
    return [*([spoken] if message.text or not calls else []), *calls]


def _tool(tool: ToolSpec) -> Body:
    return {"type": "function", "strict": is_strict(tool.parameters), **tool.to_json()}


def _format(schema: Json) -> Body:
    return {"type": "json_schema", "name": "answer", "schema": schema, "strict": is_strict(schema)}
