"""Changes to a scope, gathered before any of them is made, and then made.

A draft knows what every path will hold afterwards, so that later steps see what earlier ones planned. The
record is written before the changes: after a crash the same command goes on, and `uninstall` knows
everything that may have been written. Nothing that is not ours is removed or written over.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sharpen.errors import StoreError
from sharpen.install.record import EditedSettings, Record, digest_of_bytes
from sharpen.install.scope import OWN, RECORD, Scope


class Change(NamedTuple):
    """One thing that will be done: `write`, `edit`, `link` or `remove`."""

    action: str
    path: str
    data: bytes = b""
    target: str = ""


class Draft:
    """What will be done in a scope, and the record as it will be."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.record = self.before = Record.read(scope)
        self.changes: list[Change] = []
        self.notes: list[str] = []
        """What the user should know: warnings, things left alone, trust that a client will ask for."""
        self._planned: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """What the path will hold; None when there will be no file."""
        if path in self._planned:
            return self._planned[path]
        place = self.scope.at(path)
        return place.read_bytes() if place.is_file() else None

    def write(self, path: str, data: bytes) -> None:
        """A whole file of ours."""
        if self.read(path) != data:
            self._plan("write", path, data)

    def edit(self, path: str, text: str, settings: EditedSettings | None) -> None:
        """A settings file of somebody else's with new text; without a text left that we created, no file."""
        before = self.record.settings.get(path)
        self.record = self.record.with_settings(path, settings)
        if settings is None and before is not None and before.created and not text.strip():
            self.remove(path)
        elif self.read(path) != text.encode():
            self._plan("edit", path, text.encode())

    def link(self, path: str, target: str) -> None:
        """A link to a folder of ours."""
        if os.path.lexists(self.scope.at(path)):
            return
        self.changes.append(Change("link", path, target=target))

    def remove(self, path: str) -> None:
        """A file or link of ours."""
        self.changes = [change for change in self.changes if change.path != path]
        if os.path.lexists(self.scope.at(path)):
            self.changes.append(Change("remove", path))
        self._planned[path] = None

    def remove_unless_changed(self, path: str, digest: str) -> None:
        """A whole file of ours, unless somebody made it theirs."""
        data = self.read(path)
        if data is None or digest_of_bytes(data) == digest:
            self.remove(path)
        else:
            self.notes.append(f"left alone: {path} was changed since it was installed")

    def _plan(self, action: str, path: str, data: bytes) -> None:
        self.changes = [change for change in self.changes if change.path != path]
        self._planned[path] = data
        place = self.scope.at(path)
        if not (place.is_file() and place.read_bytes() == data):
            self.changes.append(Change(action, path, data))

    def apply(self) -> None:
        """Make the changes; StoreError when the disk refuses."""
        if not self.changes and self.record == self.before:
            return
        try:
            made = [*self.record.folders, *self._make_folders()]
            self.record = replace(self.record, folders=tuple(dict.fromkeys(made)))
            self._write(RECORD, self.record.write_text().encode())
            for change in self.changes:
                self._make(change)
            self._tidy()
        except OSError as error:
            raise StoreError(f"{error.filename or self.scope.root} could not be written: {error}") from error

    def _make(self, change: Change) -> None:
        place = self.scope.at(change.path)
        if change.action == "remove":
            place.unlink(missing_ok=True)
        elif change.action == "link":
            place.symlink_to(change.target, target_is_directory=True)
        else:
            if change.action == "edit":
                self._back_up(change.path)
            self._write(change.path, change.data)

    def _write(self, path: str, data: bytes) -> None:
        """Whole or not at all, with the rights the file had."""
        place = self.scope.at(path).resolve()  # a linked settings file stays a link
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o755 if data[:2] == b"#!" else 0o644
        temporary = place.with_name(f".{place.name}.{os.urandom(6).hex()}.tmp")
        try:
            temporary.write_bytes(data)
            temporary.chmod(mode)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)

    def _back_up(self, path: str) -> None:
        """The file as it was before we first touched it."""
        place = self.scope.at(path)
        kept = self.scope.backups / path.removeprefix("~/").replace("/", "__")
        if place.is_file() and path not in self.before.settings:
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy2(place, kept)

    def _make_folders(self) -> Iterator[str]:
        """Make what is missing, outermost first; the names of what was made."""
        for change in (*self.changes, Change("write", RECORD)):
            if change.action == "remove":
                continue
            parents = list(PurePosixPath(change.path).parents)
            for parent in (str(parent) for parent in reversed(parents)):
                place = self.scope.at(f"{parent}/") if parent != "~" else self.scope.home
                if parent not in (".", "~") and not place.exists():
                    place.mkdir()
                    yield parent

    def _tidy(self) -> None:
        """When nothing of ours is left, the record, the backups and empty folders that we made go, too."""
        if self.record.empty:
            self.scope.at(RECORD).unlink(missing_ok=True)
            shutil.rmtree(self.scope.backups, ignore_errors=True)
        for folder in sorted({*self.record.folders, OWN}, key=len, reverse=True):
            _remove_if_empty(self.scope.at(folder))


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
