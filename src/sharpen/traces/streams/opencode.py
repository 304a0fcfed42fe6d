"""The lines of `opencode run --format json`: parts of messages, framed by the start and the finish of a step.

Each step reports its own tokens, cached ones apart, and a price that is 0 where OpenCode knows none.
"""

from __future__ import annotations

from dataclasses import replace

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.session import Recorder, Session, Spent
from sharpen.traces.trajectory import Metrics


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    for event in events:
        part = event.at("part")
        match event.text("type"):
            case "step_start":
                session = replace(session, session_id=event.text("sessionID"))
                recorder.turn()
            case "text":
                recorder.say(part.text("text"))
            case "reasoning":
                recorder.think(part.text("text"))
            case "tool_use":
                _tool(recorder, part)
            case "step_finish":
                step = _step_spent(part)
                recorder.measure(_metrics(step))
                spent = step if session.spent is None else session.spent.plus(step)
                done = part.text("reason") not in ("tool-calls", "")
                session = replace(session, spent=spent, finished=done)
            case "error":
                session = replace(session, errors=(*session.errors, _message(event.at("error"))))
    return recorder.told(session, events)


def _tool(recorder: Recorder, part: Loose) -> None:
    name, state = part.text("callID"), part.at("state")
    recorder.call(name, part.text("tool"), arguments_of(state.at("input")))
    failed = state.text("status") == "error"
    content = state.text("output") or state.text("error")
    recorder.result(name, content, exit_code=state.code("metadata", "exit"), failed=failed)


def counts(tokens: Loose) -> tuple[int, int, int] | None:
    """Prompt, completion and cached tokens of a step; None where nobody counted."""
    fresh, cached = tokens.whole("input"), tokens.whole("cache", "read") or 0
    if fresh is None:
        return None
    output = (tokens.whole("output") or 0) + (tokens.whole("reasoning") or 0)
    return fresh + (tokens.whole("cache", "write") or 0) + cached, output, cached


def _step_spent(part: Loose) -> Spent:
    prompt, completion, cached = counts(part.at("tokens")) or (None, None, None)
    return Spent(prompt, completion, cached, calls=1, usd=part.amount("cost") or None)


def _metrics(spent: Spent) -> Metrics:
    return Metrics(spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens, spent.usd)


def _message(error: Loose) -> str:
    said = error.text("data", "message") or error.text("message")
    return ": ".join(part for part in (error.text("name"), said) if part) or "an error without a message"
