"""Where an installation goes: a project or the user's home, and what is ours below it.

Paths in records are relative and use slashes, so that a project can be moved or cloned. One that begins
with `~/` lies in the home folder whatever the scope: Codex reads some settings nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sharpen.hook.memory import state_folder
from sharpen.hook.run import RULES

ScopeName = Literal["project", "user"]
SKILLS = ".agents/skills"
OWN = ".agents/sharpen"
RECORD = f"{OWN}/installed.json"


@dataclass(frozen=True)
class Scope:
    """One place to install into."""

    name: ScopeName
    root: Path
    home: Path

    @classmethod
    def of(cls, name: ScopeName, *, project: Path | None = None, home: Path | None = None) -> Scope:
        """The scope of this name; the project is the current folder unless another is given."""
        home = (home or Path.home()).resolve()
        return cls(name, home if name == "user" else (project or Path.cwd()).resolve(), home)

    @property
    def backups(self) -> Path:
        """Settings files as they were, in the user's own folder: they may hold keys."""
        named = sha256(str(self.root).encode()).hexdigest()[:12]
        return Path(state_folder(), "backups", named)

    def at(self, path: str) -> Path:
        """Where a recorded path lies."""
        return self.home / path[2:] if path.startswith("~/") else self.root / path


__all__ = ["OWN", "RECORD", "RULES", "SKILLS", "Scope", "ScopeName"]
