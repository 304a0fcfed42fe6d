"""Clients by the names people type: `codex,claude`; without any, those whose program is on PATH."""

from __future__ import annotations

import shutil
from difflib import get_close_matches

from sharpen.clients import CLIENTS, SHORT_NAMES, Client
from sharpen.errors import UsageError


def chosen_clients(typed: str | None) -> list[Client]:
    """The clients named, or found; UsageError when there is none or a name is unknown."""
    if typed is None:
        found = [client for client in CLIENTS.values() if any(map(shutil.which, client.binaries))]
        if not found:
            known = ", ".join(CLIENTS)
            raise UsageError(f"no coding agent was found on PATH; name those you use with --to ({known})")
        return found
    names = [SHORT_NAMES.get(name.strip(), name.strip()) for name in typed.split(",") if name.strip()]
    unknown = [name for name in names if name not in CLIENTS]
    if unknown or not names:
        what = f"unknown: {', '.join(map(_with_hint, unknown))}" if unknown else "no client is named"
        raise UsageError(f"--to {typed}: {what}; known are {', '.join(CLIENTS)}")
    return [CLIENTS[name] for name in dict.fromkeys(names)]


def _with_hint(name: str) -> str:
    near = get_close_matches(name.lower(), [*CLIENTS, *SHORT_NAMES], n=1, cutoff=0.5)
    return f"{name} (did you mean {near[0]}?)" if near else name
