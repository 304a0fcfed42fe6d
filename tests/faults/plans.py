"""What a request meets: one fault or none, chosen by a plan from the request alone.

Plans never look at the clock or at the order in which different requests arrive, only at how often the same
content came before, so that a run against a faulty server can be repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

Kind = Literal[
    "ok", "status", "hang", "reset", "truncated", "garbage", "wrong_type", "html_page", "html_error", "drip"
]


@dataclass(frozen=True)
class Seen:
    """A request as it arrived; `repeats` counts the earlier ones with the same path and body."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    repeats: int = 0

    @property
    def content(self) -> str:
        return json.dumps([self.path, self.body], sort_keys=True)


@dataclass(frozen=True)
class Fault:
    """One thing to do to a request. `message` is what an error answer says."""

    kind: Kind = "ok"
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "simulated fault"
    code: str | None = None
    latency: float = 0.0


Plan = Callable[[Seen], Fault]


def ok(latency: float = 0.0) -> Fault:
    return Fault(latency=latency)


def status(number: int, message: str = "simulated fault", code: str | None = None, **headers: str) -> Fault:
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault("status", number, spelled, message, code)


def rate_limited(retry_after: float | None = None) -> Fault:
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Fault("status", 429, headers, "slow down", "rate_limit_exceeded")


def hang() -> Fault:
    """No byte, ever."""
    return Fault("hang")


def reset() -> Fault:
    """The connection is torn down."""
    return Fault("reset")


def truncated() -> Fault:
    """Half of a good answer, then the connection ends."""
    return Fault("truncated")


def garbage() -> Fault:
    """A 200 that calls itself JSON and is not."""
    return Fault("garbage")


def wrong_type() -> Fault:
    """A good answer that calls itself plain text."""
    return Fault("wrong_type")


def html_page() -> Fault:
    """A 200 with a login page, as proxies give."""
    return Fault("html_page")


def html_error() -> Fault:
    """A 502 with a page of a proxy."""
    return Fault("html_error", 502)


def drip() -> Fault:
    """A good answer at a byte now and then: never silent, never done."""
    return Fault("drip")


def always(fault: Fault) -> Plan:
    return lambda seen: fault


def in_turn(*faults: Fault, then: Fault = ok()) -> Plan:  # noqa: B008 - frozen
    """The n-th arrival of the same content meets the n-th fault; later ones meet `then`."""
    return lambda seen: faults[seen.repeats] if seen.repeats < len(faults) else then


def random_faults(rate: float, seed: int, *faults: Fault) -> Plan:
    """A share of all requests fails, each arrival decided by seed, content and count alone."""
    choices = faults or (status(500), rate_limited(0), reset(), truncated(), garbage(), html_error())

    def plan(seen: Seen) -> Fault:
        draw = sha256(f"{seed}|{seen.content}|{seen.repeats}".encode()).digest()
        if int.from_bytes(draw[:4], "big") / 2**32 >= rate:
            return ok()
        return choices[draw[4] % len(choices)]

    return plan
