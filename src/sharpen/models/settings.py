"""Everything a model can be told, one line per field; checked when it is made.

No field holds a key: keys come from the environment, and only the variable's name may be given here.
Teacher and student have settings of their own; two models share nothing but what the caller shares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sharpen.errors import SettingsError
from sharpen.models.prices import Price
from sharpen.types import Json

Api = Literal["chat", "responses", "messages"]
ModelRole = Literal["teacher", "student"]
AzureLogin = Literal["key", "managed_identity", "cli"]

_CHOICES: Mapping[str, tuple[str | None, ...]] = {
    "api": ("chat", "responses", "messages", None),
    "role": ("teacher", "student", None),
    "azure_login": ("key", "managed_identity", "cli", None),
}


@dataclass(frozen=True)
class ModelSettings:
    """How one model is reached and asked. The defaults suit every provider."""

    base_url: str | None = (
        None  # where the server is, with its /v1; else the provider's variable or own address
    )
    key_variable: str | None = None  # the environment variable that holds the key, never the key itself
    api: Api | None = None  # the protocol, where a server speaks several; else the provider's usual one
    role: ModelRole | None = None  # prefers SkillOpt's OPTIMIZER_… (teacher) or TARGET_… (student) variables
    timeout: float | None = (
        None  # seconds for one attempt, from connecting to the last byte; 300 if not given
    )
    max_attempts: int = 4  # requests made for one call at most
    max_wait: float = 120.0  # seconds spent waiting between the attempts of one call at most
    first_wait: float = 0.5  # seconds before the second attempt; doubles from one to the next, jittered
    concurrency: int = 64  # requests under way at once at most
    thinking: bool | int | str | None = (
        None  # on or off, a budget in tokens, or an effort; None sends nothing
    )
    chat_template: Json = field(default_factory=dict)  # chat_template_kwargs of servers that know them
    extra_body: Json = field(default_factory=dict)  # further fields of the request body, sent as they are
    price: Price | None = None  # dollars per million tokens, instead of the table's
    prices_file: str | Path | None = (
        None  # a price table looked at before the shipped one; else $SHARPEN_PRICES
    )
    temperature: float | None = None  # for requests that name none
    max_tokens: int | None = None  # instead of what requests name
    azure_login: AzureLogin | None = None  # how to log in to Azure; else AZURE_OPENAI_AUTH_MODE, else by key
    api_version: str | None = None  # Azure's API version; else AZURE_OPENAI_API_VERSION

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                choices = ", ".join(repr(choice) for choice in allowed if choice is not None)
                raise SettingsError(f"{name} must be one of {choices}, not {getattr(self, name)!r}")
        for name, least in (("max_attempts", 1), ("concurrency", 1), ("max_tokens", 1)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                raise SettingsError(f"{name} must be a whole number of at least {least}, not {value!r}")
        for name in ("timeout", "max_wait", "first_wait"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise SettingsError(f"{name} must be a number of seconds, not {value!r}")
        if self.timeout == 0:
            raise SettingsError("timeout must be more than 0 seconds")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise SettingsError(f"temperature must lie in 0..2, not {self.temperature!r}")
        self._check_key_variable()

    def _check_key_variable(self) -> None:
        name = self.key_variable
        if name is not None and not (name.isidentifier() and name.isascii()):
            raise SettingsError(
                "key_variable must be the name of an environment variable such as OPENAI_API_KEY;"
                " what was given is not a name, and is not shown in case it is a key"
            )
