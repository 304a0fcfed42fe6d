"""Conversations for training: OpenAI `messages` and ShareGPT `conversations`, one object per line or one
array.

A line is one conversation; an array of bare messages is one conversation, too. Content parts read as their
texts; a `reward` beside the messages is the verdict.
"""

from __future__ import annotations

from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.telling import About, Ending, Sink, Telling

_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
    "function_call": "call",
    "tool_call": "call",
}


def tell(events: Events, sink: Sink, path: Path) -> None:
    bare: Telling | None = None
    for number, event in enumerate(events, 1):
        listed = event.items("messages") or event.items("conversations")
        if listed:
            name = event.text("id") or event.text("conversation_id") or str(number)
            telling = Telling(sink, About("messages", f"{name_of(path)}/{name}", model=event.text("model")))
            for message in listed:
                tell_message(telling, message)
            telling.end(Ending(reward=event.amount("reward")))
        elif event.text("role") in _ROLES:
            bare = bare or Telling(sink, About("messages", name_of(path)))
            tell_message(bare, event)
        else:
            events.unread += 1
    if bare is not None:
        bare.end(Ending())


def tell_message(telling: Telling, message: Loose) -> None:
    """One message of either kind."""
    role = _ROLES.get(message.text("role") or message.text("from"), "")
    text = text_of(message.at("content")) or message.text("value")
    match role:
        case "user":
            telling.turn()
            telling.user(text)
        case "system":
            telling.turn()
            telling.system(text)
        case "assistant":
            telling.turn()
            telling.think(message.text("reasoning_content") or message.text("reasoning"))
            telling.say(text)
            calls = [
                *message.items("tool_calls"),
                *([message.at("function_call")] if message.at("function_call") else []),
            ]
            for call in calls:
                _call(telling, call)
        case "call":
            telling.call("", "tool", arguments_of(Loose(text)))
        case "tool":
            name = message.text("tool_call_id") or telling.last_call
            telling.result(name, text)


def _call(telling: Telling, call: Loose) -> None:
    function = call.at("function") or call
    telling.call(call.text("id"), function.text("name"), arguments_of(function.at("arguments")))


MESSAGES = Format(
    "messages",
    "OpenAI messages and ShareGPT conversations",
    tell,
    lambda first: (
        bool(first.items("messages") or first.items("conversations"))
        or (first.text("role") in _ROLES and "content" in first.mapping())
    ),
)
