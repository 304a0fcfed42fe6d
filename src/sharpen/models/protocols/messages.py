"""Anthropic's Messages, spoken by its own API, by Bedrock and Vertex, and by some local servers.

Answers to several tool calls go into one user turn, as the protocol wants. Thinking blocks are signed and
must be sent back as they came, so they travel in the message's `parts`. There is no seed; local servers
take one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sharpen.models.completion import Completion, Finish
from sharpen.models.messages import Message, Request, ToolSpec
from sharpen.models.prices import Price, Tokens, usage_of
from sharpen.models.protocols.reading import GarbledError, count, items, part, text, tool_call
from sharpen.models.protocols.spelling import Body, Spelling, given, merged
from sharpen.types import Json

_FINISHES: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tools",
    "refusal": "filter",
}


@dataclass(frozen=True)
class Messages:
    """One model behind `/v1/messages`."""

    spelling: Spelling
    path: str = "/v1/messages"
    tells_length: bool = True

    def payload(self, request: Request, seed: int | None) -> Body:
        spelling = self.spelling
        body: Body = {
            "model": spelling.model,
            "max_tokens": spelling.length(request),
            "messages": _turns(request.messages),
        }
        body |= given(
            system=request.system,
            temperature=spelling.warmth(request),
            stop_sequences=list(request.stop),
            tools=[_tool(tool) for tool in request.tools],
            output_config=None
            if request.schema is None
            else {"format": {"type": "json_schema", "schema": request.schema}},
            seed=None if spelling.dialect == "own" else seed,
        )
        return merged(merged(body, self._thinking()), spelling.extra_body)

    def _thinking(self) -> Body:
        thinking = self.spelling.thinking
        if thinking is None:
            return {}
        if isinstance(thinking, str):
            return {"output_config": {"effort": thinking}}
        if isinstance(thinking, bool):
            return {"thinking": {"type": "adaptive" if thinking else "disabled"}}
        return {"thinking": {"type": "enabled", "budget_tokens": thinking}}

    def completion(self, body: Json, price: Price | None) -> Completion:
        if not isinstance(body.get("content"), list):
            raise GarbledError("there is no content in the answer")
        blocks = items(body, "content")
        calls = tuple(
            tool_call(text(block, "id"), text(block, "name"), block.get("input", {}))
            for block in blocks
            if block.get("type") == "tool_use"
        )
        spoken = "".join(text(block, "text") for block in blocks if block.get("type") == "text")
        parts = tuple(blocks) if any("signature" in block or "data" in block for block in blocks) else ()
        finish = _FINISHES.get(text(body, "stop_reason"), "tools" if calls else "stop")
        return Completion(spoken, calls, usage_of(_tokens(body), price), finish, text(body, "model"), parts)


def _tokens(body: Json) -> Tokens:
    """The protocol counts fresh, cached and newly cached input apart; all of it is input here."""
    usage = part(body, "usage")
    cached = count(usage, "cache_read_input_tokens")
    written = count(usage, "cache_creation_input_tokens")
    return Tokens(
        count(usage, "input_tokens") + cached + written, count(usage, "output_tokens"), cached, written
    )


def _turns(messages: Sequence[Message]) -> list[Json]:
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1][0] == role == "user":
            turns[-1][1].extend(_blocks(message))
        else:
            turns.append((role, _blocks(message)))
    return [{"role": role, "content": blocks} for role, blocks in turns]


def _blocks(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text}]
    if message.parts:
        return list(message.parts)
    pictures: list[Json] = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": image.media_type, "data": image.base64},
        }
        for image in message.images
    ]
    calls: list[Json] = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in message.tool_calls
    ]
    words: list[Json] = [{"type": "text", "text": message.text}] if message.text else []
    return [*pictures, *words, *calls]


def _tool(tool: ToolSpec) -> Body:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
