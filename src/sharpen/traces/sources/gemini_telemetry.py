"""Gemini CLI's telemetry file: OpenTelemetry log records, one JSON object after the other.

Holds prompts, tool calls and token counts of several sessions, not the answers' words or the tools' outputs,
unless the user asked for prompts to be logged. Chat files (`gemini.py`) tell more; this is for those who
kept only this.
"""

from __future__ import annotations

from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.telling import About, Ending, Sink, Telling, from_epoch

PREFIX = "gemini_cli."


def tell(events: Events, sink: Sink, path: Path) -> None:
    sessions: dict[str, _Session] = {}
    for event in events:
        facts = event.at("attributes")
        name = facts.text("event.name").removeprefix(PREFIX)
        if not name or not facts.text("event.name").startswith(PREFIX):
            continue
        session = facts.text("session.id") or name_of(path)
        if session not in sessions:
            sessions[session] = _Session(sink, session, facts)
        sessions[session].event(name, facts, _time(event, facts))
    for told in sessions.values():
        told.close()


class _Session:
    def __init__(self, sink: Sink, name: str, facts: Loose) -> None:
        self._telling = Telling(sink, About("gemini", name, started=facts.text("event.timestamp")))
        self._model = ""
        self._errors: list[str] = []
        self._calls = 0

    def event(self, name: str, facts: Loose, time: str) -> None:
        telling = self._telling
        if name == "user_prompt":
            telling.turn()
            telling.user(facts.text("prompt") or "[a prompt that was not logged]", time=time)
        elif name == "api_response":
            telling.turn()
            telling.say(facts.text("response_text"), time=time)
            self._measure(facts)
        elif name == "tool_call":
            self._calls += 1
            call = f"{facts.text('prompt_id') or 'call'}-{self._calls}"
            telling.call(
                call, facts.text("function_name"), arguments_of(facts.at("function_args")), time=time
            )
            failed = facts.at("success").value is False
            telling.result(call, facts.text("error") or None, failed=failed)
        elif name == "api_error":
            self._errors.append(facts.text("error") or facts.text("error_message") or "API error")

    def close(self) -> None:
        errors = tuple(self._errors[-5:])
        self._telling.end(Ending("unknown", None, self._telling.spent, errors, self._model))

    def _measure(self, facts: Loose) -> None:
        self._model = facts.text("model") or self._model
        prompt, output = facts.whole("input_token_count"), facts.whole("output_token_count")
        if prompt is None or output is None:
            return
        output += facts.whole("thoughts_token_count") or 0
        self._telling.measure(prompt, output, facts.whole("cached_content_token_count") or 0)


def _time(event: Loose, facts: Loose) -> str:
    written = facts.text("event.timestamp")
    if written:
        return written
    clock = event.items("hrTime")
    return from_epoch(clock[0].amount()) if clock else ""


GEMINI_TELEMETRY = Format(
    "gemini-telemetry",
    "Gemini CLI telemetry files",
    tell,
    lambda first: any(
        str(name).startswith(("event.name", "session.id")) for name in first.mapping("attributes")
    ),
    layout="objects",
)
