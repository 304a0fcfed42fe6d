"""One OpenTelemetry span, its attributes read under the names of GenAI, OpenInference and OpenLLMetry alike.

Messages stand in attributes as JSON or as numbered names, in events of the span, or in log records that name
the span; they are looked for in that order. Ids are hexadecimal in OTLP's own JSON and base64 in protobuf's.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from sharpen.traces.lines import Loose, parsed, text_of
from sharpen.traces.sources.said import Said, said_in

Kind = Literal["model", "tool", "agent", ""]
Way = Literal["input", "output"]

_OPERATIONS: dict[str, Kind] = {
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "create_agent": "agent",
    "invoke_workflow": "agent",
}
_KINDS: dict[str, Kind] = {
    "LLM": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "agent",
    "EVALUATOR": "agent",
    "WORKFLOW": "agent",
    "TASK": "agent",
}
_ERROR = (2, "2", "STATUS_CODE_ERROR")
_SPEAKERS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_DETAILS = ("gen_ai.client.inference.operation.details", "gen_ai.evaluation.result")
"""Events whose attributes belong to the span."""


@dataclass(frozen=True)
class Span:
    """A span, its attributes as plain values; or what a log record says about one (`is_record`)."""

    trace: str
    id: str
    is_outermost: bool
    start: int
    service: str
    attributes: Mapping[str, object]
    failed: bool = False
    message: str = ""
    told: tuple[tuple[Way, Mapping[str, object]], ...] = ()
    """Messages that came as events."""
    is_record: bool = False

    @property
    def kind(self) -> Kind:
        if operation := self.text("gen_ai.operation.name"):
            return _OPERATIONS.get(operation, "")
        named = self.text("openinference.span.kind") or self.text("traceloop.span.kind")
        if named:
            return _KINDS.get(named.upper(), "")
        speaks = self.told or self.model or self.text("llm.request.type") in ("chat", "completion")
        return "model" if speaks else ""

    @property
    def model(self) -> str:
        return self._first("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")

    @property
    def tool(self) -> str:
        return self._first("gen_ai.tool.name", "tool.name", "traceloop.entity.name")

    @property
    def call(self) -> str:
        """The id of the call that a tool's span answers."""
        return self._first("gen_ai.tool.call.id", "tool_call.id")

    @property
    def argument(self) -> object:
        names = ("gen_ai.tool.call.arguments", "input.value", "tool.parameters", "traceloop.entity.input")
        return next((self.attributes[name] for name in names if name in self.attributes), None)

    @property
    def result(self) -> str:
        names = ("gen_ai.tool.call.result", "output.value", "traceloop.entity.output")
        found = next((self.attributes[name] for name in names if name in self.attributes), self.message)
        return text_of(Loose(found)) or json.dumps(found, ensure_ascii=False, default=str)

    @property
    def tokens(self) -> tuple[int, int, int] | None:
        prompt = self._count(
            "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"
        )
        if prompt is None:
            return None
        completion = self._count(
            "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"
        )
        cached = self._count(
            "gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"
        )
        return prompt, completion or 0, cached or 0

    def text(self, name: str) -> str:
        found = self.attributes.get(name)
        return found if isinstance(found, str) else ""

    def number(self, name: str) -> float | None:
        return Loose(self.attributes.get(name)).amount()

    def instructions(self) -> str:
        value = self.attributes.get("gen_ai.system_instructions")
        given = Loose(parsed(value) if isinstance(value, str) else value)
        return text_of(given) or (value if isinstance(value, str) else "")

    def messages(self, way: Way) -> list[Said]:
        """The messages that went in or came out."""
        for found in self._spellings(way):
            messages = [said for message in found if (said := said_in(message))]
            if messages:
                return messages
        return []

    def with_record(self, record: Span) -> Span:
        """The span with what a log record says about it."""
        return replace(
            self, attributes={**record.attributes, **self.attributes}, told=(*self.told, *record.told)
        )

    def _spellings(self, way: Way) -> Iterator[list[Loose]]:
        yield _listed(self.attributes.get(f"gen_ai.{way}.messages"))
        yield [_openinference(message) for message in self._numbered(f"llm.{way}_messages")]
        plain = "gen_ai.prompt" if way == "input" else "gen_ai.completion"
        speaker = "user" if way == "input" else "assistant"
        yield [_spoken(message, speaker) for message in self._numbered(plain)]
        yield [Loose(message) for side, message in self.told if side == way]
        yield [_spoken(message, speaker) for message in _listed(self.attributes.get(plain))]
        request = Loose(parsed(self.text(f"{way}.value")))
        yield request.items("messages")
        yield [choice.at("message") for choice in request.items("choices")]

    def _numbered(self, prefix: str) -> list[Loose]:
        """A list spelled as numbered names, as nested values. Its beginning may be missing: SDKs drop the
        oldest attributes of a span that has too many."""
        nested: dict[str, object] = {}
        for name, value in self.attributes.items():
            if not name.startswith(f"{prefix}."):
                continue
            *path, last = name[len(prefix) + 1 :].split(".")
            inner = nested
            for part in path:
                below = inner.setdefault(part, {})
                inner = below if isinstance(below, dict) else {}
            inner[last] = value
        return [Loose(item) for item in _in_order(nested)]

    def _first(self, *names: str) -> str:
        return next((found for name in names if (found := self.text(name))), "")

    def _count(self, *names: str) -> int | None:
        found = (Loose(self.attributes.get(name)).whole() for name in names)
        return next((number for number in found if number is not None), None)


