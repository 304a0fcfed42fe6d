"""Gemini CLI's telemetry file: OpenTelemetry records, one JSON object after the other.

Holds prompts, answers, tool calls with their arguments and exit codes, and token counts of several sessions,
not the tools' outputs; where prompts were not logged, only the names of tools, whether they worked, and token
counts. Requests of a sub-agent carry its name. Chat files (`gemini.py`) tell more; this is for those who kept
only this.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, parsed
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

PREFIX = "gemini_cli."
_UNLOGGED = "[a prompt that was not logged]"
_UNLOGGED_ANSWER = "[an answer that was not logged]"


def tell(events: Events, sink: Sink, path: Path) -> None:
    sessions: dict[str, _Session] = {}
    for event in events:
        facts = event.at("attributes")
        if facts.text("event.name").startswith(PREFIX):
            name = facts.text("session.id") or name_of(path)
            if name not in sessions:
                sessions[name] = _Session(sink, name)
            sessions[name].event(facts, _time(event, facts))
    for told in sessions.values():
        told.close()


class _Session:
    """A session and the sub-agents it started, which have its name and their own prompts' names."""

    def __init__(self, sink: Sink, name: str) -> None:
        self._sink, self._name = sink, name
        self._agents: dict[str, _Agent] = {}
        self._inner: set[str] = set()

    def event(self, facts: Loose, time: str) -> None:
        kind = facts.text("event.name").removeprefix(PREFIX)
        if kind == "agent.start":
            self._inner.add(facts.text("agent_id"))
        elif kind in ("user_prompt", "api_response", "tool_call", "api_error"):
            self._agent(facts.text("prompt_id").partition("#")[0], time).event(kind, facts, time)

    def close(self) -> None:
        for agent in self._agents.values():
            agent.close()

    def _agent(self, prompt: str, time: str) -> _Agent:
        inner = prompt if prompt in self._inner else ""
        if inner not in self._agents:
            about = About("gemini", self._name, started=time)
            if inner:
                about = replace(about, session_id=inner, parent=self._name, relation="sub-agent")
            self._agents[inner] = _Agent(Telling(self._sink, about))
        return self._agents[inner]


class _Agent:
    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []
        self._calls = 0
        self._open: list[tuple[str, str, dict[str, object]]] = []

    def event(self, kind: str, facts: Loose, time: str) -> None:
        match kind:
            case "user_prompt":
                self._telling.turn()
                self._state = "unknown"
                self._telling.user(facts.text("prompt") or _UNLOGGED, time=time)
            case "api_response":
                self._answer(facts, time)
            case "tool_call":
                self._ended(facts, time)
            case "api_error":
                self._state = "failed"
                said = facts.text("error.message") or facts.text("error") or facts.text("error_message")
                self._errors.append(said or "API error")

    def close(self) -> None:
        errors, spent = tuple(self._errors), self._telling.spent
        self._telling.end(Ending(self._state, None, spent, errors, self._model))

    def _answer(self, facts: Loose, time: str) -> None:
        telling, response = self._telling, facts.text("response_text")
        self._model = facts.text("model") or self._model
        self._open = []
        telling.turn()
        if not response:
            telling.say(_UNLOGGED_ANSWER, time=time)
        parts = _parts(response)
        if response and not parts:
            telling.say(response, time=time)
        for part in parts:
            if call := part.at("functionCall"):
                self._begin(call.text("name"), call.mapping("args"), time)
            elif part.flag("thought"):
                telling.think(part.text("text"), time=time)
            else:
                telling.say(part.text("text"), time=time, joined=True)
        telling.describe(model=self._model)
        prompt, output = facts.whole("input_token_count"), facts.whole("output_token_count")
        if prompt is not None and output is not None:
            output += facts.whole("thoughts_token_count") or 0
            telling.measure(prompt, output, facts.whole("cached_content_token_count") or 0)
        self._state = "completed" if response and not self._open else "unknown"

    def _begin(self, tool: str, arguments: dict[str, object], time: str) -> None:
        self._calls += 1
        self._telling.call(f"call-{self._calls}", tool, arguments, time=time)
        self._open.append((f"call-{self._calls}", tool, arguments))

    def _ended(self, facts: Loose, time: str) -> None:
        """The end of a call is logged without its id: the first that was called like it is meant."""
        tool = facts.text("function_name")
        arguments = arguments_of(facts.at("function_args")) if facts.at("function_args") else {}
        if not any(call[1:] == (tool, arguments) for call in self._open):
            self._begin(tool, arguments, time)
        place = next(n for n, call in enumerate(self._open) if call[1:] == (tool, arguments))
        code = Loose(parsed(facts.text("metadata"))).code("exitCode")
        failed = facts.at("success").value is False or bool(code)
        said = facts.text("error.message") or facts.text("error")
        self._telling.result(self._open.pop(place)[0], said or None, exit_code=code, failed=failed)


def _parts(response: str) -> list[Loose]:
    """The parts of an answer: it is logged as the pieces in which it was streamed."""
    pieces = Loose(parsed(response)).items() or [Loose(parsed(response))]
    answers = [answer for piece in pieces for answer in piece.items("candidates")]
    return [part for answer in answers for part in answer.items("content", "parts")]


def _time(event: Loose, facts: Loose) -> str:
    written = facts.text("event.timestamp")
    if written:
        return written
    clock = event.items("hrTime")
    return from_epoch(clock[0].amount()) if clock else ""


def _fits(first: Loose) -> bool:
    """The file begins with spans, a few dozen of them, before the first record of an event."""
    facts = first.mapping("attributes")
    is_own = facts.get("gen_ai.agent.name") == "gemini-cli" and first.at("_spanContext").value is not None
    return is_own or str(facts.get("event.name")).startswith(PREFIX)


GEMINI_TELEMETRY = Format("gemini-telemetry", tell, _fits, layout="objects")
