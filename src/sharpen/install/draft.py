"""Changes to a scope, gathered before any of them is made, and then made together or not at all.

A draft knows what every path will hold afterwards, so that later steps see what earlier ones planned. Making
them has two halves: first everything is written beside its place, which is where a disk is full or a folder
closed; then it is all put in place, and on any trouble, an interrupt among them, taken back. What a killed
process left half done is taken back by the next one.
"""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from sharpen.errors import StoreError, UsageError
from sharpen.install.placing import Placing, remove_if_empty
from sharpen.install.record import EditedSettings, Record, digest_of_bytes
from sharpen.install.scope import OWN, RECORD, Scope
from sharpen.install.settings import decoded

NOTHING = "/dev/null"
"""A diff's name for a file that is not there."""


class Change(NamedTuple):
    """One thing that will be done: `write`, `edit`, `link` or `remove`."""

    action: str
    path: str
    data: bytes = b""
    target: str = ""
    """Of a link."""
    diff: str = ""
    remark: str = ""


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
        """What the path will hold; None when there will be no file. UsageError when it cannot be read."""
        if path in self._planned:
            return self._planned[path]
        place = self.scope.at(path)
        try:
            return place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UsageError(f"{place} cannot be read: {error.strerror}. Nothing was changed") from error

    def text(self, path: str) -> str:
        """The settings that the path will hold; empty when there will be no file."""
        return decoded(self.read(path) or b"", str(self.scope.at(path)))

    def exists(self, path: str) -> bool:
        return self.read(path) is not None

    def write(self, path: str, data: bytes) -> None:
        """A whole file of ours."""
        if self.read(path) != data:
            self._plan("write", path, data)

    def edit(self, path: str, text: str, settings: EditedSettings | None) -> None:
        """A settings file of somebody else's with new text; without a text left that we created, no file."""
        before = self.record.settings.get(path)
        self.record = self.record.with_settings(path, settings)
        if settings is None and before is not None and before.created and _emptied(text):
            self.remove(path, remark="made by sharpen")
        elif self.read(path) != text.encode():
            self._plan("edit" if self.scope.at(path).exists() else "write", path, text.encode())

    def link(self, path: str, target: str) -> None:
        """A link to a folder of ours."""
        if os.path.lexists(self.scope.at(path)):
            return
        self.changes.append(Change("link", path, target=target))

    def remove(self, path: str, *, remark: str = "") -> None:
        """A file or link of ours."""
        self.changes = [change for change in self.changes if change.path != path]
        if os.path.lexists(self.scope.at(path)):
            self.changes.append(Change("remove", path, remark=remark))
        self._planned[path] = None

    def remove_unless_changed(self, path: str, digest: str) -> None:
        """A whole file of ours, unless somebody made it theirs."""
        data = self.read(path)
        if data is None or digest_of_bytes(data) == digest:
            self.remove(path)
        else:
            shown = self.scope.shown(path)
            self.notes.append(
                f"left alone: {shown} was changed since it was installed; move or remove it before you "
                "install again"
            )

    def _plan(self, action: str, path: str, data: bytes) -> None:
        self.changes = [change for change in self.changes if change.path != path]
        self._planned.pop(path, None)
        old = self.read(path)
        self._planned[path] = data
        if old != data:
            self._refuse_closed(path)
            self.changes.append(Change(action, path, data))

    def _refuse_closed(self, path: str) -> None:
        """A file that its owner has closed to writing is not written, though its folder would allow it."""
        place = self.scope.at(path)
        if place.exists() and not (place.stat().st_mode & 0o222 and os.access(place, os.W_OK)):
            raise UsageError(f"{place} is read-only; allow writing to it first. Nothing was changed")

    def told(self, *, diffs: bool) -> Iterator[Change]:
        """The changes as people read them, the record's among them, before they are made.

        With `diffs`, each has what it changes in a text, line by line.
        """
        for change in self.changes:
            diff = self._difference(change) if diffs else ""
            yield change._replace(path=self.scope.shown(change.path), diff=diff)
        if self.record != self.before:
            yield Change("remove" if self.record.empty else "write", self.scope.shown(RECORD))

    @property
    def backed_up(self) -> list[str]:
        """Files of others that are touched for the first time."""
        edited = (change.path for change in self.changes if change.action == "edit")
        return [path for path in edited if path not in self.before.settings]

    def _difference(self, change: Change) -> str:
        place, shown = self.scope.at(change.path), self.scope.shown(change.path)
        if change.action == "link":
            return f"+{shown} -> {change.target}\n"
        if change.action == "remove" and place.is_symlink() and not place.is_file():
            return f"-{shown} -> {place.readlink()}\n"
        old = place.read_bytes() if place.is_file() else b""
        try:
            before, after = (data.decode().splitlines(keepends=True) for data in (old, change.data))
        except UnicodeDecodeError:
            return f"binary: {len(old)} bytes before, {len(change.data)} after\n"
        names = (shown if place.exists() else NOTHING, NOTHING if change.action == "remove" else shown)
        lines = difflib.unified_diff(before, after, *names, n=2)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n" for line in lines
        )

    def apply(self) -> None:
        """Make the changes; StoreError when the disk refuses, and then nothing was changed."""
        if not self.changes and self.record == self.before:
            return
        placing = Placing(self.scope.journal)
        try:
            made = [*self.record.folders, *self._make_folders(placing)]
            self.record = replace(self.record, folders=tuple(dict.fromkeys(made)))
            placing.write(self.scope.at(RECORD), self.record.write_text().encode())
            for change in self.changes:
                self._prepare(placing, change)
            placing.commit()
        except OSError as error:
            placing.take_back()
            raise StoreError(
                f"{error.filename or self.scope.root} could not be written: {error.strerror or error}. "
                "Everything is as it was"
            ) from error
        except BaseException:
            placing.take_back()
            raise
        self._tidy()

    def _prepare(self, placing: Placing, change: Change) -> None:
        place = self.scope.at(change.path)
        if change.action == "remove":
            placing.remove(place.resolve() if change.path in self.before.settings else place)
        elif change.action == "link":
            placing.link(place, change.target)
        else:
            if change.path in self.backed_up:
                self._back_up(change.path)
            placing.write(place, change.data)

    def _back_up(self, path: str) -> None:
        """The file as it was before we first touched it."""
        place = self.scope.at(path)
        kept = self.scope.backups / path.removeprefix("~/").replace("/", "__")
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copy2(place, kept)

    def _make_folders(self, placing: Placing) -> Iterator[str]:
        """Make what is missing, outermost first; the names of what was made."""
        for change in (*self.changes, Change("write", RECORD)):
            if change.action == "remove":
                continue
            parents = list(PurePosixPath(change.path).parents)
            for parent in (str(parent) for parent in reversed(parents)):
                if parent not in (".", "~") and placing.make_folder(self.scope.at(parent)):
                    yield parent

    def _tidy(self) -> None:
        """When nothing of ours is left, the record, the backups and empty folders that we made go, too."""
        if self.record.empty:
            self.scope.at(RECORD).unlink(missing_ok=True)
            shutil.rmtree(self.scope.backups, ignore_errors=True)
        for folder in sorted({*self.record.folders, OWN}, key=len, reverse=True):
            remove_if_empty(self.scope.at(folder))


def _emptied(text: str) -> bool:
    """Whether nothing is left of a file that was made here."""
    return not text.strip("\ufeff \t\r\n{}")
