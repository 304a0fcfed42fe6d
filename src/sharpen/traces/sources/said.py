"""One message of a conversation, whatever dialect it is written in.

Chat messages (`content`, `tool_calls`, `tool_call_id`), GenAI messages (`parts`), ShareGPT turns (`from`,
`value`) and the older `function_call` all come out as who spoke, the words, the thoughts, the calls and the
results. It knows messages, not the files and spans they stand in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sharpen.traces.lines import Loose, arguments_of, parsed, text_of

Role = Literal["user", "agent", "system", "tool"]

_ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "gpt": "agent",
    "assistant": "agent",
    "model": "agent",
    "ai": "agent",
    "bot": "agent",
    "chatgpt": "agent",
    "bing": "agent",
    "bard": "agent",
    "function_call": "agent",
    "function-call": "agent",
    "tool_call": "agent",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "observation": "tool",
    "tool_response": "tool",
    "function_response": "tool",
    "function-response": "tool",
}
_CALLERS = ("function_call", "function-call", "tool_call")
"""Speakers whose words are a call."""
_CALLS = ("tool_call", "tool_use", "function_call", "toolCall")
_RESULTS = ("tool_call_response", "tool_result", "function_call_output", "function_response")
_THOUGHTS = ("reasoning", "thinking")


@dataclass(frozen=True)
class Call:
    """A call in a message; an empty `name` has none."""

    name: str
    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Said:
    """One message."""

    role: Role
    words: str = ""
    thoughts: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    """Which call, where the message says so, and what came back."""

    @property
    def mark(self) -> tuple[object, ...]:
        """By what the message is known again where a later record repeats it in another spelling."""
        if self.calls:
            return ("calls", *(call.name or (call.tool, _json(call.arguments)) for call in self.calls))
        if self.results:
            return ("results", *(name or text for name, text in self.results))
        return (self.role, self.words.strip())


def role_of(message: Loose) -> Role | None:
    """Who speaks; None where nobody that is known does."""
    return _ROLES.get(_speaker(message).lower())


def said_in(message: Loose) -> Said | None:
    """The message in one shape; None for what is no message."""
    role = role_of(message)
    if role is None:
        return None
    value = message.at("content") or message.at("value") or message.at("text")
    if _speaker(message).lower() in _CALLERS:
        return Said("agent", calls=tuple(calls_in_words(text_of(value))))
    parts = message.items("parts") or value.items()
    words = text_of(value) if isinstance(value.value, str) else _words(parts)
    if not isinstance(value.value, (str, list)) and value:
        words = _json(value.value)
    words = words or message.text("refusal")
    results = tuple(
        (part.text("id") or part.text("tool_call_id") or part.text("tool_use_id"), _result(part))
        for part in parts
        if part.text("type") in _RESULTS
    )
    if role == "tool" and not results:
        name = message.text("tool_call_id") or message.text("call_id")
        results, words = ((name, words),), ""
    thoughts = message.text("reasoning_content") or message.text("reasoning") or message.text("thinking")
    return Said(role, words, thoughts or _thoughts(parts), tuple(_calls(message, parts)), results)


def _speaker(message: Loose) -> str:
    return message.text("role") or message.text("from") or message.text("speaker")


def _calls(message: Loose, parts: list[Loose]) -> Iterator[Call]:
    listed = message.at("tool_calls")
    older = message.at("function_call")
    found = Loose(parsed(listed.value)) if isinstance(listed.value, str) else listed
    yield from (_call(call) for call in found.items())
    yield from (_call(part) for part in parts if part.text("type") in _CALLS)
    if older:
        yield _call(older)


def _call(call: Loose) -> Call:
    function = call.at("function") if isinstance(call.at("function").value, dict) else call
    names = ("arguments", "input", "args", "parameters")
    given = next((found for name in names if (found := function.at(name))), Loose({}))
    tool = function.text("name") or call.text("function") or call.text("tool_name")
    return Call(call.text("id") or call.text("call_id"), tool, arguments_of(given))


def calls_in_words(words: str) -> Iterator[Call]:
    """ShareGPT writes a call as JSON in the turn's words: `{name, arguments}`, or a list of those."""
    value = parsed(words)
    for item in value if isinstance(value, list) else [value]:
        call = Loose(item)
        if call.text("name") and {"arguments", "parameters"} & set(call.mapping()):
            yield _call(call)
        else:
            yield Call("", "tool", arguments_of(Loose(item if isinstance(item, dict) else words)))


def _words(parts: list[Loose]) -> str:
    kinds = (*_CALLS, *_RESULTS, *_THOUGHTS)
    said = (text_of(Loose([part.value])) for part in parts if part.text("type") not in kinds)
    return "\n".join(words for words in said if words)


def _thoughts(parts: list[Loose]) -> str:
    found = (
        part.text("content") or part.text("reasoning") or part.text("thinking") or part.text("text")
        for part in parts
        if part.text("type") in _THOUGHTS
    )
    return "\n".join(thought for thought in found if thought)


def _result(part: Loose) -> str:
    for name in ("response", "result", "output", "content"):
        if found := part.at(name):
            return text_of(found) or _json(found.value)
    return ""


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
