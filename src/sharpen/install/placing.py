"""Files put in place together or not at all, even when the process is killed halfway.

Everything is first written beside its place, under a name of its own. `commit` notes what it is about to do
in a journal, renames it all into place and keeps what was there until the end. Undoing needs renames only,
since a full disk is what it mostly has to deal with; `recover` does it for a process that was killed, from
its journal. Links are followed: a settings file that is a link stays one.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from sharpen.errors import StoreError


class LinkRefusedError(StoreError):
    """The place takes no symbolic links; a copy has to do."""


@dataclass(frozen=True)
class Step:
    """One thing to do to one place."""

    kind: Literal["folder", "write", "remove", "link"]
    place: str
    new: str = ""
    """What is to be put there: a file beside it, or the target of a link."""
    old: str = ""
    """The name under which what was there is kept; empty when nothing was."""

    def do(self) -> None:
        if self.kind == "write" and self.old:
            _keep(self.place, self.old)
        if self.kind == "write":
            os.replace(self.new, self.place)  # noqa: PTH105
        elif self.kind == "remove" and self.old:
            os.replace(self.place, self.old)  # noqa: PTH105
        elif self.kind == "link":
            _link(self.place, self.new)

    def undo(self) -> None:
        """Whether it was done or not."""
        place = Path(self.place)
        if self.kind == "folder":
            remove_if_empty(place)
        elif self.kind == "link":
            if place.is_symlink() and str(place.readlink()) == self.new:
                place.unlink()
        elif self.old and os.path.lexists(self.old):
            os.replace(self.old, place)  # noqa: PTH105
            Path(self.old).unlink(missing_ok=True)  # a rename leaves two names of one file as they are
        elif self.kind == "write" and not self.old and not os.path.lexists(self.new):
            place.unlink(missing_ok=True)
        if self.kind == "write":
            Path(self.new).unlink(missing_ok=True)


class Placing:
    """A set of changes on disk. Folders are made at once; everything else waits for `commit`."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._steps: list[Step] = []

    def make_folder(self, folder: Path) -> bool:
        """Make the folder, if it is missing; whether it was."""
        if folder.exists():
            return False
        self._steps.append(Step("folder", str(folder)))
        folder.mkdir()
        return True

    def write(self, place: Path, data: bytes) -> None:
        """The whole file, with the rights and the owner it had; scripts (`#!`) may be executed."""
        place = place.resolve()
        place.parent.mkdir(parents=True, exist_ok=True)
        step = Step("write", str(place), _beside(place), _beside(place) if os.path.lexists(place) else "")
        self._steps.append(step)
        mode = 0o777 if data.startswith(b"#!") else 0o666
        with os.fdopen(os.open(step.new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(data)
        if step.old:
            _like(place, Path(step.new))

    def remove(self, place: Path) -> None:
        """A file or a link."""
        self._steps.append(Step("remove", str(place), old=_beside(place) if os.path.lexists(place) else ""))

    def link(self, place: Path, target: str) -> None:
        """A symbolic link to a folder; LinkRefusedError, at the end, where there can be none."""
        self._steps.append(Step("link", str(place), target))

    def commit(self) -> None:
        """Do everything that was prepared."""
        self._journal.write_text(json.dumps([asdict(step) for step in self._steps]), encoding="utf-8")
        for step in self._steps:
            step.do()
        self._journal.unlink()
        kept = [step.old for step in self._steps if step.old]
        self._steps.clear()
        for name in kept:
            Path(name).unlink(missing_ok=True)

    def take_back(self) -> None:
        """Leave everything as it was found."""
        for step in reversed(self._steps):
            step.undo()
        self._journal.unlink(missing_ok=True)
        self._steps.clear()


def recover(journal: Path) -> None:
    """Take back what a killed process left half done."""
    try:
        steps = [Step(**row) for row in json.loads(journal.read_bytes())]
    except FileNotFoundError:
        return
    except (ValueError, TypeError):  # killed while writing it, so before the first step
        steps = []
    for step in reversed(steps):
        step.undo()
    journal.unlink()


def remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def _keep(place: str, name: str) -> None:
    """The same file under a second name."""
    try:
        os.link(place, name)
    except OSError:  # a file system without hard links
        shutil.copy2(place, name)


def _link(place: str, target: str) -> None:
    try:
        Path(place).symlink_to(target, target_is_directory=True)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError) as error:
        raise LinkRefusedError(f"{place} could not be linked: {error}") from error


def _beside(place: Path) -> str:
    return str(place.with_name(f".{place.name[:100]}.{os.urandom(6).hex()}.tmp"))


def _like(place: Path, new: Path) -> None:
    """Give the new file the rights of the old one, and its owner where that is allowed."""
    known = place.stat()
    new.chmod(known.st_mode & 0o7777)
    if hasattr(os, "chown") and (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.chown(new, known.st_uid, known.st_gid)
        except PermissionError:
            return
