"""Where a model is and how one gets in: names, addresses and keys from settings and environment.

Turns `provider:model` plus settings into an `Endpoint`. Variables of the providers themselves and those of
SkillOpt are read, the latter also with a role's prefix. Keys stay in the record and out of its repr. No SDK
and no connection here.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from sharpen.errors import SettingsError
from sharpen.models.errors import ModelError
from sharpen.models.settings import Api, ModelSettings

ROLE_PREFIXES: Mapping[str | None, tuple[str, ...]] = {
    "teacher": ("OPTIMIZER_", ""),
    "student": ("TARGET_", ""),
    None: ("",),
}


@dataclass(frozen=True)
class Family:
    """What is particular to one provider: its variables, its address, the protocols it speaks."""

    keys: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    address: str = ""
    apis: tuple[Api, ...] = ("chat",)
    key_needed: bool = True
    tuning: str = ""  # SkillOpt's prefix of …_TEMPERATURE, …_MAX_TOKENS, …_TIMEOUT_SECONDS, …_THINKING_MODE


FAMILIES: Mapping[str, Family] = {
    "openai": Family(
        ("OPENAI_API_KEY",), ("OPENAI_BASE_URL",), (), "https://api.openai.com/v1", ("chat", "responses")
    ),
    "azure": Family(
        ("AZURE_OPENAI_API_KEY",),
        ("AZURE_OPENAI_ENDPOINT",),
        ("AZURE_OPENAI_DEPLOYMENT",),
        "",
        ("chat", "responses"),
    ),
    "anthropic": Family(
        ("ANTHROPIC_API_KEY",), ("ANTHROPIC_BASE_URL",), (), "https://api.anthropic.com", ("messages",)
    ),
    "bedrock": Family((), (), (), "bedrock", ("messages",), key_needed=False),
    "vertex": Family((), (), (), "vertex", ("messages",), key_needed=False),
    "gemini": Family(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("GOOGLE_GEMINI_BASE_URL",),
        (),
        "https://generativelanguage.googleapis.com",
        (),
    ),
    "qwen": Family(
        ("QWEN_CHAT_API_KEY", "DASHSCOPE_API_KEY"),
        ("QWEN_CHAT_BASE_URL",),
        ("QWEN_CHAT_MODEL",),
        "",
        ("chat", "responses", "messages"),
        key_needed=False,
        tuning="QWEN_CHAT",
    ),
    "vllm": Family(
        ("VLLM_API_KEY",),
        ("VLLM_BASE_URL",),
        (),
        "http://127.0.0.1:8000/v1",
        ("chat", "responses", "messages"),
        key_needed=False,
    ),
    "minimax": Family(
        ("MINIMAX_API_KEY",),
        ("MINIMAX_BASE_URL",),
        ("MINIMAX_MODEL",),
        "https://api.minimax.io/v1",
        tuning="MINIMAX",
    ),
    "compatible": Family(
        ("OPENAI_COMPATIBLE_API_KEY",),
        ("OPENAI_COMPATIBLE_BASE_URL",),
        ("OPENAI_COMPATIBLE_MODEL",),
        "",
        ("chat", "responses", "messages"),
        key_needed=False,
        tuning="OPENAI_COMPATIBLE",
    ),
    "local": Family(apis=("chat", "responses", "messages"), key_needed=False),
}
PROVIDERS = (*FAMILIES, "recorded", "simulated")


@dataclass(frozen=True)
class Endpoint:
    """A server, a model on it, and what opens its door. `base_url` has neither password nor query."""

    provider: str
    model: str
    base_url: str
    key: str | None = field(default=None, repr=False)
    key_names: tuple[str, ...] = ()
    login: tuple[str, str] | None = field(default=None, repr=False)
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def place(self) -> str:
        """Host and path, to tell endpoints apart and to show."""
        parts = urlsplit(self.base_url)
        return f"{parts.netloc}{parts.path}".rstrip("/") or self.base_url

    @property
    def on_loopback(self) -> bool:
        return (urlsplit(self.base_url).hostname or "") in ("127.0.0.1", "localhost", "::1")

    @property
    def secrets(self) -> tuple[str, ...]:
        hidden = [self.key, *(self.login or ()), *(value for _, value in self.query)]
        return tuple(secret for secret in hidden if secret)


def split_name(name: str) -> tuple[str, str]:
    """`provider:model` into its two parts; an unknown provider is answered with the nearest."""
    provider, colon, model = name.partition(":")
    if not colon:
        raise ModelError(
            f"{name!r} does not say whose model it is; write PROVIDER:MODEL,"
            f" for example openai:{name or 'gpt-5-mini'}"
        )
    if provider not in PROVIDERS:
        near = difflib.get_close_matches(provider.lower(), PROVIDERS, n=1)
        hint = f"did you mean {near[0]}:{model}? " if near else ""
        raise ModelError(f"there is no provider {provider!r}; {hint}there are {', '.join(PROVIDERS)}")
    return provider, model


def find_endpoint(provider: str, model: str, settings: ModelSettings, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint of a provider that answers over the network."""
    family = FAMILIES[provider]
    look = _Lookup(environ, ROLE_PREFIXES[settings.role])
    model = model or look.first(family.models)
    if not model:
        also = f", or set {family.models[0]}" if family.models else ""
        raise ModelError(f"'{provider}:' names no model; write {provider}:MODEL{also}")
    address = settings.base_url or look.first(family.urls) or family.address
    if not address and provider == "qwen" and look.first(("DASHSCOPE_API_KEY",)):
        address = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"
    if not address:
        raise ModelError(f"{provider}:{model} has no address; set base_url or {' or '.join(family.urls)}")
    names = (settings.key_variable,) if settings.key_variable else family.keys
    endpoint = _parsed(Endpoint(provider, model, address, look.first(names) or None, names))
    if endpoint.key is None and settings.key_variable:
        raise ModelError(f"{endpoint.name}: the environment variable {settings.key_variable} is not set")
    return endpoint


