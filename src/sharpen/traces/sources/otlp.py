"""OpenTelemetry traces as OTLP JSON, with GenAI or OpenInference attributes: a trace becomes a session.

Spans of model calls hold the whole conversation so far, so only what is new in each is told; spans of tools
hold results. Spans end before the spans around them, so a trace is told when its outermost span arrives;
traces whose outermost span is missing are told at the end, the oldest earlier when too much has piled up.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format
from sharpen.traces.sources.span import Span, span_of
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

MOST_WAITING = 20_000
"""Spans kept at most while their trace is not complete."""
NANOSECONDS = 1e-9


def tell(events: Events, sink: Sink, path: Path) -> None:
    waiting: dict[str, list[Span]] = {}
    count = 0
    for event in events:
        found = list(_spans(event))
        if not found:
            events.unread += 1
        for span in found:
            waiting.setdefault(span.trace, []).append(span)
            count += 1
            if span.is_outermost or count > MOST_WAITING:
                trace = span.trace if span.is_outermost else next(iter(waiting))
                spans = waiting.pop(trace)
                count -= len(spans)
                _tell_trace(sink, spans)
    for spans in waiting.values():
        _tell_trace(sink, spans)


def _spans(event: Loose) -> Iterator[Span]:
    for resource in event.items("resourceSpans"):
        service = {
            pair.text("key"): pair.text("value", "stringValue")
            for pair in resource.items("resource", "attributes")
        }
        scopes = resource.items("scopeSpans") or resource.items("instrumentationLibrarySpans")
        for scope in scopes:
            for span in scope.items("spans"):
                yield span_of(span, service.get("service.name", ""))


def _tell_trace(sink: Sink, spans: list[Span]) -> None:
    spans = [span for span in sorted(spans, key=lambda span: span.start) if span.kind]
    if not spans:
        return
    names = [
        name for span in spans for key in ("gen_ai.conversation.id", "session.id") if (name := span.text(key))
    ]
    first = spans[0]
    about = About(
        next((name for span in spans if (name := span.text("gen_ai.agent.name"))), first.service or "otlp"),
        f"{names[0]}/{first.trace}" if names else first.trace,
        started=from_epoch(first.start, unit=NANOSECONDS),
        facts={"conversation": names[0]} if names else {},
    )
    _Told(Telling(sink, about)).all(spans)


class _Told:
    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._seen = 0
        self._model = ""
        self._reward: float | None = None
        self._errors: list[str] = []

    def all(self, spans: list[Span]) -> None:
        for span in spans:
            time = from_epoch(span.start, unit=NANOSECONDS)
            if span.kind == "model":
                self._model_call(span, time)
            elif span.kind == "tool":
                self._tool(span, time)
            score = span.number("gen_ai.evaluation.score.value")
            self._reward = self._reward if score is None else score
            if span.failed and span.kind != "tool":
                self._errors.append(span.message or span.text("error.type") or "a span failed")
        state: State = "failed" if self._errors and spans[-1].failed else "unknown"
        errors = tuple(self._errors[-5:])
        self._telling.end(Ending(state, self._reward, self._telling.spent, errors, self._model))

    def _model_call(self, span: Span, time: str) -> None:
        telling, told = self._telling, span.messages("input")
        if self._seen == 0 and (system := span.instructions()):
            telling.system(system, time=time)
        for message in told[self._seen :]:
            self._input(message, time)
        answers = span.messages("output")
        self._seen = len(told) + len(answers)
        telling.turn()
        for message in answers:
            self._answer(message, time)
        self._model = span.model or self._model
        telling.describe(model=self._model)
        if span.tokens is not None:
            prompt, completion, cached = span.tokens
            telling.measure(prompt, completion, cached)

    def _input(self, message: Loose, time: str) -> None:
        telling, role, words = self._telling, message.text("role"), _words(message)
        if role == "system":
            telling.system(words, time=time)
        elif role == "user":
            telling.turn()
            telling.user(words, time=time)
        elif role in ("assistant", "model"):
            telling.turn()
            self._answer(message, time)
        for part in message.items("parts"):
            if part.text("type") == "tool_call_response":
                self._result(part.text("id"), text_of(part.at("response")) or text_of(part.at("result")))
        if role == "tool" and not message.items("parts"):
            self._result(message.text("tool_call_id"), words)

    def _answer(self, message: Loose, time: str) -> None:
        telling = self._telling
        for part in message.items("parts"):
            if part.text("type") == "reasoning":
                telling.think(text_of(part.at("content")), time=time)
        telling.say(_words(message), time=time)
        for part in message.items("parts"):
            if part.text("type") == "tool_call":
                telling.call(
                    part.text("id"), part.text("name"), arguments_of(part.at("arguments")), time=time
                )
        for call in message.items("tool_calls"):
            function = call.at("function") or call
            telling.call(
                call.text("id"), function.text("name"), arguments_of(function.at("arguments")), time=time
            )

    def _result(self, name: str, text: str) -> None:
        if self._telling.knows(name):
            self._telling.result(name, text)

    def _tool(self, span: Span, time: str) -> None:
        telling = self._telling
        name = span.text("gen_ai.tool.call.id") or span.text("tool_call.id") or span.name_of_call
        if not telling.knows(name):
            telling.call(name, span.tool, arguments_of(Loose(span.argument)), time=time)
        telling.result(name, span.result, failed=span.failed, time=time)


def _words(message: Loose) -> str:
    parts = [part for part in message.items("parts") if part.text("type") in ("text", "")]
    return "\n".join(text_of(part.at("content")) for part in parts) or text_of(message.at("content"))


OTLP = Format(
    "otlp",
    "OpenTelemetry traces (OTLP JSON, GenAI and OpenInference)",
    tell,
    lambda first: bool(first.items("resourceSpans")),
)
