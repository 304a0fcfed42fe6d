"""Gemini's generateContent. The payload is in the words of Google's SDK; the answer is the wire's own JSON.

Tool answers name the function, not the call, so names are looked up in the turns before. Signatures of
thoughts must go back with the calls they belong to, so such turns travel in the message's `parts`.
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

_FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY")
_FINISHES: Mapping[str, Finish] = {"MAX_TOKENS": "length", **dict.fromkeys(_FILTERS, "filter")}


@dataclass(frozen=True)
class Generate:
    """`extra_body` goes into the SDK's configuration, in its own words."""

    spelling: Spelling
    path: str = "generateContent"
    tells_length: bool = True

    def payload(self, request: Request, seed: int | None) -> Body:
        spelling = self.spelling
        config = given(
            max_output_tokens=spelling.length(request),
            system_instruction=request.system,
            temperature=spelling.warmth(request),
            seed=seed,
            stop_sequences=list(request.stop),
            tools=[{"function_declarations": [_tool(tool) for tool in request.tools]}]
            if request.tools
            else None,
            response_mime_type=None if request.schema is None else "application/json",
            response_json_schema=request.schema,
            thinking_config=self._thinking(),
        )
        return {
            "model": spelling.model,
            "contents": _contents(request.messages),
            "config": merged(config, spelling.extra_body),
        }

    def _thinking(self) -> Json | None:
        thinking = self.spelling.thinking
        if thinking is None:
            return None
        if isinstance(thinking, str):
            return {"thinking_level": thinking}
        if isinstance(thinking, bool):
            return {"thinking_budget": -1 if thinking else 0}
        return {"thinking_budget": thinking}

    def completion(self, body: Json, price: Price | None) -> Completion:
        usage, model = usage_of(_tokens(body), price), text(body, "modelVersion")
        candidates = items(body, "candidates")
        if not candidates:
            if text(part(body, "promptFeedback"), "blockReason"):
                return Completion("", (), usage, "filter", model)
            raise GarbledError("there is no candidate in the answer")
        pieces = items(part(candidates[0], "content"), "parts")
        calls = tuple(
            tool_call(
                text(part(piece, "functionCall"), "id") or f"call_{index}",
                text(part(piece, "functionCall"), "name"),
                part(part(piece, "functionCall"), "args"),
            )
            for index, piece in enumerate(pieces)
            if "functionCall" in piece
        )
        spoken = "".join(text(piece, "text") for piece in pieces if not piece.get("thought"))
        parts = tuple(pieces) if any("thoughtSignature" in piece for piece in pieces) else ()
        finish = _FINISHES.get(text(candidates[0], "finishReason"), "tools" if calls else "stop")
        return Completion(spoken, calls, usage, finish, model, parts)


def _tokens(body: Json) -> Tokens:
    """Thoughts are billed as output and counted apart."""
    usage = part(body, "usageMetadata")
    output = count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount")
    return Tokens(count(usage, "promptTokenCount"), output, count(usage, "cachedContentTokenCount"))


def _contents(messages: Sequence[Message]) -> list[Json]:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    turns: list[tuple[str, list[Json]]] = []
    for message in messages:
        role = "model" if message.role == "assistant" else "user"
        if turns and turns[-1][0] == role == "user":
            turns[-1][1].extend(_parts(message, names))
        else:
            turns.append((role, _parts(message, names)))
    return [{"role": role, "parts": parts} for role, parts in turns]


def _parts(message: Message, names: Mapping[str, str]) -> list[Json]:
    if message.role == "tool":
        answer = {"name": names.get(message.tool_call_id, "tool"), "response": {"result": message.text}}
        return [{"function_response": answer}]
    if message.parts:
        return list(message.parts)
    pictures: list[Json] = [
        {"inline_data": {"mime_type": image.media_type, "data": image.base64}} for image in message.images
    ]
    calls: list[Json] = [
        {"function_call": {"name": call.name, "args": call.arguments}} for call in message.tool_calls
    ]
    words: list[Json] = [{"text": message.text}] if message.text or not (pictures or calls) else []
    return [*pictures, *words, *calls]


def _tool(tool: ToolSpec) -> Body:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters_json_schema": tool.parameters,
    }
