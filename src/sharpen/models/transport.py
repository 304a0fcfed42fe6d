"""The official SDKs as plain senders of JSON: they bring login and connections, the bodies are ours.

Retries of the SDKs are off and an attempt has one deadline from connecting to the last byte, so that neither
a hanging nor a dripping server holds a call. Whatever goes wrong becomes a `TransportError`. Clients belong
to an event loop; a model used in a second loop gets a second client. No SDK is imported before it is needed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from urllib.request import getproxies

from sharpen.models.faults import TransportError, retry_after
from sharpen.redaction import Redactor
from sharpen.types import Json

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex
    from openai import AsyncOpenAI

    SdkClient = AsyncOpenAI | AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex

C = TypeVar("C")


class Transport(Protocol):
    """Sends one payload, once."""

    async def send(self, path: str, payload: Json) -> Json: ...
    async def model_names(self) -> list[str]: ...
    async def aclose(self) -> None: ...


class PerLoop(Generic[C]):
    """A client made anew for every event loop, because its connections die with the loop of their making."""

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: C | None = None

    def get(self) -> C:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._make(), loop
        return self._client

    def take(self) -> C | None:
        """The client of this loop, to be closed; the next `get` makes another."""
        client = self._client if self._loop is asyncio.get_running_loop() else None
        self._client = None
        return client


@dataclass(frozen=True)
class SdkErrors:
    """The exceptions of an SDK, which both generated SDKs name alike."""

    timeout: type[Exception]
    connection: type[Exception]
    status: type[Exception]


class SdkTransport:
    """OpenAI's and Anthropic's SDK: both have `post` and `get` for any path, and the same kinds of errors."""

    def __init__(self, make: Callable[[], SdkClient], errors: SdkErrors, *, timeout: float) -> None:
        self._client = PerLoop(make)
        self._errors = errors
        self._timeout = timeout

    async def send(self, path: str, payload: Json) -> Json:
        response = await self._request("post", path, payload)
        return decoded(response.content, response.headers.get("content-type", ""))

    async def model_names(self) -> list[str]:
        response = await self._request("get", "/models", None)
        listed = decoded(response.content, response.headers.get("content-type", "")).get("data", [])
        return [str(entry["id"]) for entry in listed if isinstance(entry, dict) and "id" in entry]

    async def aclose(self) -> None:
        client = self._client.take()
        if client is not None:
            await client.close()

    async def _request(self, method: str, path: str, payload: Json | None) -> httpx2.Response:
        import httpx2

        errors = self._errors
        try:
            client = self._client.get()
            async with asyncio.timeout(self._timeout):
                if method == "get":
                    return await client.get(path, cast_to=httpx2.Response)
                return await client.post(path, cast_to=httpx2.Response, body=payload)
        except (TimeoutError, errors.timeout):
            raise TransportError("timeout", f"no whole answer within {self._timeout:g} s") from None
        except errors.connection as error:
            raise TransportError("connection", described(error.__cause__ or error)) from None
        except errors.status as error:
            raise status_fault(getattr(error, "response", None), str(error)) from None
        except Exception as error:  # noqa: BLE001 - an SDK's own complaint (credentials, encoding) may hold secrets
            raise TransportError("client", described(error)) from None


def decoded(content: bytes | str, content_type: str) -> dict[str, Any]:
    """The body of a 200 as a JSON object; anything else is a fault of the transport, which may pass."""
    if "json" not in content_type:
        raise TransportError(
            "garbled", f"the answer is {content_type or 'of no type'}, not JSON: {_start(content)}"
        )
    try:
        body = json.loads(content)
    except ValueError:
        raise TransportError("garbled", f"the answer is broken JSON: {_start(content)}") from None
    if not isinstance(body, dict):
        raise TransportError("garbled", f"the answer is not a JSON object: {_start(content)}")
    if isinstance(body.get("error"), dict):  # some gateways put errors of the server behind into a 200
        raise TransportError("garbled", f"the answer is an error: {_words(body) or _start(content)}")
    return body


def status_fault(response: httpx2.Response | None, message: str) -> TransportError:
    """A status that is not 200, with the server's words and its wish for a pause."""
    if response is None:
        return TransportError("client", message)
    try:
        words = _words(response.json())
    except ValueError:
        words = ""
    return TransportError(
        "status",
        words or _start(response.text),
        status=response.status_code,
        retry_after=retry_after(response.headers, time.time()),
    )


def described(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def http_client(*, on_loopback: bool, login: tuple[str, str] | None) -> httpx2.AsyncClient:
    """Loopback is never sent through a proxy; redirects are not followed, because keys would go along.

    Without timeouts of its own: an attempt has one deadline, and whoever sends keeps it.
    """
    import httpx2

    from sharpen.models.spread import SpreadTransport

    certificates = _certificates()
    behind_proxy = not on_loopback and bool(getproxies())  # a client given a transport knows no proxies
    return httpx2.AsyncClient(
        timeout=None,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=256),
        trust_env=behind_proxy,
        verify=certificates,
        transport=None if behind_proxy else SpreadTransport(certificates),
        auth=login,
        follow_redirects=False,
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Loading certificates takes longer than many a request; all clients use the same."""
    import httpx2

    return httpx2.create_ssl_context()


class LogRedaction(logging.Filter):
    """Takes an endpoint's secrets out of log lines that show whole URLs."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redactor.redact(record.getMessage()), ()
        return True


def _words(body: object) -> str:
    """The server's message with its code, and with the sizes that llama.cpp gives beside it."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, Mapping):
        return str(error) if isinstance(error, str) else ""
    message = str(error.get("message") or error.get("detail") or "")
    asides = [str(error[name]) for name in ("code", "type", "status") if isinstance(error.get(name), str)]
    asides += [f"{name}={error[name]}" for name in ("n_prompt_tokens", "n_ctx") if name in error]
    return f"{message} ({', '.join(asides)})" if asides else message


def _start(content: bytes | str) -> str:
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    text = " ".join(text.split())
    return repr(text[:120] + "…") if len(text) > 120 else repr(text)
