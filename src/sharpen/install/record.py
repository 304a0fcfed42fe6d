"""What was installed into a scope, so that it can be taken out again: `.agents/sharpen/installed.json`.

Whole files of ours are known by the SHA-256 of their bytes, so one that somebody changed is noticed. Of
settings files that belong to others the record keeps the pieces of text that were put in, in order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any

from sharpen.errors import UsageError
from sharpen.install.jsonc import Insertion, Keys
from sharpen.install.scope import RECORD, Scope

VERSION = 2
"""2: pieces with what was made for them, and where hooks are; 1 was never in a release."""


@dataclass(frozen=True)
class InstalledSkill:
    """One skill folder, and the links or copies of it that other clients need."""

    digest: str
    clients: tuple[str, ...]
    files: Mapping[str, str]
    """Path to SHA-256, copies among them."""
    links: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    """Profiles of Codex in which alone it is on."""


@dataclass(frozen=True)
class EditedSettings:
    """A settings file and what was put into it."""

    pieces: tuple[Insertion, ...]
    created: bool = False
    """Whether there was no such file before."""
    made: tuple[Keys, ...] = ()
    """Keys of JSON objects and arrays that were not there before."""
    command: str = ""
    """The hook command as it was written, for hooks."""
    events: tuple[str, ...] = ()
    """The events for which it was put in: not those for which the user had it already."""


@dataclass(frozen=True)
class Record:
    """Everything that is ours in one scope."""

    skills: Mapping[str, InstalledSkill] = field(default_factory=dict)
    settings: Mapping[str, EditedSettings] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Whole files that belong to no skill: compiled rules, hook files, plugins."""
    hooks: Mapping[str, str] = field(default_factory=dict)
    """Client to the file in which its hook is: one of the settings, or one of the files."""
    folders: tuple[str, ...] = ()
    """Folders that were made, to be removed when they are empty."""

    @classmethod
    def read(cls, scope: Scope) -> Record:
        """The scope's record; an empty one when nothing was installed. UsageError when it is unreadable."""
        path = scope.at(RECORD)
        try:
            return _record(json.loads(path.read_bytes()))
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(
                f"{path} cannot be read ({error}); uninstall with the sharpen that wrote it, restore it, "
                "or remove it and what it lists by hand"
            ) from error

    def write_text(self) -> str:
        return (
            json.dumps({"version": VERSION, **asdict(self)}, indent=2, ensure_ascii=False, sort_keys=True)
            + "\n"
        )

    def with_skill(self, name: str, skill: InstalledSkill | None) -> Record:
        rest = {known: row for known, row in self.skills.items() if known != name}
        return replace(self, skills={**rest, name: skill} if skill else rest)

    def with_settings(self, path: str, settings: EditedSettings | None) -> Record:
        rest = {known: row for known, row in self.settings.items() if known != path}
        return replace(self, settings={**rest, path: settings} if settings else rest)

    def with_file(self, path: str, data: bytes | None) -> Record:
        rest = {known: digest for known, digest in self.files.items() if known != path}
        return replace(self, files=rest if data is None else {**rest, path: digest_of_bytes(data)})

    def with_hook(self, client: str, path: str | None) -> Record:
        rest = {known: row for known, row in self.hooks.items() if known != client}
        return replace(self, hooks={**rest, client: path} if path else rest)

    @property
    def empty(self) -> bool:
        return not (self.skills or self.settings or self.files)


def digest_of_bytes(data: bytes) -> str:
    return sha256(data).hexdigest()


def _record(content: Mapping[str, Any]) -> Record:
    if content["version"] != VERSION:
        raise ValueError(f"it has version {content['version']}, this sharpen writes {VERSION}")
    skills = {name: _skill(row) for name, row in content["skills"].items()}
    settings = {name: _settings(row) for name, row in content["settings"].items()}
    return Record(skills, settings, content["files"], content["hooks"], tuple(content["folders"]))


def _skill(row: Mapping[str, Any]) -> InstalledSkill:
    lists = (tuple(row[name]) for name in ("links", "profiles"))
    return InstalledSkill(row["digest"], tuple(row["clients"]), dict(row["files"]), *lists)


def _settings(row: Mapping[str, Any]) -> EditedSettings:
    pieces = tuple(Insertion(int(at), str(piece)) for at, piece in row["pieces"])
    made = tuple(tuple(map(str, keys)) for keys in row["made"])
    return EditedSettings(pieces, bool(row["created"]), made, str(row["command"]), tuple(row["events"]))
