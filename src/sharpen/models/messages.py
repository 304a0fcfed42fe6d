"""What is asked: messages, images, tools, and the request that holds them.

Plain immutable records, the same for every provider; how they are spelled on a wire is in `protocols/`.
A request is named by its digest, under which its answer is kept. Nothing here knows a server.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

from sharpen.errors import SettingsError
from sharpen.types import Json, digest_of

Role = Literal["user", "assistant", "tool"]

_MEDIA_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True)
class Image:
    """A picture in a message."""

    data: bytes = field(repr=False)
    media_type: str = "image/png"

    def __post_init__(self) -> None:
        if self.media_type not in _MEDIA_TYPES:
            raise SettingsError(
                f"an image of type {self.media_type!r} cannot be sent; use one of {', '.join(_MEDIA_TYPES)}"
            )

    @classmethod
    def from_base64(cls, text: str, media_type: str = "image/png") -> Image:
        try:
            return cls(base64.b64decode(text, validate=True), media_type)
        except binascii.Error as error:
            raise SettingsError(f"the image is not base64: {error}") from None

    @cached_property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode("ascii")

    @property
    def data_url(self) -> str:
        return f"data:{self.media_type};base64,{self.base64}"

    def to_json(self) -> Json:
        return {"data": self.base64, "media_type": self.media_type}


@dataclass(frozen=True)
class ToolSpec:
    """A tool that the model may call; `parameters` is the JSON schema of its arguments."""

    name: str
    description: str = ""
    parameters: Json = field(default_factory=lambda: {"type": "object", "properties": {}})

    def to_json(self) -> Json:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


@dataclass(frozen=True)
class ToolCall:
    """A tool the model wants run. Arguments that did not parse are kept in `text`, and `error` says why."""

    id: str
    name: str
    arguments: Json = field(default_factory=dict)
    text: str = ""
    error: str = ""

    def to_json(self) -> Json:
        plain = {"id": self.id, "name": self.name, "arguments": self.arguments}
        return plain | ({"text": self.text, "error": self.error} if self.error else {})

    @classmethod
    def from_json(cls, value: Json) -> ToolCall:
        return cls(
            value["id"], value["name"], value["arguments"], value.get("text", ""), value.get("error", "")
        )


@dataclass(frozen=True)
class Message:
    """One turn. `parts` are the provider's own blocks of an earlier answer, sent back as they came."""

    role: Role
    text: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    parts: tuple[Json, ...] = ()

    def __post_init__(self) -> None:
        if self.role not in ("user", "assistant", "tool"):
            raise SettingsError(
                f"a message's role is 'user', 'assistant' or 'tool', not {self.role!r};"
                " system text goes into Request(system=…)"
            )
        if self.role == "tool" and not self.tool_call_id:
            raise SettingsError("a tool's answer needs the tool_call_id of the call it answers")

    def to_json(self) -> Json:
        value: dict[str, object] = {"role": self.role, "text": self.text}
        if self.images:
            value["images"] = [image.to_json() for image in self.images]
        if self.tool_calls:
            value["tool_calls"] = [call.to_json() for call in self.tool_calls]
        if self.tool_call_id:
            value["tool_call_id"] = self.tool_call_id
        if self.parts:
            value["parts"] = list(self.parts)
        return value

    @classmethod
    def from_json(cls, value: Json) -> Message:
        return cls(
            role=cast(Role, value["role"]),
            text=value["text"],
            images=tuple(Image.from_base64(i["data"], i["media_type"]) for i in value.get("images", ())),
            tool_calls=tuple(ToolCall.from_json(call) for call in value.get("tool_calls", ())),
            tool_call_id=value.get("tool_call_id", ""),
            parts=tuple(value.get("parts", ())),
        )


@dataclass(frozen=True)
class Request:
    """Everything that is sent. Two requests with one digest are the same question."""

    messages: Sequence[Message]
    system: str = ""
    tools: Sequence[ToolSpec] = ()
    schema: Json | None = None
    max_tokens: int = 1024
    temperature: float | None = None
    seed: int | None = None
    stop: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("messages", "tools", "stop"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.messages:
            raise SettingsError("a request needs at least one message")
        if isinstance(self.max_tokens, bool) or self.max_tokens < 1:
            raise SettingsError(f"max_tokens must be at least 1, not {self.max_tokens!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise SettingsError(f"temperature must lie in 0..2, not {self.temperature!r}")

    @classmethod
    def of(cls, text: str, *, system: str = "", max_tokens: int = 1024) -> Request:
        """A single question."""
        return cls((Message("user", text),), system=system, max_tokens=max_tokens)

    @cached_property
    def digest(self) -> str:
        return digest_of("request", self.to_json())

    @property
    def has_images(self) -> bool:
        return any(message.images for message in self.messages)

    def to_json(self) -> Json:
        value: dict[str, object] = {
            "messages": [message.to_json() for message in self.messages],
            "max_tokens": self.max_tokens,
        }
        extras: Mapping[str, object] = {
            "system": self.system,
            "tools": [tool.to_json() for tool in self.tools],
            "schema": self.schema,
            "temperature": self.temperature,
            "seed": self.seed,
            "stop": list(self.stop),
        }
        return value | {name: extra for name, extra in extras.items() if extra not in ("", [], None)}

    @classmethod
    def from_json(cls, value: Json) -> Request:
        return cls(
            messages=tuple(Message.from_json(message) for message in value["messages"]),
            system=value.get("system", ""),
            tools=tuple(
                ToolSpec(tool["name"], tool["description"], tool["parameters"])
                for tool in value.get("tools", ())
            ),
            schema=value.get("schema"),
            max_tokens=value["max_tokens"],
            temperature=value.get("temperature"),
            seed=value.get("seed"),
            stop=tuple(value.get("stop", ())),
        )
