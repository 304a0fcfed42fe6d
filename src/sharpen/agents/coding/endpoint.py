"""Whether an endpoint of one's own takes connections, tried before an attempt is made.

Clients differ in what they do with a server that is down: Codex waits for it until its time is over. A
connection is opened and closed again; nothing is sent. Knows nothing of models and keys.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from sharpen.agents.coding.settings import AgentSettings
from sharpen.clients import Client
from sharpen.errors import ProviderError

PATIENCE = 10.0
"""Seconds an endpoint has to take a connection."""


async def check_answers(client: Client, settings: AgentSettings) -> None:
    """ProviderError when nothing listens at `base_url`; an endpoint behind a proxy cannot be tried."""
    proxied = any(name.lower().endswith("_proxy") for name in settings.pass_variables)
    if settings.base_url is None or proxied:
        return
    parts = urlsplit(settings.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError as error:  # a timeout is one, too
        why = error.strerror or type(error).__name__
        message = f"nothing answers at {parts.hostname}:{port}, the endpoint for {client.title} ({why})"
        raise ProviderError(message) from error
    writer.close()
