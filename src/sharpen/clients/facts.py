"""What there is to know about a coding agent, as one frozen record, and what a run of it needs.

An `Order` is what somebody wants done; a client's `launch` turns it into a `Launch`: arguments, environment
and files. All paths are relative to the home folder the run gets. A key's value never appears here:
configuration names the environment variable that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Wire = Literal["chat", "responses", "messages", "gemini"]
"""The protocol spoken to the model: OpenAI chat or Responses, Anthropic Messages, Gemini's own."""

Permission = Literal["least", "all"]
"""`least`: the narrowest mode in which the client acts without asking; `all`: no check of its own at all."""


@dataclass(frozen=True)
class SkillFolders:
    """Where a client looks for `<name>/SKILL.md`: below a project and below the home, best place first."""

    project: tuple[str, ...]
    user: tuple[str, ...]


HookFormat = Literal["settings", "toml", "file", "plugin"]
"""Where a hook is registered: in a JSON settings file among other things, in a TOML file likewise, in a JSON
file of its own, or by a plugin written in JavaScript."""


@dataclass(frozen=True)
class Hooks:
    """How a client is told to start a command after a tool call. Paths are below a project or the home."""

    format: HookFormat
    project: str | None
    user: str
    after: tuple[str, ...]
    """Its events after a tool call, and for a client that listens only then, before a prompt."""
    compacted: tuple[str, ...]
    """Its events around a compaction, after which everything may be said again."""
    trust: str
    """What the client itself asks of the user before the command runs."""
    comments: bool = False
    """Whether the client reads its JSON with comments and trailing commas."""
    timeout: int = 5
    """Its limit for our command, in the unit it counts in."""


@dataclass(frozen=True)
class Order:
    """One run that somebody wants. `base_url` None means the client's own service."""

    prompt: str
    model: str
    wire: Wire
    base_url: str | None = None
    permission: Permission = "least"
    extra_arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Launch:
    """What a run needs: arguments after the binary, environment, and files below the home folder."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Client:
    """One coding agent. Without `verified` the facts are from documentation and never met the binary."""

    name: str
    title: str
    binaries: tuple[str, ...]
    """Names to look for on PATH, in this order."""
    install: str
    """The command that installs it."""
    package: str | None
    """Its npm package; None when it is not on npm."""
    tested: str
    minimum: str
    """Versions: the one the tests run, and the oldest that is let through."""
    verified: bool
    skills: SkillFolders
    key_variable: str
    """The variable the client reads its key from; users name another if theirs is called otherwise."""
    wires: tuple[Wire, ...]
    """Protocols it can be pointed at, its usual one first; with none it keeps to its own service."""
    launch: Callable[[Order], Launch]
    hooks: Hooks | None = None
    """None where it has none, or none that are known well enough."""
    longest_description: int = 1024
    """Characters of a skill's description that it lists; more is cut or refused."""
    catalogue: int | None = None
    """Characters for the names and descriptions of all skills together, where it has a limit."""
    home: tuple[str, str] | None = None
    """The variable that moves its folder in the home, and the folder it moves; "" is the home itself."""
    version_arguments: tuple[str, ...] = ("--version",)
    node: str | None = None
    """The oldest Node it runs on, where that is newer than what usually lies around."""
    session_files: str | None = None
    """A glob below the home folder for the session file that completes the stream."""
    naming: str | None = None
    """How a prompt names a skill so that the client puts its body into the request: `{name}`, `{prompt}`."""
    off_arguments: tuple[str, ...] = ()
    """Arguments that switch the skill `{name}` off for one run, in a home that has it."""
    off_setting: tuple[str, str] | None = None
    """Where no argument can: a settings file below the project, and the JSON in it that switches it off."""
    own_sandbox: bool = False
    """Whether it confines its commands itself, in a way that does not work inside another sandbox."""
    fetches: tuple[str, str] | None = None
    """A program it downloads when it is first needed and none is on PATH, and the folder below the home it
    keeps it in."""
    fails_under: tuple[str, ...] = ()
    """Levels of sharpen's sandbox in which it does not start."""
    refuses_root: bool = False
    """Whether `permission="all"` is refused when the user is root."""
