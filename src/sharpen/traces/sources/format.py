"""What there is to know about a format of sessions: its name, its reader, where it lies, how to tell it.

A reader tells the objects of one file to a sink. `Place` says where a client keeps its files; nothing here
touches a disk except to look for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sharpen.traces.lines import Events, Loose
from sharpen.traces.telling import Sink

Layout = Literal["lines", "document", "objects", "opaque"]
"""An object per line; one JSON document; objects over several lines; or what only the reader can open."""
Tell = Callable[[Events, Sink, Path], None]


def name_of(path: Path) -> str:
    """A name for a session that has none of its own: its file's, and a few digits that tell files apart."""
    digits = hashlib.sha256(str(path.resolve()).encode("utf-8", "replace")).hexdigest()[:8]
    stem = path.name.split(".")[0].encode("utf-8", "replace").decode()  # a name on a disk may be no text
    return f"{stem}-{digits}"


@dataclass(frozen=True)
class Place:
    """A glob below a folder, which `variable` names where it is set; else it lies below the home folder."""

    variable: str
    folder: str
    pattern: str

    def root(self, home: Path, environ: Mapping[str, str]) -> Path:
        return (
            Path(environ[self.variable])
            if self.variable and environ.get(self.variable)
            else home / self.folder
        )

    def files(self, home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
        yield from self.root(home, environ).glob(self.pattern)


@dataclass(frozen=True)
class Format:
    """One kind of file that holds sessions."""

    name: str
    tell: Tell
    fits: Callable[[Loose], bool]
    """Whether the first object of a file is of this kind."""
    places: tuple[Place, ...] = ()
    """Where a client keeps such files; none for formats that people hand over."""
    layout: Layout = "lines"
    magic: bytes = b""
    """How a file begins that is no text."""
