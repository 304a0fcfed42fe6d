"""Everything a coding agent can be told, checked when it is made.

The model is part of the agent's name; the key is never a setting, only the name of the variable that holds
it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from sharpen.clients import Client, Permission, Wire
from sharpen.errors import SettingsError

Invocation = Literal["listed", "named"]
Isolation = Literal["sandbox", "none"]
CHOICES = (("permission", Permission), ("invocation", Invocation), ("isolation", Isolation))
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class AgentSettings:
    """How a coding agent is run. The defaults run it against its own service, as carefully as it allows."""

    base_url: str | None = None
    """Endpoint to use instead of the client's own service."""
    key_variable: str | None = None
    """Variable of this process that holds the key. None takes the one the client reads itself; beside a
    `base_url` it means no key, because a provider's key is nobody else's business."""
    wire: Wire | None = None
    """Protocol the endpoint speaks; None takes the client's usual one."""
    timeout: float = 900.0
    """Seconds after which an attempt is ended, with everything it started."""
    permission: Permission = "least"
    """`least` lets the client act without asking and no more; `all` switches its own checks off."""
    isolation: Isolation = "sandbox"
    """`sandbox` keeps the agent from everything but its own folders and the network; `none` runs it with your
    rights, as its users do. Codex has a sandbox of its own and uses that while `permission` is `least`."""
    invocation: Invocation = "listed"
    """`listed` leaves it to the model to open the skill; `named` names it in the prompt, the client's way."""
    with_skill: bool = True
    """False runs every attempt as the arm without a skill."""
    extra_arguments: tuple[str, ...] = ()
    """Arguments for the client that sharpen does not know, put before the prompt."""
    pass_variables: tuple[str, ...] = ()
    """Further variables handed to the agent, such as HTTPS_PROXY; everything else stays behind."""
    binary: str | None = None
    """Path of the binary; None looks on PATH."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra_arguments", tuple(self.extra_arguments))
        object.__setattr__(self, "pass_variables", tuple(self.pass_variables))
        for name, kinds in CHOICES:
            if getattr(self, name) not in get_args(kinds):
                options = " or ".join(map(repr, get_args(kinds)))
                raise SettingsError(f"{name} must be {options}, not {getattr(self, name)!r}")
        if not (isinstance(self.timeout, (int, float)) and 0 < self.timeout < math.inf):
            raise SettingsError(f"timeout must be a positive number of seconds, not {self.timeout!r}")
        for variable in (*self.pass_variables, *([self.key_variable] if self.key_variable else [])):
            if not _VARIABLE.fullmatch(variable):
                raise SettingsError(f"{variable!r} is not the name of an environment variable")
        if self.base_url is not None:
            _check_url(self.base_url)

    def wire_for(self, client: Client) -> Wire:
        """The protocol to speak; SettingsError when the client cannot."""
        if self.base_url is not None and not client.wires:
            raise SettingsError(f"{client.title} talks to its own service only; leave base_url out")
        if self.wire is not None and self.wire not in client.wires:
            spoken = ", ".join(client.wires) or "its own protocol only"
            raise SettingsError(f"{client.title} cannot speak {self.wire!r}; it speaks {spoken}")
        return self.wire or (client.wires[0] if client.wires else "chat")

    def facts(self) -> Mapping[str, object]:
        """What decides an attempt's outcome, for the fingerprint: no paths, no credentials in URLs."""
        known = asdict(self)
        for name in ("binary", "base_url", "key_variable", "pass_variables"):
            known.pop(name)
        return {**known, "host": urlsplit(self.base_url).netloc.rpartition("@")[2] if self.base_url else ""}


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good:
        raise SettingsError("base_url must be an address such as http://127.0.0.1:8000/v1")
