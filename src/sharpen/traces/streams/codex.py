"""The lines of `codex exec --json`: items that start and complete inside a turn.

Every command carries its exit code. Token counts come once, for the whole turn; how many model calls they
took is in the session file. Items of type `error` are notices; only `turn.failed` ends a run.
"""

from __future__ import annotations

from dataclasses import replace

from sharpen.traces.lines import Events, Loose
from sharpen.traces.session import Recorder, Session, Spent


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    for event in events:
        match event.text("type"):
            case "thread.started":
                session = replace(session, session_id=event.text("thread_id"))
            case "item.completed":
                _item(recorder, event.at("item"))
            case "turn.completed":
                session = replace(session, finished=True, spent=_spent(session.spent, event.at("usage")))
            case "turn.failed":
                message = event.text("error", "message") or "the turn failed"
                session = replace(session, finished=True, errors=(*session.errors, message))
            case _:
                pass
    return recorder.told(session, events)


def complete(session: Session, events: Events) -> Session:
    """How many model calls there were, from the session file: one usage record per answer."""
    calls = sum(event.text("type") == "token_usage_record" for event in events)
    if session.spent is None or not calls:
        return session
    return replace(session, spent=replace(session.spent, calls=calls))


def _item(recorder: Recorder, item: Loose) -> None:
    name = item.text("id")
    recorder.turn()
    match item.text("type"):
        case "agent_message":
            recorder.say(item.text("text"))
        case "reasoning":
            recorder.think(item.text("text"))
        case "command_execution":
            recorder.call(name, "shell", {"command": item.text("command")})
            code = item.code("exit_code")
            failed = item.text("status") == "failed"
            recorder.result(name, item.text("aggregated_output"), exit_code=code, failed=failed)
        case "file_change" | "mcp_tool_call" | "web_search" | "collab_tool_call" as kind:
            facts = {key: value for key, value in item.mapping().items() if key not in ("id", "type")}
            recorder.call(name, kind, facts)
            failed = item.text("status") == "failed"
            recorder.result(name, item.text("status"), exit_code=None, failed=failed)
        case _:
            pass


def _spent(before: Spent | None, usage: Loose) -> Spent:
    spent = Spent(
        prompt_tokens=usage.whole("input_tokens"),
        completion_tokens=usage.whole("output_tokens"),
        cached_tokens=usage.whole("cached_input_tokens") or 0,
    )
    return spent if before is None else before.plus(spent)
