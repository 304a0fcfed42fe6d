"""A file's sessions told to a sink, and which format a file has.

Line by line where the format is lines, so that size does not matter; as one document where it is one, up to
a limit. Knows files and formats, not where clients keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.files import LONGEST_LINE, damage, document_of, lines_of
from sharpen.traces.lines import Events, Values, parsed
from sharpen.traces.sources import FORMATS, Format, Layout
from sharpen.traces.telling import Sink

_PEEKED = 20
"""Lines looked at to tell a format."""
_MAGIC = 16
"""Bytes in which a file's kind is written where it is no text."""


@dataclass(frozen=True)
class SourceFile:
    """A file to be read, and how."""

    path: Path
    format: Format


def read_file(file: SourceFile, sink: Sink) -> int:
    """Tell a file's sessions to a sink; the number of lines nobody could read."""
    events = events_of(file.path, file.format.layout)
    file.format.tell(events, sink, file.path)
    return events.unread


def recognise(path: Path) -> Format:
    """The format of a file that somebody handed over, told by its first objects."""
    if not path.is_file():
        raise UsageError(f"{path} is not a file that can be read")
    with path.open("rb") as file:
        begin = file.read(_MAGIC)
    for format_ in FORMATS.values():
        if format_.magic and begin.startswith(format_.magic):
            return format_
    for first in islice(events_of(path, "lines"), _PEEKED):
        for format_ in FORMATS.values():
            if not format_.magic and format_.fits(first):
                return format_
    known = ", ".join(FORMATS)
    raise UsageError(f"{path}: no session format that is known here; name it with --from, one of {known}")


def events_of(path: Path, layout: Layout) -> Events:
    """The objects in a file; of a document that is one array, its items.

    Formats of lines are also met as one document, and the other way round: what the file looks like decides,
    and the format only where that says nothing.
    """
    if layout == "opaque":
        return Values(())
    if layout == "objects":
        return Events(objects_in(lines_of(path)))
    if layout == "lines" and not _begins_a_document(path):
        return Events(lines_of(path))
    try:
        value = parsed(document_of(path))
    except damage(path):
        value = None
    if value is None and (layout == "lines" or _is_lines(path)):
        return Events(objects_in(lines_of(path)))
    return Values(value if isinstance(value, list) else [value])


def objects_in(lines: Iterable[bytes | None]) -> Iterator[bytes | None]:
    """Texts of objects that are spread over lines; each ends with a brace in the first column."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        if line is None or (not held and line[:1] != b"{") or (not held and line.rstrip()[-1:] == b"}"):
            yield line
            continue
        held.append(line)
        size += len(line)
        if line[:1] == b"}" or size > LONGEST_LINE:
            yield b"".join(held) if size <= LONGEST_LINE else None
            held, size = [], 0
    if held:
        yield b"".join(held)


def _begins_a_document(path: Path) -> bool:
    """Whether the first line is no object of its own: an array, or an opening brace alone."""
    first = _first_line(path)
    return first.startswith(b"[") or first == b"{"


def _is_lines(path: Path) -> bool:
    return isinstance(parsed(_first_line(path)), dict)


def _first_line(path: Path) -> bytes:
    return next((line.strip() for line in lines_of(path) if line and line.strip()), b"")
