"""The lines of `kimi -p --output-format stream-json`: chat messages by role, and what its session file
adds.

A failing command's result ends with `Command failed with exit code: N.`, one that went into the background
names its task; token counts are in the session file only. A run that fails prints nothing here and says why
on standard error.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.session import Recorder, Session, Spent, total

SHELL = "Bash"
_EXIT_CODE = re.compile(r"(?:^|\n)Command failed with exit code: (-?\d{1,6})\.\Z")
_BACKGROUND = re.compile(r"task_id: \S+\n(?:[^\n]*\n){0,3}status: running\n")


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    shells: set[str] = set()
    for event in events:
        match event.text("role"):
            case "assistant":
                recorder.turn()
                recorder.think(event.text("reasoning_content"))
                recorder.say(_text(event.at("content")))
                for call in event.items("tool_calls"):
                    _call(recorder, call, shells)
            case "tool":
                name, content = event.text("tool_call_id"), _text(event.at("content"))
                code = exit_code(content) if name in shells else None
                recorder.result(name, content, exit_code=code, failed=bool(code))
            case "meta" if event.text("type") == "session.resume_hint":
                session = replace(session, session_id=event.text("session_id"), finished=True)
    return recorder.told(session, events)


def complete(session: Session, events: Events) -> Session:
    """Tokens and the number of model calls, from the session file: one usage record per answer."""
    spent = total(_spent(event.at("usage")) for event in events if event.text("type") == "usage.record")
    return replace(session, spent=spent or session.spent)


def _call(recorder: Recorder, call: Loose, shells: set[str]) -> None:
    name, tool = call.text("id"), call.text("function", "name")
    recorder.call(name, tool, arguments_of(call.at("function", "arguments")))
    if tool == SHELL:
        shells.add(name)


def exit_code(content: str) -> int | None:
    """The code in a shell's result; one that names none ended with 0, unless it goes on in the background."""
    if _BACKGROUND.match(content):
        return None
    found = _EXIT_CODE.search(content, max(len(content) - 100, 0))
    return int(found[1]) if found else 0


def _text(content: Loose) -> str:
    return content.text() or "\n".join(text for part in content.items() if (text := part.text("text")))


def counts(usage: Loose) -> tuple[int, int, int] | None:
    """Prompt, completion and cached tokens of an answer; None where nobody counted."""
    output, cached = usage.whole("output"), usage.whole("inputCacheRead") or 0
    if output is None:
        return None
    fresh = (usage.whole("inputOther") or 0) + (usage.whole("inputCacheCreation") or 0)
    return fresh + cached, output, cached


def _spent(usage: Loose) -> Spent:
    prompt, completion, cached = counts(usage) or (None, None, None)
    return Spent(prompt, completion, cached, calls=1)