def need_key(endpoint: Endpoint) -> None:
    """Refuse to go on without a key where the provider wants one; servers on loopback usually do not."""
    wanted = FAMILIES[endpoint.provider].key_needed and not (endpoint.on_loopback or endpoint.login)
    if wanted and endpoint.key is None:
        raise ModelError(
            f"no key for {endpoint.name}: set the environment variable {' or '.join(endpoint.key_names)},"
            " or name another one with key_variable"
        )


def tuned(provider: str, settings: ModelSettings, environ: Mapping[str, str]) -> ModelSettings:
    """Settings with SkillOpt's variables where nothing was said; the fingerprint sees no difference."""
    prefix = FAMILIES[provider].tuning if provider in FAMILIES else ""
    if not prefix:
        return settings
    look = _Lookup(environ, ROLE_PREFIXES[settings.role])
    if settings.temperature is None:
        settings = replace(settings, temperature=look.number(f"{prefix}_TEMPERATURE"))
    if settings.max_tokens is None and (limit := look.number(f"{prefix}_MAX_TOKENS")) is not None:
        settings = replace(settings, max_tokens=int(limit))
    if settings.timeout is None:
        settings = replace(settings, timeout=look.number(f"{prefix}_TIMEOUT_SECONDS"))
    if settings.thinking is None:
        settings = replace(settings, thinking=_thinking_mode(look, prefix))
    return settings


def _thinking_mode(look: _Lookup, prefix: str) -> bool | None:
    mode = (
        look.first((f"{prefix}_THINKING_MODE",))
        or look.first((f"{prefix}_ENABLE_THINKING",))
        or "server_default"
    )
    modes = {"enabled": True, "disabled": False, "true": True, "false": False, "server_default": None}
    if mode.lower() not in modes:
        raise SettingsError(
            f"{prefix}_THINKING_MODE is {mode!r}; it may be enabled, disabled or server_default"
        )
    return modes[mode.lower()]


@dataclass(frozen=True)
class _Lookup:
    """The environment, looked at with a role's prefix first."""

    environ: Mapping[str, str]
    prefixes: tuple[str, ...]

    def first(self, names: tuple[str, ...]) -> str:
        for prefix in self.prefixes:
            for name in names:
                if value := self.environ.get(prefix + name, "").strip():
                    return value
        return ""

    def number(self, name: str) -> float | None:
        text = self.first((name,))
        try:
            return float(text) if text else None
        except ValueError:
            raise SettingsError(f"{name} must be a number, not {text!r}") from None


def _parsed(endpoint: Endpoint) -> Endpoint:
    """Password and query taken out of the address, so that no log or message can show them."""
    if endpoint.base_url in ("bedrock", "vertex"):
        return endpoint
    parts = _split(endpoint)
    login = None
    if parts.username is not None:
        login = (unquote(parts.username), unquote(parts.password or ""))
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    netloc = host if parts.port is None else f"{host}:{parts.port}"
    clean = urlunsplit((parts.scheme, netloc, parts.path.rstrip("/"), "", ""))
    return replace(endpoint, base_url=clean, login=login, query=tuple(parse_qsl(parts.query)))


def _split(endpoint: Endpoint) -> SplitResult:
    try:
        parts = urlsplit(endpoint.base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ModelError(
            f"the base URL of {endpoint.name} is not an http or https address; it looks like https://host/v1"
        )
    return parts
