"""Conversations for training: OpenAI `messages`, ShareGPT `conversations`, prompts with their completions.

A line is one conversation; an array of bare messages is one conversation, too. Of a preference pair the
chosen answer is told. Calls and thoughts that stand in tags inside the words (`<tool_call>`, `<think>`) are
told as what they are. A `reward` beside the messages is the verdict. Rows without a message that can be read
are counted, and so are rows in which some cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sharpen.traces.lines import Events, Loose, parsed
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.sources.said import Call, Said, calls_in_words, role_of, said_in
from sharpen.traces.telling import About, Ending, Sink, Telling

_LISTS = ("messages", "conversations", "conversation", "conversations_sharegpt")
_PAIRS = (("prompt", "completion"), ("prompt", "chosen"), ("input", "preferred_output"))
_TAGGED_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_TAGGED_RESULT = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_TAGGED_THOUGHT = re.compile(r"\s*<think(?:ing)?>\s*(.*?)\s*</think(?:ing)?>\s*", re.DOTALL)


def tell(events: Events, sink: Sink, path: Path) -> None:
    bare: Telling | None = None
    for number, event in enumerate(events, 1):
        listed = _messages(event)
        said = [message for item in listed if (message := said_in(item))]
        if len(said) < len(listed) or not listed:
            events.unread += not _is_bare(event)
        if said:
            telling = Telling(sink, _about(event, f"{name_of(path)}/{number}"))
            for message in said:
                tell_message(telling, message)
            telling.end(Ending(reward=_reward(event)))
        elif not listed and _is_bare(event) and (message := said_in(event)):
            bare = bare or Telling(sink, About("messages", name_of(path)))
            tell_message(bare, message)
    if bare is not None:
        bare.end(Ending())


def _messages(row: Loose) -> list[Loose]:
    """The messages of a row, wherever it has them."""
    for holder in (row, row.at("body")):
        for name in _LISTS:
            if listed := _listed(holder.at(name)):
                return [*_system(row, listed), *listed]
    for asked, answered in _PAIRS:
        answer = _listed(row.at(answered), speaker="assistant")
        if answer and role_of(answer[0]):
            given = row.at(asked)
            return [*(_listed(given.at("messages")) or _listed(given, speaker="user")), *answer]
    return []


def _listed(value: Loose, *, speaker: str = "") -> list[Loose]:
    """A list of messages, also as JSON in a text; a text alone where it is known who speaks."""
    if not isinstance(value.value, str):
        return value.items()
    found = Loose(parsed(value.value)).items()
    if found and all(map(role_of, found)):
        return found
    return [Loose({"role": speaker, "content": value.value})] if speaker and value else []


def _system(row: Loose, listed: list[Loose]) -> list[Loose]:
    """Instructions that stand beside the conversation."""
    words = row.text("system") or row.text("system_prompt")
    if not words or any(role_of(message) == "system" for message in listed[:1]):
        return []
    return [Loose({"role": "system", "content": words})]


def _about(row: Loose, name: str) -> About:
    own = next((row.at(key).value for key in ("id", "conversation_id", "custom_id") if row.at(key)), None)
    model = row.text("model") or row.text("body", "model")
    return About("messages", name, model=model, facts={} if own is None else {"id": str(own)})


def _reward(row: Loose) -> float | None:
    """The verdict; Harbor's exporter writes it as text, beside the trial's name."""
    told = row.amount("reward")
    return Loose(parsed(row.text("result"))).amount() if told is None and row.text("trial_name") else told


def tell_message(telling: Telling, message: Said) -> None:
    """One message, told where it belongs."""
    if message.role == "tool":
        for name, text in message.results:
            for piece in _TAGGED_RESULT.findall(text) or [text]:
                telling.result(name or telling.open_call(), piece)
        return
    telling.turn()
    if message.role == "user":
        telling.user(message.words)
    elif message.role == "system":
        telling.system(message.words)
    else:
        answer = _untagged(message)
        telling.think(answer.thoughts)
        telling.say(answer.words)
        for call in answer.calls:
            telling.call(call.name, call.tool, call.arguments, fresh=True)
    for name, text in message.results:
        telling.result(name or telling.open_call(), text)


def _untagged(message: Said) -> Said:
    """The answer with the thoughts and calls that stand in tags inside its words taken out of them."""
    words, thoughts, calls = message.words, message.thoughts, list(message.calls)
    if not thoughts and (found := _TAGGED_THOUGHT.match(words)):
        thoughts, words = found[1], words[found.end() :]
    if not calls and "<tool_call>" in words:
        calls = list(_tagged_calls(words))
        words = _TAGGED_CALL.sub("", words).strip() if calls else words
    return replace(message, words=words, thoughts=thoughts, calls=tuple(calls))


def _tagged_calls(words: str) -> Iterator[Call]:
    for found in _TAGGED_CALL.findall(words):
        if isinstance(parsed(found), dict):
            yield from calls_in_words(found)


def _is_bare(event: Loose) -> bool:
    return role_of(event) is not None and bool({"content", "value", "tool_calls"} & set(event.mapping()))


MESSAGES = Format(
    "messages",
    tell,
    lambda first: any(role_of(message) for message in _messages(first)[:5]) or _is_bare(first),
)
