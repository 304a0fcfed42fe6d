"""Cursor's agent transcripts, as documented: roles and content parts, without times, results or tokens."""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, Telling

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)


def tell(events: Events, sink: Sink, path: Path) -> None:
    telling: Telling | None = None
    for event in events:
        role, content = event.text("role"), event.at("message", "content") or event.at("content")
        if role not in ("user", "assistant", "system", "tool"):
            continue
        if telling is None:
            telling = Telling(sink, About("cursor", path.stem))
        telling.turn()
        if role == "assistant":
            _answer(telling, content)
        elif role == "user":
            _user(telling, content)
        elif role == "tool":
            telling.result(event.text("tool_call_id"), text_of(content))
        else:
            telling.system(text_of(content), extra={"context": True})
    if telling is not None:
        telling.end(Ending())


def _user(telling: Telling, content: Loose) -> None:
    for part in content.items():
        if part.text("type") == "tool_result":
            failed = part.flag("is_error")
            telling.result(part.text("tool_use_id"), text_of(part.at("content")), failed=failed)
    text = content.text() or "\n".join(said for part in content.items() if (said := part.text("text")))
    asked = _QUERY.search(text)
    telling.user(asked[1] if asked else text)


def _answer(telling: Telling, content: Loose) -> None:
    telling.say(content.text())
    for part in content.items():
        match part.text("type"):
            case "text":
                telling.say(part.text("text"))
            case "thinking" | "reasoning":
                telling.think(part.text("thinking") or part.text("text"))
            case "tool_use" | "tool_call":
                arguments = part.at("input") or part.at("arguments")
                telling.call(part.text("id"), part.text("name"), arguments_of(arguments))


CURSOR = Format(
    "cursor",
    tell,
    lambda first: first.text("role") in ("user", "assistant") and bool(first.at("message", "content")),
    places=(Place("", ".cursor", "projects/*/agent-transcripts/*/*.jsonl"),),
)
