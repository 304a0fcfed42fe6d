"""A loopback model server that fails on purpose: the test tool behind every claim about faults.

It is a real HTTP server and is spoken to by the real SDKs. `FaultServer` runs it, a plan decides request by
request what happens, and `server.requests` shows what arrived.
"""

from faults.plans import (
    Fault,
    Plan,
    Seen,
    always,
    drip,
    garbage,
    hang,
    html_error,
    html_page,
    in_turn,
    ok,
    random_faults,
    rate_limited,
    reset,
    status,
    truncated,
    wrong_type,
)
from faults.server import FaultServer

__all__ = [
    "Fault",
    "FaultServer",
    "Plan",
    "Seen",
    "always",
    "drip",
    "garbage",
    "hang",
    "html_error",
    "html_page",
    "in_turn",
    "ok",
    "random_faults",
    "rate_limited",
    "reset",
    "status",
    "truncated",
    "wrong_type",
]
