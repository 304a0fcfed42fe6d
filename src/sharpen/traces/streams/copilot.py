"""The lines of `copilot -p --output-format json`: session events with their facts under `data`.

Commands carry their exit code; what a sub-agent does carries its name. Token counts are in the session file
only, in the event that closes it; prices are in GitHub's own units and not taken for dollars.
"""

from __future__ import annotations

from dataclasses import replace

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.session import Recorder, Session, Spent, total


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    for event in events:
        data = event.at("data")
        recorder.inside(event.text("agentId"))
        match event.text("type"):
            case "session.skills_loaded":
                session = replace(session, skills_listed=_listed(data))
            case "assistant.message":
                _answer(recorder, data)
            case "tool.execution_complete":
                _result(recorder, data)
            case "session.error":
                message = data.text("message") or "the session ended with an error"
                session = replace(session, errors=(*session.errors, message))
            case "result":
                session = replace(session, finished=True, session_id=event.text("sessionId"))
    return recorder.told(session, events)


def complete(session: Session, events: Events) -> Session:
    """Tokens and the number of model calls, from the session file's closing event."""
    for event in events:
        if event.text("type") == "session.shutdown":
            spent = total(map(_spent, event.values("data", "modelMetrics")))
            session = replace(session, spent=spent or session.spent)
    return session


def _listed(data: Loose) -> tuple[str, ...]:
    return tuple(name for skill in data.items("skills") if (name := skill.text("name")))


def _answer(recorder: Recorder, data: Loose) -> None:
    recorder.turn()
    recorder.think(data.text("reasoningText"))
    recorder.say(data.text("content"))
    for request in data.items("toolRequests"):
        recorder.call(request.text("toolCallId"), request.text("name"), arguments_of(request.at("arguments")))


def _result(recorder: Recorder, data: Loose) -> None:
    content = data.text("result", "content") or data.text("error", "message")
    code = data.code("shellExecution", "exitCode")
    failed = data.at("success").value is False
    recorder.result(data.text("toolCallId"), content, exit_code=code, failed=failed)


def _spent(metrics: Loose) -> Spent:
    usage = metrics.at("usage")
    return Spent(
        prompt_tokens=usage.whole("inputTokens"),
        completion_tokens=usage.whole("outputTokens"),
        cached_tokens=usage.whole("cacheReadTokens") or 0,
        calls=metrics.whole("requests", "count"),
    )
