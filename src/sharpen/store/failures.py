"""What SQLite and the operating system say when a disk refuses, told to a person.

One context manager, `DiskErrors`, wraps every touch of the disk. It translates refusals of the disk only:
a wrong SQL statement or a broken constraint is a bug, and passes through to crash.
"""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from types import TracebackType

from sharpen.errors import RunFolderError, SharpenError, StoreError

KEPT = "everything recorded before is kept"

FULL = f"the disk is full; free some space and run the same command again, {KEPT}"
READ_ONLY = f"it cannot be written; make it writable or go on with a copy, {KEPT}"
UNREADABLE = f"the disk reported an error; check the disk and run the same command again, {KEPT}"
CANNOT_OPEN = "it cannot be opened; check its permissions, or go on with a copy where you may write"
BUSY = f"another program keeps it locked; close that program and run the same command again, {KEPT}"
NOT_A_DATABASE = "it is not a database written by sharpen; choose another place"
DAMAGED = "the database is damaged; restore it from a copy or start a new one"
NOT_A_FOLDER = "a file stands where a folder is needed; choose another place"
A_FOLDER = "a folder stands where a file is needed; move it away and run the same command again"

# Primary result codes, https://www.sqlite.org/rescode.html; extended codes keep them in their low byte.
SQLITE_MEANING = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_IOERR: UNREADABLE,
    sqlite3.SQLITE_CANTOPEN: CANNOT_OPEN,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_NOTADB: NOT_A_DATABASE,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
}
SYSTEM_MEANING = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
    errno.EISDIR: A_FOLDER,
    errno.EEXIST: NOT_A_FOLDER,
    errno.ENOTDIR: NOT_A_FOLDER,
}


class DiskErrors:
    """`with DiskErrors(path):` turns a refusal of the disk into a StoreError or a RunFolderError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (meaning := _meaning(error)):
            raise _as_sharpen_error(self.path, meaning, error) from error


def _meaning(error: BaseException) -> str | None:
    if isinstance(error, OSError):
        return SYSTEM_MEANING.get(error.errno or 0, UNREADABLE)
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else SQLITE_MEANING.get(code & 0xFF)


def _as_sharpen_error(path: Path, meaning: str, error: BaseException) -> SharpenError:
    kind = RunFolderError if meaning in (NOT_A_DATABASE, NOT_A_FOLDER) else StoreError
    return kind(f"{path}: {meaning} ({error})")
