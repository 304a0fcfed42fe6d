"""The four protocols: requests read into an `Ask`, replies written as server-sent events or whole.

Only what real clients need: OpenAI chat completions (streamed or not, as the request asks), OpenAI Responses,
Anthropic Messages and Gemini's generateContent. Usage is billed the way each provider bills it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from .script import Ask, Bill, Call, Reply, Say

Body = dict[str, Any]
WHOLE = ("chat-whole", "gemini-whole")
"""Protocols whose answer is one JSON object."""


def wire_of(path: str) -> str | None:
    """The protocol a path belongs to; None for anything that is not a model request."""
    path = path.partition("?")[0]
    endings = {
        "/chat/completions": "chat",
        "/responses": "responses",
        "/messages": "messages",
        ":streamGenerateContent": "gemini",
        ":generateContent": "gemini-whole",
    }
    return next((wire for ending, wire in endings.items() if path.endswith(ending)), None)


def read(wire: str, path: str, body: Body) -> Ask:
    readers = {"chat": _read_chat, "responses": _read_responses, "messages": _read_messages}
    if wire in readers:
        model, (user, tools, results) = str(body.get("model")), readers[wire](body)
    else:
        model, (user, tools, results) = (
            path.rpartition("/models/")[2].partition(":")[0],
            _read_gemini(body),
        )
    if wire == "chat" and not body.get("stream"):
        wire = "chat-whole"
    text = json.dumps(body, ensure_ascii=False)
    return Ask(wire, model, text, user, tuple(tools), tuple(results))


def write(ask: Ask, reply: Reply, bill: Bill, *, number: int) -> bytes:
    """The response's body in the protocol of the request."""
    if ask.wire == "gemini-whole":
        return json.dumps(_gemini_answer(reply, bill)).encode()
    if ask.wire == "chat-whole":
        return json.dumps(_chat_answer(ask.model, reply, bill, number)).encode()
    writers = {
        "chat": _write_chat,
        "responses": _write_responses,
        "messages": _write_messages,
        "gemini": _write_gemini,
    }
    return b"".join(writers[ask.wire](ask.model, reply, bill, number))


Parts = tuple[str, list[str], list[str]]


def _read_chat(body: Body) -> Parts:
    said = [_flat(m.get("content")) for m in body["messages"] if m["role"] == "user"]
    results = [_flat(m.get("content")) for m in body["messages"] if m["role"] == "tool"]
    return "\n".join(said), [tool["function"]["name"] for tool in body.get("tools") or []], results


def _read_responses(body: Body) -> Parts:
    items = body["input"]
    said = [_flat(i.get("content")) for i in items if i.get("role") == "user"]
    results = [_flat(i.get("output")) for i in items if i.get("type") == "function_call_output"]
    return "\n".join(said), [str(tool.get("name")) for tool in body.get("tools") or []], results


def _read_messages(body: Body) -> Parts:
    blocks = [b for m in body["messages"] if m["role"] == "user" for b in _blocks(m["content"])]
    said = [str(b.get("text")) for b in blocks if b["type"] == "text"]
    results = [_flat(b.get("content")) for b in blocks if b["type"] == "tool_result"]
    return "\n".join(said), [tool["name"] for tool in body.get("tools") or []], results


def _read_gemini(body: Body) -> Parts:
    parts = [p for c in body["contents"] if c.get("role") == "user" for p in c["parts"]]
    results = [json.dumps(p["functionResponse"]["response"]) for p in parts if "functionResponse" in p]
    tools = [f["name"] for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []]
    return "\n".join(p["text"] for p in parts if "text" in p), tools, results


def _blocks(content: Any) -> list[Body]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _flat(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or [])


def _event(data: object, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _write_chat(model: str, reply: Reply, bill: Bill, number: int) -> Iterator[bytes]:
    head = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: Body, finish: str | None = None) -> bytes:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    if isinstance(reply, Say):
        yield chunk({"role": "assistant", "content": reply.text})
        yield chunk({}, "stop")
    else:
        call = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        tool = {"index": 0, "id": f"call_{number}", "type": "function", "function": call}
        yield chunk({"role": "assistant", "content": None, "tool_calls": [tool]})
        yield chunk({}, "tool_calls")
    yield _event({**head, "choices": [], "usage": _chat_usage(bill)})
    yield b"data: [DONE]\n\n"


