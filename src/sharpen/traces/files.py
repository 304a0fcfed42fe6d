"""Lines of a file that may be huge, compressed, cut off or not text at all.

A line is held only up to a limit; a longer one is passed over and reported as None. Bytes that are no UTF-8
are left to whoever decodes. Files, and the databases of others, are opened for reading only. Knows no format.
"""

from __future__ import annotations

import gzip
import io
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, cast

from sharpen.errors import UsageError

LONGEST_LINE = 64 * 2**20
"""Bytes of one line that are held at most."""
LONGEST_FILE = 256 * 2**20
"""Bytes of a file that is one JSON document, which has to be held whole."""
BUFFER = 2**20
_HEADER, _WRITE_VERSION, _WAL = 100, 18, b"\x02"
"""Of an SQLite file: bytes of its header, and the place and the value that say it is in WAL mode."""


def open_file(path: Path) -> BinaryIO:
    """The file's bytes, unpacked where its name says that it is packed; UsageError for what is no file.

    A pipe of that name would be waited for, and a device read, for ever.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise UsageError("it is a folder" if stat.S_ISDIR(mode) else "it is no ordinary file")
    if path.suffix == ".zst":
        return io.BufferedReader(_zstandard().open(path, "rb"), BUFFER)
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb", buffering=BUFFER)


def lines_of(path: Path, *, longest: int = LONGEST_LINE) -> Iterator[bytes | None]:
    """The file's lines; None for one that is longer than `longest` bytes, or at which unpacking failed."""
    with open_file(path) as file:
        is_empty = True
        while True:
            try:
                line = file.readline(longest + 1)
            except damage(path):
                yield None
                return
            if not line:
                if is_empty and path.stat().st_size:
                    yield None  # packed, and cut off before anything could be unpacked
                return
            if is_empty:
                line, is_empty = line.removeprefix(BOM_UTF8), False
            if len(line) > longest and not line.endswith(b"\n"):
                _pass_over(file)
                yield None
            else:
                yield line


def damage(path: Path) -> tuple[type[Exception], ...]:
    """What reading a packed file that was cut off or damaged raises; nothing for a plain one."""
    if path.suffix == ".zst":
        return (EOFError, OSError, _zstandard().ZstdError)
    return (EOFError, gzip.BadGzipFile, zlib.error) if path.suffix == ".gz" else ()


def document_of(path: Path, *, longest: int = LONGEST_FILE) -> bytes | None:
    """A file that is one document; None when it is longer than `longest` bytes."""
    with open_file(path) as file:
        content = file.read(longest + 1)
    return None if len(content) > longest else content.removeprefix(BOM_UTF8)


def read_only_uri(path: Path) -> str:
    """How SQLite opens a database without putting anything beside it, unless somebody is writing to it."""
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if _is_idle(path) else ''}"


def _is_idle(path: Path) -> bool:
    """Whether a database in WAL mode has no writer: SQLite would put files beside it even for a reader,
    unless it is told so. In other modes it does not, and a lock has to be seen."""
    with open_file(path) as file:
        header = file.read(_HEADER)
    return (
        header[_WRITE_VERSION : _WRITE_VERSION + 1] == _WAL
        and not path.with_name(path.name + "-wal").exists()
    )


def _pass_over(file: BinaryIO) -> None:
    while (piece := file.readline(BUFFER)) and not piece.endswith(b"\n"):
        pass


def _zstandard() -> ModuleType:
    """The library that comes with Python from 3.14 on, or the package."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    raise UsageError("reading .zst files needs a package: pip install 'sharpen[traces]'")
