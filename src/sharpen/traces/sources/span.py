"""One OpenTelemetry span, its attributes read under the names of GenAI and of OpenInference alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sharpen.traces.lines import Loose, parsed, text_of

Kind = Literal["model", "tool", "agent", ""]

_OPERATIONS: dict[str, Kind] = {
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "create_agent": "agent",
}
_KINDS: dict[str, Kind] = {
    "LLM": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "agent",
    "EVALUATOR": "agent",
}
_ERROR = (2, "2", "STATUS_CODE_ERROR")
_DEEPEST = 64
"""Items of a flattened list that are put together at most; conversations in attributes are not longer."""


@dataclass(frozen=True)
class Span:
    """A span, its attributes as plain values."""

    trace: str
    name_of_call: str
    is_outermost: bool
    start: float
    service: str
    failed: bool
    message: str
    attributes: dict[str, object]

    @property
    def kind(self) -> Kind:
        named = _OPERATIONS.get(self.text("gen_ai.operation.name"))
        return named or _KINDS.get(self.text("openinference.span.kind").upper(), "")

    @property
    def model(self) -> str:
        names = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
        return next((found for name in names if (found := self.text(name))), "")

    @property
    def tool(self) -> str:
        return self.text("gen_ai.tool.name") or self.text("tool.name")

    @property
    def argument(self) -> object:
        return next(
            (
                self.attributes[name]
                for name in ("gen_ai.tool.call.arguments", "input.value", "tool.parameters")
                if name in self.attributes
            ),
            None,
        )

    @property
    def result(self) -> str:
        found = next(
            (
                self.attributes[name]
                for name in ("gen_ai.tool.call.result", "output.value")
                if name in self.attributes
            ),
            self.message,
        )
        return found if isinstance(found, str) else text_of(Loose(found)) or str(found)

    @property
    def tokens(self) -> tuple[int, int, int] | None:
        prompt = self.count("gen_ai.usage.input_tokens", "llm.token_count.prompt")
        if prompt is None:
            return None
        cached = self.count(
            "gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"
        )
        return (
            prompt,
            self.count("gen_ai.usage.output_tokens", "llm.token_count.completion") or 0,
            cached or 0,
        )

    def text(self, name: str) -> str:
        return Loose(self.attributes).text(name)

    def number(self, name: str) -> float | None:
        return Loose(self.attributes).amount(name)

    def count(self, *names: str) -> int | None:
        found = (Loose(self.attributes).whole(name) for name in names)
        return next((number for number in found if number is not None), None)

    def instructions(self) -> str:
        value = self.attributes.get("gen_ai.system_instructions")
        given = Loose(parsed(value) if isinstance(value, str) else value)
        return text_of(given) or (value if isinstance(value, str) else "")

    def messages(self, way: Literal["input", "output"]) -> list[Loose]:
        """The messages that went in or came out."""
        value = self.attributes.get(f"gen_ai.{way}.messages")
        listed = Loose(parsed(value) if isinstance(value, str) else value).items()
        return listed or [Loose(message) for message in self._flattened(f"llm.{way}_messages")]

    def _flattened(self, prefix: str) -> list[dict[str, object]]:
        """OpenInference spells lists as numbered names."""
        messages: list[dict[str, object]] = []
        for number in range(_DEEPEST):
            stem = f"{prefix}.{number}.message."
            if not any(name.startswith(stem) for name in self.attributes):
                break
            calls = [
                call
                for place in range(_DEEPEST)
                if (call := self._call(f"{stem}tool_calls.{place}.tool_call."))
            ]
            role, content = self.text(f"{stem}role"), self.text(f"{stem}content") or self._contents(stem)
            name = self.text(f"{stem}tool_call_id")
            messages.append({"role": role, "content": content, "tool_calls": calls, "tool_call_id": name})
        return messages

    def _contents(self, stem: str) -> str:
        texts = (self.text(f"{stem}contents.{place}.message_content.text") for place in range(_DEEPEST))
        return "\n".join(text for text in texts if text)

    def _call(self, stem: str) -> dict[str, object] | None:
        name = self.text(f"{stem}function.name")
        if not name:
            return None
        return {
            "id": self.text(f"{stem}id"),
            "function": {"name": name, "arguments": self.text(f"{stem}function.arguments")},
        }


def span_of(span: Loose, service: str) -> Span:
    start = span.at("startTimeUnixNano").value
    return Span(
        trace=span.text("traceId"),
        name_of_call=span.text("spanId"),
        is_outermost=not span.text("parentSpanId"),
        start=float(start)
        if isinstance(start, (int, float)) or (isinstance(start, str) and start.isdigit())
        else 0.0,
        service=service,
        failed=span.at("status", "code").value in _ERROR,
        message=span.text("status", "message"),
        attributes={pair.text("key"): _plain(pair.at("value")) for pair in span.items("attributes")},
    )


def _plain(value: Loose) -> object:
    """OTLP names the type of every value."""
    for name, found in value.mapping().items():
        match name:
            case "intValue":
                return int(found) if isinstance(found, str) and found.lstrip("-").isdigit() else found
            case "arrayValue":
                return [_plain(item) for item in Loose(found).items("values")]
            case "kvlistValue":
                return {pair.text("key"): _plain(pair.at("value")) for pair in Loose(found).items("values")}
            case _:
                return found
    return None
