"""Clients of the official SDKs for each kind of login: a key, Azure's identities, a cloud's own credentials.

SDKs are imported here and only when a model of theirs is opened; one that is missing is named with the
command that installs it. Azure's identity library is synchronous, so tokens are fetched in a thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from sharpen.models.endpoint import Endpoint, need_key
from sharpen.models.errors import ModelError
from sharpen.models.settings import ModelSettings
from sharpen.models.transport import LogRedaction, SdkErrors, SdkTransport, http_client
from sharpen.redaction import Redactor

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex
    from openai import AsyncOpenAI

AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
AZURE_VERSION = "2024-12-01-preview"
_NO_KEY = "unused"  # the SDKs want a string; servers without keys ignore it

TokenSource = Callable[[], Awaitable[str]]


def openai(endpoint: Endpoint, *, timeout: float) -> SdkTransport:
    """Any server that speaks OpenAI's protocols."""
    import openai as sdk

    _hide_query(endpoint)

    def make() -> AsyncOpenAI:
        return sdk.AsyncOpenAI(
            api_key=endpoint.key or _NO_KEY,
            base_url=endpoint.base_url,
            default_query=dict(endpoint.query) or None,
            max_retries=0,
            http_client=_http(endpoint),
        )

    return SdkTransport(make, _openai_errors(), timeout=timeout)


def anthropic(endpoint: Endpoint, *, timeout: float) -> SdkTransport:
    """Any server that speaks Anthropic's Messages; its SDK adds /v1 itself."""
    import anthropic as sdk

    _hide_query(endpoint)

    def make() -> AsyncAnthropic:
        return sdk.AsyncAnthropic(
            api_key=endpoint.key or _NO_KEY,
            base_url=endpoint.base_url.removesuffix("/v1"),
            default_query=dict(endpoint.query) or None,
            max_retries=0,
            http_client=_http(endpoint),
        )

    return SdkTransport(make, _anthropic_errors(), timeout=timeout)


def cloud(endpoint: Endpoint, base_url: str | None, *, timeout: float) -> SdkTransport:
    """Claude on Bedrock or Vertex, with the platform's own credentials and region variables."""
    import anthropic as sdk

    extra, package = {"bedrock": ("bedrock", "boto3"), "vertex": ("vertex", "google.auth")}[endpoint.provider]
    _need(package, f"{extra}: needs Anthropic's {extra} extra; pip install 'sharpen[{extra}]'")

    def make() -> AsyncAnthropicBedrock | AsyncAnthropicVertex:
        http = _http(endpoint)
        if endpoint.provider == "bedrock":
            return sdk.AsyncAnthropicBedrock(base_url=base_url, max_retries=0, http_client=http)
        return sdk.AsyncAnthropicVertex(base_url=base_url, max_retries=0, http_client=http)

    return SdkTransport(make, _anthropic_errors(), timeout=timeout)


def azure(
    endpoint: Endpoint, settings: ModelSettings, environ: Mapping[str, str], *, timeout: float
) -> SdkTransport:
    """Azure OpenAI by key, managed identity or CLI login; addresses that end in /v1 take no version."""
    import openai as sdk

    mode = settings.azure_login or environ.get("AZURE_OPENAI_AUTH_MODE") or "key"
    if mode == "openai_compatible":
        need_key(endpoint)
        return openai(endpoint, timeout=timeout)
    token = _azure_token(mode, environ)
    if token is None:
        need_key(endpoint)
    if endpoint.base_url.endswith("/v1"):
        return _azure_v1(endpoint, token, timeout=timeout)
    version = settings.api_version or environ.get("AZURE_OPENAI_API_VERSION") or AZURE_VERSION
    _hide_query(endpoint)

    def make() -> AsyncOpenAI:
        return sdk.AsyncAzureOpenAI(
            azure_endpoint=endpoint.base_url,
            api_version=version,
            api_key=(endpoint.key or _NO_KEY) if token is None else None,
            azure_ad_token_provider=token,
            max_retries=0,
            http_client=_http(endpoint),
        )

    return SdkTransport(make, _openai_errors(), timeout=timeout)


def _azure_v1(endpoint: Endpoint, token: TokenSource | None, *, timeout: float) -> SdkTransport:
    import openai as sdk

    if token is None:
        return openai(endpoint, timeout=timeout)

    def make() -> AsyncOpenAI:
        return sdk.AsyncOpenAI(
            api_key=token, base_url=endpoint.base_url, max_retries=0, http_client=_http(endpoint)
        )

    return SdkTransport(make, _openai_errors(), timeout=timeout)


def _azure_token(mode: str, environ: Mapping[str, str]) -> TokenSource | None:
    """Where tokens come from; None for a plain key."""
    if mode in ("key", "api_key"):
        return None
    if mode not in ("managed_identity", "cli", "azure_cli"):
        raise ModelError(
            f"AZURE_OPENAI_AUTH_MODE is {mode!r};"
            " it may be api_key, managed_identity, azure_cli or openai_compatible"
        )
    _need("azure.identity", "this login needs the package azure-identity; pip install 'sharpen[azure]'")
    from azure.identity import AzureCliCredential, ManagedIdentityCredential, get_bearer_token_provider

    credential: AzureCliCredential | ManagedIdentityCredential
    if mode == "managed_identity":
        client_id = environ.get("AZURE_OPENAI_MANAGED_IDENTITY_CLIENT_ID") or None
        credential = ManagedIdentityCredential(client_id=client_id)
    else:
        credential = AzureCliCredential()
    provider = get_bearer_token_provider(credential, environ.get("AZURE_OPENAI_AD_SCOPE") or AZURE_SCOPE)

    async def token() -> str:
        return await asyncio.to_thread(provider)

    return token


def _http(endpoint: Endpoint) -> httpx2.AsyncClient:
    return http_client(on_loopback=endpoint.on_loopback, login=endpoint.login)


def _hide_query(endpoint: Endpoint) -> None:
    """A key in the query is part of every URL, and HTTP libraries log URLs."""
    if endpoint.query:
        shown = LogRedaction(Redactor(endpoint.secrets))
        for name in ("httpx2", "httpx"):
            logging.getLogger(name).addFilter(shown)


def _need(package: str, message: str) -> None:
    import importlib.util

    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ModelError(message)


def _openai_errors() -> SdkErrors:
    import openai as sdk

    return SdkErrors(sdk.APITimeoutError, sdk.APIConnectionError, sdk.APIStatusError)


def _anthropic_errors() -> SdkErrors:
    import anthropic as sdk

    return SdkErrors(sdk.APITimeoutError, sdk.APIConnectionError, sdk.APIStatusError)
