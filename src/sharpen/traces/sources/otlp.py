"""OpenTelemetry traces as OTLP JSON, with GenAI, OpenInference or OpenLLMetry attributes: a trace becomes a
session.

A model call's span holds the whole conversation so far, so only what is new in each is told: what stands
behind the last message with which an earlier call ended. Spans of tools hold results. Spans come in any
order, so a trace is held until the file ends; when too much is held, the oldest complete trace is told, or
what there is of the oldest one. Sub-agents of a trace are told in its session, as they were asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.sources.said import Call, Said
from sharpen.traces.sources.span import Span, record_of, span_of
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

MOST_HELD = 64 * 2**20
"""Characters in attributes that are held at most for spans that are still to come."""
NANOSECONDS = 1e-9
_SIGNALS = ("resourceSpans", "resourceLogs", "resourceMetrics")
_SNAKE = re.compile(r"_([a-z])")


def tell(events: Events, sink: Sink, path: Path) -> None:
    traces = _Traces(sink, name_of(path))
    for event in events:
        if not _is_otlp(event):
            events.unread += 1
        for span in _spans(_in_camel_case(event)):
            traces.add(span)
    traces.end()


class _Traces:
    """Spans by their trace, until they can be told."""

    def __init__(self, sink: Sink, nameless: str) -> None:
        self._sink, self._nameless = sink, nameless
        self._held: dict[str, list[Span]] = {}
        self._complete: dict[str, None] = {}
        self._sizes: Counter[str] = Counter()
        self._size = 0
        self._open: dict[str, _Told] = {}
        self._parts: Counter[str] = Counter()

    def add(self, span: Span) -> None:
        if not span.trace:
            span = replace(span, trace=self._nameless)
        self._held.setdefault(span.trace, []).append(span)
        if span.is_outermost:
            self._complete[span.trace] = None
        size = sum(len(value) for value in span.attributes.values() if isinstance(value, str))
        self._sizes[span.trace] += size + 500
        self._size += size + 500
        while self._size > MOST_HELD:
            self._tell(next(iter(self._complete or self._held)), over=bool(self._complete))

    def end(self) -> None:
        for trace in list(self._held):
            self._tell(trace, over=True)
        for told in self._open.values():
            told.end()

    def _tell(self, trace: str, *, over: bool) -> None:
        self._complete.pop(trace, None)
        self._size -= self._sizes.pop(trace)
        spans, told = _merged(self._held.pop(trace)), self._open.pop(trace, None)
        if told is None and any(map(_speaks, spans)):  # what nobody recorded makes no session
            self._parts[trace] += 1
            told = _begun(self._sink, spans, part=self._parts[trace])
        if told is None:
            return
        told.tell(spans)
        if over:
            told.end()
        else:
            self._open[trace] = told


def _speaks(span: Span) -> bool:
    return span.kind == "tool" or (
        span.kind == "model" and bool(span.messages("output") or span.messages("input"))
    )


def _merged(spans: list[Span]) -> list[Span]:
    """Spans in the order in which they began, each with what log records said about it."""
    found: dict[str, Span] = {}
    for span in sorted(spans, key=lambda span: (span.is_record, span.start)):
        known = found.get(span.id) if span.id else None
        if known is not None and span.is_record:
            found[span.id] = known.with_record(span)
        elif known is None:
            found[span.id or f"unnamed {len(found)}"] = span
    return sorted(found.values(), key=lambda span: span.start)


def _spans(event: Loose) -> Iterator[Span]:
    for signal, scopes, records in (
        ("resourceSpans", ("scopeSpans", "instrumentationLibrarySpans"), "spans"),
        ("resourceLogs", ("scopeLogs",), "logRecords"),
    ):
        for resource in event.items(signal):
            service = _service(resource)
            for scope in (scope for name in scopes for scope in resource.items(name)):
                for item in scope.items(records):
                    span = span_of(item, service) if records == "spans" else record_of(item, service)
                    if span is not None:
                        yield span


def _service(resource: Loose) -> str:
    attributes = resource.items("resource", "attributes")
    named = (pair.text("value", "stringValue") for pair in attributes if pair.text("key") == "service.name")
    return next(named, "")


def _begun(sink: Sink, spans: list[Span], *, part: int) -> _Told:
    names = [
        name for span in spans for key in ("gen_ai.conversation.id", "session.id") if (name := span.text(key))
    ]
    first = spans[0]
    own = f"{names[0]}/{first.trace}" if names else first.trace
    about = About(
        next((name for span in spans if (name := span.text("gen_ai.agent.name"))), first.service or "otlp"),
        own if part == 1 else f"{own}/{part}",
        started=_time(first),
        facts={"conversation": names[0]} if names else {},
    )
    return _Told(Telling(sink, about))


class _Told:
    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._ends: set[tuple[object, ...]] = set()
        self._instructions: set[str] = set()
        self._pending: dict[str, str] = {}
        self._answered: set[str] = set()
        self._model = ""
        self._reward: float | None = None
        self._errors: list[str] = []
        self._broke = self._last_failed = False

    def tell(self, spans: list[Span]) -> None:
        for span in spans:
            if span.kind == "model":
                self._model_call(span, _time(span))
            elif span.kind == "tool":
                self._tool(span, _time(span))
            score = span.number("gen_ai.evaluation.score.value")
            self._reward = self._reward if score is None else score
            if span.failed and span.kind != "tool":
                self._errors.append(span.message or span.text("error.type") or "a span failed")
            self._broke = self._broke or (span.is_outermost and span.failed)
            self._last_failed = span.failed if span.kind else self._last_failed

    def end(self) -> None:
        state: State = "failed" if (self._broke or self._last_failed) and self._errors else "unknown"
        errors = tuple(self._errors)
        self._telling.end(Ending(state, self._reward, self._telling.spent, errors, self._model))

    def _model_call(self, span: Span, time: str) -> None:
        telling, asked, answers = self._telling, span.messages("input"), span.messages("output")
        system = span.instructions()
        if system and system not in self._instructions:
            self._instructions.add(system)
            telling.system(system, time=time)
        for message in self._new(asked):
            self._say(message, time)
        self._ends.update(message.mark for message in answers or asked[-1:])
        telling.turn()
        for message in answers:
            self._answer(message, time)
        self._model = span.model or self._model
        telling.describe(model=self._model)
        if answers and span.tokens is not None:
            telling.measure(*span.tokens)

    def _new(self, asked: list[Said]) -> list[Said]:
        """What no earlier span told: everything behind the last message that ended one."""
        for place in range(len(asked) - 1, -1, -1):
            if asked[place].mark in self._ends:
                return asked[place + 1 :]
        return asked

    def _say(self, message: Said, time: str) -> None:
        self._telling.turn()
        if message.role == "system":
            self._telling.system(message.words, time=time)
        elif message.role == "agent":
            self._answer(message, time)
        elif message.role == "user":
            self._telling.user(message.words, time=time)
        for name, text in message.results:
            self._result(name, text)

    def _answer(self, message: Said, time: str) -> None:
        self._telling.think(message.thoughts, time=time)
        self._telling.say(message.words, time=time)
        for call in message.calls:
            self._call(call, time)

    def _call(self, call: Call, time: str) -> str:
        name = self._telling.call(call.name, call.tool, call.arguments, time=time, fresh=True)
        self._pending[name] = call.tool
        self._answered.discard(call.name)
        return name

    def _result(self, name: str, text: str, *, failed: bool = False) -> None:
        name = name or next(iter(self._pending), "")
        if name not in self._answered:
            self._telling.result(name, text, failed=failed)
        self._answered.add(name)
        self._pending.pop(name, None)

    def _tool(self, span: Span, time: str) -> None:
        """A tool's span answers the call it names, else the first open call of that tool, else its own."""
        name = span.call
        if not name:
            name = next((open_ for open_, tool in self._pending.items() if tool == span.tool), "")
        if not name or not (self._telling.knows(name) or name in self._answered):
            arguments = arguments_of(Loose(span.argument))
            self._telling.turn()
            name = self._call(Call(name, span.tool, arguments), time)
        self._result(name, span.result, failed=span.failed)


def _time(span: Span) -> str:
    return from_epoch(span.start, unit=NANOSECONDS) if span.start else ""


def _is_otlp(event: Loose) -> bool:
    names = event.mapping()
    return any(name in names or _snake(name) in names for name in _SIGNALS)


def _fits(first: Loose) -> bool:
    event = _in_camel_case(first)
    spans = any(scope for resource in event.items("resourceSpans") for scope in resource.values())
    return spans or next(_spans(Loose({"resourceLogs": event.at("resourceLogs").value})), None) is not None


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _in_camel_case(event: Loose) -> Loose:
    """protobuf's printer can keep its own field names; attributes have their names in values, not here."""
    if not any(_snake(name) in event.mapping() for name in _SIGNALS):
        return event
    return Loose(_renamed(event.value))


def _renamed(value: object) -> object:
    if isinstance(value, Mapping):
        return {_SNAKE.sub(lambda m: m[1].upper(), name): _renamed(item) for name, item in value.items()}
    return [_renamed(item) for item in value] if isinstance(value, list) else value


OTLP = Format(
    "otlp",
    tell,
    _fits,
)
