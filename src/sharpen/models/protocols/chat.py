"""OpenAI's Chat Completions, the protocol that nearly every server speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sharpen.models.completion import Completion, Finish
from sharpen.models.messages import Message, Request, ToolSpec
from sharpen.models.prices import Price, Tokens, usage_of
from sharpen.models.protocols.reading import GarbledError, count, field, items, part, text, tool_call
from sharpen.models.protocols.spelling import Body, Spelling, chat_format, given, merged, refuse_thinking
from sharpen.types import Json

_FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "filter",
}


@dataclass(frozen=True)
class Chat:
    """`max_completion_tokens` is OpenAI's name for the limit; other servers know it as `max_tokens`."""

    spelling: Spelling
    path: str = "/chat/completions"
    tells_length: bool = True

    def __post_init__(self) -> None:
        self._thinking()

    def payload(self, request: Request, seed: int | None) -> Body:
        spelling = self.spelling
        limit = "max_completion_tokens" if spelling.dialect == "own" else "max_tokens"
        system = [{"role": "system", "content": request.system}] if request.system else []
        body: Body = {
            "model": spelling.model,
            "messages": [*system, *(_message(message) for message in request.messages)],
            limit: spelling.length(request),
        }
        body |= given(
            temperature=spelling.warmth(request),
            seed=seed,
            stop=list(request.stop),
            tools=[_tool(tool) for tool in request.tools],
            response_format=chat_format(request.schema),
        )
        return merged(body | self._thinking(), spelling.extra_body)

    def _thinking(self) -> Body:
        """Qwen and its like switch thinking in the chat template; OpenAI's models take an effort."""
        thinking, dialect = self.spelling.thinking, self.spelling.dialect
        template = dict(self.spelling.chat_template)
        body: Body = {}
        if isinstance(thinking, str):
            body["reasoning_effort"] = thinking
        elif isinstance(thinking, bool) and dialect == "compatible":
            template["enable_thinking"] = thinking
        elif isinstance(thinking, bool) and dialect == "dashscope":
            body["enable_thinking"] = thinking
        elif isinstance(thinking, int) and not isinstance(thinking, bool) and dialect == "dashscope":
            body |= {"enable_thinking": True, "thinking_budget": thinking}
        elif thinking is not None:
            raise refuse_thinking(
                thinking,
                "the chat protocol here",
                "give an effort ('low'), or True or False to a Qwen-like server",
            )
        return body | ({"chat_template_kwargs": template} if template else {})

    def completion(self, body: Json, price: Price | None) -> Completion:
        choices = items(body, "choices")
        if not choices:
            raise GarbledError("there is no choice in the answer")
        message = field(choices[0], "message", dict)
        calls = tuple(
            tool_call(
                text(call, "id") or f"call_{index}",
                text(part(call, "function"), "name"),
                part(call, "function").get("arguments", ""),
            )
            for index, call in enumerate(items(message, "tool_calls"))
        )
        finish = _FINISHES.get(text(choices[0], "finish_reason"), "tools" if calls else "stop")
        return Completion(
            _content(message), calls, usage_of(_tokens(body), price), finish, text(body, "model")
        )


def _content(message: Json) -> str:
    """The text, given as a string or in pieces; a refusal where there is no other."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(text(piece, "text") for piece in items(message, "content"))
    return text(message, "content") or text(message, "refusal")


def _tokens(body: Json) -> Tokens:
    usage = part(body, "usage")
    cached = count(part(usage, "prompt_tokens_details"), "cached_tokens")
    return Tokens(count(usage, "prompt_tokens"), count(usage, "completion_tokens"), cached)


def _message(message: Message) -> Body:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    if message.role == "assistant":
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.text or json.dumps(call.arguments)},
            }
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": message.text} | ({"tool_calls": calls} if calls else {})
    if not message.images:
        return {"role": "user", "content": message.text}
    pictures = [{"type": "image_url", "image_url": {"url": image.data_url}} for image in message.images]
    return {"role": "user", "content": [{"type": "text", "text": message.text}, *pictures]}


def _tool(tool: ToolSpec) -> Body:
    return {"type": "function", "function": dict(tool.to_json())}
