"""Where untrusted programs run: isolated, limited, and ended with everything they started.

`open_sandbox()` picks the best isolating level of this machine, `available_levels()` says what there is.
The level used and the limit that stopped a job are in every result. Knows nothing of agents, tasks or
models.
"""

from sharpen.errors import SandboxError

from .finished import Finished, Isolation, Limit
from .limits import Limits
from .opening import Offer, available_levels, open_sandbox
from .sandbox import Sandbox

__all__ = [
    "Finished",
    "Isolation",
    "Limit",
    "Limits",
    "Offer",
    "Sandbox",
    "SandboxError",
    "available_levels",
    "open_sandbox",
]
