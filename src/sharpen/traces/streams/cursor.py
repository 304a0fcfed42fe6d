"""The lines of `cursor-agent --print --output-format stream-json`, as documented; never met the real
binary.

A tool call is one object whose only key names the tool (`shellToolCall`, `readToolCall` …). No tokens, no
price.
"""

from __future__ import annotations

from dataclasses import replace

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.session import Recorder, Session

SUFFIX = "ToolCall"


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    for event in events:
        match event.text("type"), event.text("subtype"):
            case "system", "init":
                session = replace(session, model=event.text("model"), session_id=event.text("session_id"))
            case "assistant", _:
                recorder.turn()
                for part in event.items("message", "content"):
                    recorder.say(part.text("text"), joined=True)
            case "tool_call", "completed":
                _tool(recorder, event)
            case "result", _:
                session = _closed(session, event)
    return recorder.told(session, events)


def _tool(recorder: Recorder, event: Loose) -> None:
    name = event.text("call_id")
    for kind, value in event.mapping("tool_call").items():
        call = Loose(value)
        recorder.call(name, kind.removesuffix(SUFFIX), arguments_of(call.at("args")))
        success = call.at("result", "success")
        found = success or call.at("result", "failure") or call.at("result", "error")
        content = (
            found.text("stdout") + found.text("stderr") or found.text("content") or found.text("message")
        )
        recorder.result(name, content, exit_code=found.code("exitCode"), failed=not success)


def _closed(session: Session, event: Loose) -> Session:
    text = event.text("result")
    if event.at("is_error").value is True:
        return replace(session, finished=True, errors=(text or "the run ended with an error",))
    return replace(session, finished=True, final=text)
