"""Good answers and error answers in the words of each protocol, enough for the real SDKs.

OpenAI chat and Responses, Anthropic Messages, Gemini generateContent. The text comes from the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Body = dict[str, Any]


def protocol_of(path: str) -> str:
    for ending, name in (
        ("/chat/completions", "chat"),
        ("/responses", "responses"),
        ("/messages", "messages"),
        (":generateContent", "gemini"),
        ("/models", "models"),
    ):
        if path.endswith(ending):
            return name
    return "unknown"


def last_text(protocol: str, body: Mapping[str, Any]) -> str:
    """The text of the last message, whatever the protocol."""
    turns = body.get(
        {"chat": "messages", "messages": "messages", "responses": "input"}.get(protocol, "contents"), []
    )
    content = (turns[-1].get("content") or turns[-1].get("parts") or "") if turns else ""
    if isinstance(content, str):
        return content
    return "".join(piece.get("text", "") for piece in content)


def answer(protocol: str, model: str, text: str) -> Body:
    return _ANSWERS.get(protocol, _models)(model, text, max(1, len(text.split())))


def _chat(model: str, text: str, words: int) -> Body:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 7, "completion_tokens": words, "total_tokens": 7 + words},
    }


def _responses(model: str, text: str, words: int) -> Body:
    piece = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [piece]}
    return {
        "id": "r1",
        "object": "response",
        "created_at": 0,
        "model": model,
        "status": "completed",
        "output": [message],
        "usage": {"input_tokens": 7, "output_tokens": words, "total_tokens": 7 + words},
    }


def _messages(model: str, text: str, words: int) -> Body:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": 7, "output_tokens": words},
    }


def _gemini(model: str, text: str, words: int) -> Body:
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": words, "totalTokenCount": 7 + words},
        "modelVersion": model,
    }


def _models(model: str, text: str, words: int) -> Body:
    names = ("gpt-5-mini", "claude-haiku-4-5", "gemini-2.5-flash")
    return {
        "data": [{"id": name, "object": "model"} for name in names],
        "models": [{"name": f"models/{name}"} for name in names],
    }


_ANSWERS = {"chat": _chat, "responses": _responses, "messages": _messages, "gemini": _gemini}


def error(protocol: str, status: int, message: str, code: str | None) -> Body:
    if protocol == "messages":
        return {"type": "error", "error": {"type": code or "api_error", "message": message}}
    if protocol == "gemini":
        return {"error": {"code": status, "message": message, "status": code or "UNKNOWN"}}
    return {"error": {"message": message, "type": "server_error", "param": None, "code": code}}
