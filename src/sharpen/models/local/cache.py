"""Where downloaded things lie, and how a file gets there whole or not at all.

`$SHARPEN_CACHE` names the folder; without it the platform's usual place for caches. Everything in it can be
deleted at any time: it costs a download, nothing else. What the files mean, others know.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

from sharpen.errors import SharpenError, StoreError

VARIABLE = "SHARPEN_CACHE"
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Notice:
    """How far a download has come; `total` is 0 when nobody knows."""

    what: str
    done: int
    total: int


Progress = Callable[[Notice], None]


def ignore(notice: Notice) -> None:
    """Progress nobody asked for."""


def cache_folder() -> Path:
    """The user's cache for sharpen; made when something is put there."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "sharpen" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sharpen"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sharpen"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """One process at a time works on this folder; others wait and then find the work done."""
    with disk_refusals(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.with_name(folder.name + ".lock"))
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def disk_refusals(place: Path) -> Iterator[None]:
    """What the disk says no to, told as an error of ours."""
    try:
        yield
    except SharpenError:
        raise
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        raise StoreError(
            f"{place} cannot be written: {reason}. Make room there, or name another folder in {VARIABLE}."
        ) from error


def require_room(folder: Path, needed: int, what: str) -> None:
    """Ask before a long download, not after it."""
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise StoreError(
            f"{what} needs {megabytes(needed)} in {folder}, and {megabytes(free)} are free. "
            f"Make room there, or name another folder in {VARIABLE}."
        )


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            digest.update(block)
    return digest.hexdigest()


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
