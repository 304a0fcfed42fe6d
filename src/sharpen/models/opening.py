"""From a name to a model: `open_model("provider:model", settings)`.

Chooses protocol, transport and price for each provider and computes the fingerprint. Nothing is sent here,
and no state is kept: two models opened with different settings know nothing of each other. Models that share
an endpoint share its limiter when the caller hands both the same `Limiters`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from sharpen.errors import SettingsError
from sharpen.models.endpoint import FAMILIES, Endpoint, find_endpoint, need_key, split_name, tuned
from sharpen.models.limiter import Limiters
from sharpen.models.model import Model
from sharpen.models.prices import PRICES_VARIABLE, Price, price_of
from sharpen.models.protocols import Chat, Generate, Messages, Responses, Spelling, Wire
from sharpen.models.protocols.spelling import Dialect
from sharpen.models.remote import RemoteModel
from sharpen.models.retry import RetryPolicy
from sharpen.models.settings import ModelSettings
from sharpen.models.simulated import open_simulated
from sharpen.models.transport import Transport
from sharpen.types import CallLog, digest_of

TIMEOUT = 300.0  # seconds for one attempt, where nobody said otherwise

_WIRES: Mapping[str | None, type[Chat] | type[Responses] | type[Messages]] = {
    "chat": Chat,
    "responses": Responses,
    "messages": Messages,
}


def open_model(
    name: str,
    settings: ModelSettings | None = None,
    *,
    limiters: Limiters | None = None,
    log: CallLog | None = None,
    environ: Mapping[str, str] | None = None,
) -> Model:
    """The model of that name, ready to be asked; `log` is where a `recorded:` model finds its answers."""
    provider, model = split_name(name)
    settings = settings or ModelSettings()
    environ = os.environ if environ is None else environ
    if provider == "simulated":
        return open_simulated(model, settings)
    if provider == "recorded":
        from sharpen.models.recorded import open_recorded

        return open_recorded(model, log)
    if provider == "local":
        from sharpen.models.served import open_local

        return open_local(model, settings)
    settings = tuned(provider, settings, environ)
    endpoint = find_endpoint(provider, model, settings, environ)
    return open_remote(endpoint, settings, limiters=limiters or Limiters(), environ=environ)


def open_remote(
    endpoint: Endpoint, settings: ModelSettings, *, limiters: Limiters, environ: Mapping[str, str]
) -> RemoteModel:
    """A model at a known endpoint."""
    spelling = _spelling(endpoint, settings)
    wire = wire_for(endpoint.provider, settings, spelling)
    return RemoteModel(
        endpoint=endpoint,
        fingerprint=fingerprint_for(endpoint, settings),
        wire=wire,
        spelling=spelling,
        transport=_transport(endpoint, wire, settings, environ),
        limiter=limiters.of(endpoint.place, settings.concurrency),
        policy=policy_for(settings),
        price=settings.price or _listed_price(endpoint, settings, environ),
    )


def policy_for(settings: ModelSettings) -> RetryPolicy:
    return RetryPolicy(settings.max_attempts, settings.max_wait, settings.first_wait)


def fingerprint_for(endpoint: Endpoint, settings: ModelSettings, place: str | None = None) -> str:
    """The name, the place and every setting that changes answers; no key, no timeout."""
    shaping = (
        settings.api,
        settings.thinking,
        dict(settings.chat_template),
        dict(settings.extra_body),
        settings.temperature,
        settings.max_tokens,
    )
    plain = ModelSettings()
    is_plain = shaping == (None, None, {}, {}, plain.temperature, plain.max_tokens)
    suffix = "" if is_plain else f"#{digest_of(*shaping)[:12]}"
    return f"{endpoint.name}@{endpoint.place if place is None else place}{suffix}"


def wire_for(provider: str, settings: ModelSettings, spelling: Spelling) -> Wire:
    """The protocol: the one asked for where the provider speaks it, else its usual one."""
    if provider == "gemini":
        if settings.api is not None:
            raise SettingsError(f"gemini: has one protocol of its own; leave out api={settings.api!r}")
        return Generate(spelling)
    spoken = FAMILIES[provider].apis
    if settings.api is not None and settings.api not in spoken:
        raise SettingsError(f"{provider}: does not speak {settings.api!r}; it speaks {', '.join(spoken)}")
    return _WIRES[settings.api or spoken[0]](spelling)


def _spelling(endpoint: Endpoint, settings: ModelSettings) -> Spelling:
    return Spelling(
        endpoint.model,
        _dialect(endpoint),
        settings.temperature,
        settings.max_tokens,
        settings.thinking,
        settings.chat_template,
        settings.extra_body,
    )


def _dialect(endpoint: Endpoint) -> Dialect:
    if "dashscope" in endpoint.place:
        return "dashscope"
    return "compatible" if endpoint.provider in ("qwen", "vllm", "minimax", "compatible", "local") else "own"


def _listed_price(endpoint: Endpoint, settings: ModelSettings, environ: Mapping[str, str]) -> Price | None:
    """The shipped prices are those of the providers' own addresses; elsewhere the same name may cost more."""
    file = settings.prices_file or environ.get(PRICES_VARIABLE) or None
    at_home = endpoint.base_url == FAMILIES[endpoint.provider].address
    return price_of(endpoint.provider, endpoint.model, file=file, shipped=at_home)


def _transport(
    endpoint: Endpoint, wire: Wire, settings: ModelSettings, environ: Mapping[str, str]
) -> Transport:
    from sharpen.models import clients

    timeout = settings.timeout or TIMEOUT
    if endpoint.provider == "azure":
        return clients.azure(endpoint, settings, environ, timeout=timeout)
    need_key(endpoint)
    if endpoint.provider == "gemini":
        from sharpen.models.google import GoogleTransport

        return GoogleTransport(endpoint, timeout=timeout)
    if endpoint.provider in ("bedrock", "vertex"):
        return clients.cloud(endpoint, settings.base_url, timeout=timeout)
    if isinstance(wire, Messages):
        return clients.anthropic(endpoint, timeout=timeout)
    return clients.openai(endpoint, timeout=timeout)
