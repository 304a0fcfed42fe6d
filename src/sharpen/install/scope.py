"""Where an installation goes: a project or the user's home, and what is ours below it.

Paths in records are relative and use slashes, so that a project can be moved or cloned. One that begins
with `~/` lies in the home folder whatever the scope: Codex reads some settings nowhere else. One that is
absolute lies where a variable such as CODEX_HOME pointed at the time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from sharpen.clients import CLIENTS, Client
from sharpen.errors import StoreError, UsageError
from sharpen.hook.journal import state_folder
from sharpen.hook.run import RULES, is_shared
from sharpen.install.placing import recover

ScopeName = Literal["project", "user"]
SKILLS = ".agents/skills"
OWN = ".agents/sharpen"
RECORD = f"{OWN}/installed.json"
PATIENCE = 60
"""Seconds to wait for another installation of the same user."""


@dataclass(frozen=True)
class Scope:
    """One place to install into."""

    name: ScopeName
    root: Path
    home: Path
    moved: Mapping[str, str] = field(default_factory=dict)
    """Client to the folder that its variable names instead of the usual one in the home."""

    @classmethod
    def of(cls, name: ScopeName, *, project: Path | None = None, home: Path | None = None) -> Scope:
        """The scope of this name; the project is the current folder unless another is given."""
        home = (home or Path.home()).resolve()
        root = home if name == "user" else (project or Path.cwd()).resolve()
        if not root.is_dir():
            raise UsageError(f"{root} is not a folder; make it first, or name another")
        if name == "project" and root == home:
            raise UsageError(f"{root} is your home folder and no project; add --scope user")
        variables = {client.name: client.home[0] for client in CLIENTS.values() if client.home}
        set_ones = {client: os.environ.get(variable, "") for client, variable in variables.items()}
        return cls(name, root, home, {one: str(Path(at).absolute()) for one, at in set_ones.items() if at})

    @classmethod
    def around(cls, name: ScopeName, *, project: Path | None = None) -> Scope:
        """The scope of what is installed: the nearest project at or above the folder, but below the home."""
        scope = cls.of(name, project=project)
        for folder in (scope.root, *scope.root.parents) if name == "project" else ():
            if folder == scope.home:
                break
            if (folder / RECORD).is_file():
                return cls.of(name, project=folder)
        return scope

    def shown(self, path: str) -> str:
        """A recorded path as people read it."""
        return f"~/{path}" if self.name == "user" and not path.startswith(("~/", "/")) else path

    def refuse_shared(self) -> None:
        """UsageError for a project in which the hook process reads no rules."""
        if self.name == "project" and is_shared(str(self.root)):
            raise UsageError(
                f"everybody may write into {self.root}, so no hook reads rules there; "
                "install into a folder of your own"
            )

    def in_home(self, client: Client, path: str) -> str:
        """A path of the client's below the home folder, or where its variable has moved it."""
        if client.name in self.moved and client.home and path.startswith(client.home[1]):
            rest = path[len(client.home[1]) :].strip("/")
            return f"{self.moved[client.name]}/{rest}".rstrip("/")
        return path if self.name == "user" else f"~/{path}"

    @property
    def repository(self) -> Path | None:
        """The git project that a project's folder is only a part of."""
        inside = [self.root, *self.root.parents] if self.name == "project" else []
        top = next((folder for folder in inside if (folder / ".git").exists()), None)
        return top if top not in (self.root, self.home) else None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One installation at a time for a user: scopes share files of the home."""
        folder = Path(state_folder())
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(folder / "install.lock", timeout=PATIENCE):
                recover(self.journal)
                yield
        except Timeout:
            raise UsageError(
                "another `sharpen install` is at work; wait for it to end, then try again"
            ) from None
        except OSError as error:
            raise StoreError(
                f"{error.filename or folder} could not be read or written: {error.strerror or error}"
            ) from error

    @property
    def journal(self) -> Path:
        """What an installation at work is about to do."""
        return Path(state_folder(), "install.journal.json")

    @property
    def backups(self) -> Path:
        """Settings files as they were, in the user's own folder: they may hold keys."""
        named = sha256(str(self.root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return Path(state_folder(), "backups", named)

    def at(self, path: str) -> Path:
        """Where a recorded path lies."""
        return self.home / path[2:] if path.startswith("~/") else self.root / path


__all__ = ["OWN", "RECORD", "RULES", "SKILLS", "Scope", "ScopeName"]
