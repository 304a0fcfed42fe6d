"""What the scripted model is asked and what it may answer, whatever the protocol.

A script is a plain function from `Ask` to `Reply`; it decides by the request's content only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SHELL_TOOLS = {
    "exec_command": "cmd",
    "shell_command": "command",
    "run_shell_command": "command",
    "Bash": "command",
    "bash": "command",
}
"""Names under which agents offer a shell, with the argument that takes the command line."""


@dataclass(frozen=True)
class Ask:
    """One request, protocol stripped: the whole body as text, what the user said, tools, results so far."""

    wire: str
    model: str
    body: str
    user: str
    tools: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def shell(self) -> str | None:
        return next((name for name in SHELL_TOOLS if name in self.tools), None)


@dataclass(frozen=True)
class Say:
    """A final message."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call; `shell` makes one for whichever shell tool the agent offers."""

    tool: str
    arguments: dict[str, object]

    @classmethod
    def shell(cls, ask: Ask, command: str) -> Call:
        if ask.shell is None:
            raise AssertionError(f"no shell among the tools {ask.tools}")
        return cls(ask.shell, {SHELL_TOOLS[ask.shell]: command, "description": "one command"})


Reply = Say | Call
Script = Callable[[Ask], Reply]


@dataclass(frozen=True)
class Bill:
    """Tokens of one answer; `prompt` counts the cached ones, too."""

    prompt: int
    cached: int
    completion: int

    @classmethod
    def of_request(cls, ordinal: int) -> Bill:
        """Different for every request, so that a sum shows which requests are in it."""
        return cls(prompt=1000 + 10 * ordinal, cached=100 + ordinal, completion=20 + ordinal)