def _chat_answer(model: str, reply: Reply, bill: Bill, number: int) -> Body:
    message: Body = {"role": "assistant", "content": reply.text if isinstance(reply, Say) else None}
    if isinstance(reply, Call):
        call = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": call}]
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "stop" if isinstance(reply, Say) else "tool_calls",
    }
    head = {"id": f"chat_{number}", "object": "chat.completion", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": _chat_usage(bill)}


def _chat_usage(bill: Bill) -> Body:
    return {
        "prompt_tokens": bill.prompt,
        "completion_tokens": bill.completion,
        "total_tokens": bill.prompt + bill.completion,
        "prompt_tokens_details": {"cached_tokens": bill.cached},
    }


def _write_responses(model: str, reply: Reply, bill: Bill, number: int) -> Iterator[bytes]:
    response: Body = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": model}
    usage = {
        "input_tokens": bill.prompt,
        "input_tokens_details": {"cached_tokens": bill.cached},
        "output_tokens": bill.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": bill.prompt + bill.completion,
    }
    opened, pieces, item = _spoken(reply, number) if isinstance(reply, Say) else _called(reply, number)
    place: Body = {"output_index": 0, "item_id": item["id"]}
    events: list[Body] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": opened},
        *({**place, **piece} for piece in pieces),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    for order, event in enumerate([*events, {"type": "response.completed", "response": done}]):
        yield _event({**event, "sequence_number": order}, event["type"])


def _spoken(reply: Say, number: int) -> tuple[Body, list[Body], Body]:
    """A message of the Responses protocol: as it opens, in pieces, and whole."""
    head: Body = {"type": "message", "role": "assistant", "id": f"msg_{number}"}
    part: Body = {"type": "output_text", "text": reply.text, "annotations": []}
    empty = {**part, "text": ""}
    pieces: list[Body] = [
        {"type": "response.content_part.added", "content_index": 0, "part": empty},
        {"type": "response.output_text.delta", "content_index": 0, "delta": reply.text},
        {"type": "response.output_text.done", "content_index": 0, "text": reply.text},
        {"type": "response.content_part.done", "content_index": 0, "part": part},
    ]
    opened = {**head, "status": "in_progress", "content": []}
    return opened, pieces, {**head, "status": "completed", "content": [part]}


def _called(reply: Call, number: int) -> tuple[Body, list[Body], Body]:
    """A tool call of the Responses protocol: as it opens, in pieces, and whole."""
    head: Body = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
    head["name"] = reply.tool
    arguments = json.dumps(reply.arguments)
    pieces: list[Body] = [
        {"type": "response.function_call_arguments.delta", "delta": arguments},
        {"type": "response.function_call_arguments.done", "arguments": arguments},
    ]
    opened = {**head, "status": "in_progress", "arguments": ""}
    return opened, pieces, {**head, "status": "completed", "arguments": arguments}


def _write_messages(model: str, reply: Reply, bill: Bill, number: int) -> Iterator[bytes]:
    usage = {
        "input_tokens": bill.prompt - bill.cached,
        "cache_read_input_tokens": bill.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    block: Body
    if isinstance(reply, Say):
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}
    else:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": reply.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    stop = "tool_use" if isinstance(reply, Call) else "end_turn"
    events: Iterable[Body] = (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": bill.completion},
        },
        {"type": "message_stop"},
    )
    for event in events:
        yield _event(event, event["type"])


def _write_gemini(model: str, reply: Reply, bill: Bill, number: int) -> Iterator[bytes]:
    yield _event({**_gemini_answer(reply, bill), "modelVersion": model, "responseId": f"gem_{number}"})


def _gemini_answer(reply: Reply, bill: Bill) -> Body:
    part: Body
    if isinstance(reply, Say):
        part = {"text": reply.text}
    else:
        part = {"functionCall": {"name": reply.tool, "args": reply.arguments}}
    usage = {
        "promptTokenCount": bill.prompt,
        "cachedContentTokenCount": bill.cached,
        "candidatesTokenCount": bill.completion,
        "totalTokenCount": bill.prompt + bill.completion,
    }
    content = {"role": "model", "parts": [part]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
    }
