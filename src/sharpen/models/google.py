"""Gemini through Google's SDK, which is an extra. The answer is taken as it came over the wire.

The SDK is given our HTTP client, so that it neither picks another HTTP library nor retries by itself.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sharpen.models.endpoint import Endpoint
from sharpen.models.errors import ModelError
from sharpen.models.faults import TransportError
from sharpen.models.transport import PerLoop, decoded, described, http_client, status_fault
from sharpen.types import Json

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client


class GoogleTransport:
    """`send` takes the SDK's own words: model, contents, config."""

    def __init__(self, endpoint: Endpoint, *, timeout: float) -> None:
        self._client = PerLoop(_maker(endpoint))
        self._timeout = timeout

    async def send(self, path: str, payload: Json) -> Json:
        import httpx2
        from google.genai import errors, types

        try:
            config = types.GenerateContentConfig(**payload["config"], should_return_http_response=True)
            contents = [_with_bytes(turn) for turn in payload["contents"]]
            client, _ = self._client.get()
            async with asyncio.timeout(self._timeout):
                answer = await client.aio.models.generate_content(
                    model=payload["model"], contents=contents, config=config
                )
            http = answer.sdk_http_response
        except (TimeoutError, httpx2.TimeoutException):
            raise TransportError("timeout", f"no whole answer within {self._timeout:g} s") from None
        except httpx2.RequestError as error:
            raise TransportError("connection", described(error)) from None
        except errors.APIError as error:
            raise status_fault(error.response, str(error)) from None  # type: ignore[arg-type]
        except Exception as error:  # noqa: BLE001 - an SDK's own complaint may hold secrets
            raise TransportError("client", described(error)) from None
        headers = {name.lower(): value for name, value in ((http and http.headers) or {}).items()}
        return decoded((http and http.body) or "", headers.get("content-type", ""))

    async def model_names(self) -> list[str]:
        try:
            client, _ = self._client.get()
            listed = await client.aio.models.list()
            return [str(model.name).removeprefix("models/") async for model in listed]
        except Exception as error:  # noqa: BLE001 - only asked for to say a failure better
            raise TransportError("client", described(error)) from None

    async def aclose(self) -> None:
        """The SDK leaves an HTTP client that it was given to the giver."""
        made = self._client.take()
        if made is not None:
            client, http = made
            await client.aio.aclose()
            await http.aclose()


def _maker(endpoint: Endpoint) -> Callable[[], tuple[Client, httpx2.AsyncClient]]:
    try:
        from google import genai
        from google.genai import types
    except ImportError:
        raise ModelError("gemini: needs the package google-genai; pip install 'sharpen[gemini]'") from None

    def make() -> tuple[Client, httpx2.AsyncClient]:
        http = http_client(on_loopback=endpoint.on_loopback, login=endpoint.login)
        options = types.HttpOptions(base_url=endpoint.base_url, httpx_async_client=http)
        return genai.Client(api_key=endpoint.key or "unused", vertexai=False, http_options=options), http

    return make


def _with_bytes(value: Any) -> Any:  # JSON in, the SDK's objects out: no narrower type says it
    """Pictures and signatures are base64 in JSON and bytes for the SDK."""
    if isinstance(value, dict):
        return {
            name: base64.b64decode(item)
            if name in ("data", "thoughtSignature") and isinstance(item, str)
            else _with_bytes(item)
            for name, item in value.items()
        }
    return [_with_bytes(item) for item in value] if isinstance(value, list) else value
