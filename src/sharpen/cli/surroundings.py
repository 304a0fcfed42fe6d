"""What a machine offers to run agents with: isolation, models, keys and coding agents.

Used by `sharpen doctor`. Keys are looked for by name and never shown; an endpoint is tried by opening a
connection to it, without a request and without a key.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from sharpen.agents.coding import find_binary
from sharpen.clients import CLIENTS, Client
from sharpen.errors import SettingsError, SharpenError
from sharpen.models.endpoint import FAMILIES, Endpoint, find_endpoint
from sharpen.models.local import CATALOGUE, find_engine, is_pulled
from sharpen.models.settings import ModelSettings
from sharpen.sandbox import available_levels

PATIENCE = 3.0
"""Seconds an endpoint has to take a connection."""

Level = Literal["ok", "warning", "problem"]


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    level: Level
    found: str


def surroundings(environ: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Everything agents could be run with here; what is not there is no problem, only said."""
    yield from _isolation()
    yield from _local_models()
    yield from _providers(os.environ if environ is None else environ)
    yield from map(_coding_agent, CLIENTS.values())


def _isolation() -> Iterator[Finding]:
    offers = available_levels()
    for offer in offers:
        works = "works" if offer.works else "does not work"
        yield Finding(f"sandbox {offer.level}", "ok" if offer.works else "warning", f"{works}: {offer.says}")
    if not any(offer.works for offer in offers if offer.level != "none"):
        yield Finding("sandbox", "warning", "nothing isolates here: agents with tools need --isolation none")


def _local_models() -> Iterator[Finding]:
    engine = find_engine()
    yield Finding(
        "local models",
        "ok",
        f"engine in {engine}" if engine else "engine not here; it comes with the first pull",
    )
    for model in CATALOGUE.values():
        words = "here" if is_pulled(model) else f"not here; sharpen models pull {model.name} gets it"
        yield Finding(f"local:{model.name}", "ok", words)


def _providers(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Those whose key or address is set; the others only by name."""
    silent = []
    for name, family in FAMILIES.items():
        told = [variable for variable in (*family.keys, *family.urls) if environ.get(variable)]
        if told:
            yield _provider(name, told, environ)
        elif family.keys:
            silent.append(f"{name} ({family.keys[0]})")
    if silent:
        yield Finding("no key for", "ok", ", ".join(silent))


def _provider(name: str, told: list[str], environ: Mapping[str, str]) -> Finding:
    words = f"{' and '.join(told)} set"
    try:
        endpoint = find_endpoint(name, "any", ModelSettings(), environ)
    except SharpenError as error:
        return Finding(name, "warning", f"{words}; {error}")
    trouble = _unreachable(endpoint)
    if trouble:
        return Finding(name, "warning", f"{words}; {endpoint.place} does not answer: {trouble}")
    return Finding(name, "ok", f"{words}; {endpoint.place} answers")


def _unreachable(endpoint: Endpoint) -> str:
    parts = urlsplit(endpoint.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=PATIENCE):
            return ""
    except OSError as error:
        return str(error)


def _coding_agent(client: Client) -> Finding:
    try:
        binary = find_binary(client)
    except SettingsError as error:
        return Finding(client.name, "ok", str(error))
    tested = "" if client.verified else "; never tried against the real program"
    return Finding(client.name, "ok", f"{binary.version} at {binary.path}{tested}")