def span_of(span: Loose, service: str) -> Span:
    attributes = _attributes(span)
    told: list[tuple[Way, Mapping[str, object]]] = []
    failure = span.text("status", "message")
    for event in span.items("events"):
        about = _attributes(event)
        if event.text("name") in _DETAILS:
            attributes = {**about, **attributes}
        told += _told(event.text("name"), about)
        failure = failure or Loose(about).text("exception.message")
    return Span(
        trace=_id(span.text("traceId")),
        id=_id(span.text("spanId")),
        is_outermost=not _id(span.text("parentSpanId")),
        start=_moment(span.at("startTimeUnixNano")),
        service=service,
        attributes=attributes,
        failed=span.at("status", "code").value in _ERROR,
        message=failure,
        told=tuple(told),
    )


def record_of(record: Loose, service: str) -> Span | None:
    """What a log record says about its span; None when it says nothing of a conversation."""
    about, body = _attributes(record), _plain(record.at("body"))
    name = record.text("eventName") or Loose(about).text("event.name")
    told = _told(name, body if isinstance(body, dict) else about)
    if not told and name not in _DETAILS:
        return None
    return Span(
        trace=_id(record.text("traceId")),
        id=_id(record.text("spanId")),
        is_outermost=False,
        start=_moment(record.at("timeUnixNano")) or _moment(record.at("observedTimeUnixNano")),
        service=service,
        attributes=about if name in _DETAILS else {},
        told=tuple(told),
        is_record=True,
    )


def _told(name: str, about: Mapping[str, object]) -> list[tuple[Way, Mapping[str, object]]]:
    """The messages that an event carries, in any of the ways in which events have carried them."""
    whole = Loose(about).text("gen_ai.event.content")
    given = Loose(parsed(whole)).mapping() if whole else dict(about)
    if speaker := _SPEAKERS.get(name):
        return [("input", {"role": speaker, "tool_call_id": given.get("id"), **given})]
    if name == "gen_ai.choice":
        message = Loose(given.get("message"))
        answer = message.mapping() or Loose(parsed(message.text())).mapping() or given
        return [("output", {"role": "assistant", **answer})]
    if name in ("gen_ai.content.prompt", "gen_ai.content.completion"):
        prompt = name.endswith("prompt")
        listed = _listed(given.get("gen_ai.prompt" if prompt else "gen_ai.completion"))
        speaker, way = ("user", "input") if prompt else ("assistant", "output")
        return [(way, _spoken(message, speaker).mapping()) for message in listed]  # type: ignore[misc]
    return []


def _spoken(message: Loose, speaker: str) -> Loose:
    return Loose({"role": speaker, **message.mapping()})


def _openinference(item: Loose) -> Loose:
    """Every level of a numbered name has a word between; taken out, it is a chat message."""
    message = item.mapping("message")
    content = [part.mapping("message_content") for part in _levels(message.get("contents"))]
    calls = [call.mapping("tool_call") for call in _levels(message.get("tool_calls"))]
    return Loose({**message, "content": message.get("content") or content, "tool_calls": calls})


def _levels(value: object) -> list[Loose]:
    return [Loose(item) for item in _in_order(value)] if isinstance(value, dict) else []


def _in_order(numbered: Mapping[str, object]) -> list[object]:
    found = sorted((int(name), item) for name, item in numbered.items() if name.isdecimal() and len(name) < 9)
    return [_with_lists(item) for _, item in found]


def _with_lists(value: object) -> object:
    """Numbered calls inside a message as a list."""
    if isinstance(value, dict) and isinstance(calls := value.get("tool_calls"), dict):
        return {**value, "tool_calls": _in_order(calls)}
    return value


def _listed(value: object) -> list[Loose]:
    """A list, or JSON of one; a single object or text counts as one."""
    found = parsed(value) if isinstance(value, str) else value
    if isinstance(found, list):
        return [Loose({"content": item} if isinstance(item, str) else item) for item in found]
    if isinstance(found, dict):
        return [Loose(found)]
    return [Loose({"content": value})] if isinstance(value, str) and value else []


def _id(text: str) -> str:
    """An id in hexadecimal; empty when it is none, which zeros say, too."""
    if len(text) not in (16, 32):
        try:
            text = base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            return text
    return text.lower() if text.strip("0") else ""


def _moment(time: Loose) -> int:
    """Nanoseconds since 1970; 64-bit numbers are texts in JSON."""
    value = time.value
    if isinstance(value, str) and value.isdecimal() and len(value) < 25:
        return int(value)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _attributes(holder: Loose) -> dict[str, object]:
    return {pair.text("key"): _plain(pair.at("value")) for pair in holder.items("attributes")}


def _plain(value: Loose) -> object:
    """OTLP names the type of every value."""
    for name, found in value.mapping().items():
        match name:
            case "intValue":
                is_text = isinstance(found, str) and found.lstrip("-").isdecimal() and len(found) < 25
                return int(str(found)) if is_text else found
            case "arrayValue":
                return [_plain(item) for item in Loose(found).items("values")]
            case "kvlistValue":
                return {pair.text("key"): _plain(pair.at("value")) for pair in Loose(found).items("values")}
            case _:
                return found
    return None
