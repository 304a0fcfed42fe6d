"""Harvesting: find session files, pass over those already read, tell the others to the archive, redacted.

Sources are only ever read. A file that cannot be read is reported and left out; the others go on. A harvest
that is stopped keeps the files it finished. Nothing leaves the machine.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.archive import Archive, digest, transaction
from sharpen.traces.archive_writer import ArchiveWriter, Written
from sharpen.traces.cleaning import Cleaning
from sharpen.traces.gathering import Nowhere
from sharpen.traces.privacy import Privacy
from sharpen.traces.reading import SourceFile, read_file
from sharpen.traces.sources import Format
from sharpen.traces.telling import About, Sink, Track

_WHEN_WRITING = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CONSTRAINT)


@dataclass(frozen=True)
class Conditions:
    """What is asked for; everything when nothing is said."""

    project: Path | None = None
    """Only sessions that worked in this folder or below it."""
    since: datetime | None = None
    """Only files that changed since then."""


@dataclass
class Tally:
    """What a harvest brought from one format."""

    files: int = 0
    unchanged: int = 0
    older: int = 0
    """Files that did not change since the moment that was asked for."""
    elsewhere: int = 0
    """Sessions in other folders than the one that was asked for."""
    unread: int = 0
    empty: list[str] = field(default_factory=list)
    """Files without a session in them, read as this format; names of users taken out."""
    refused: list[str] = field(default_factory=list)
    """Files that could not be read, with the reason; names of users taken out."""
    written: dict[int, Written] = field(default_factory=dict)
    """By number, so that a session that two files tell counts once."""

    @property
    def sessions(self) -> int:
        return len(self.written)

    @property
    def steps(self) -> int:
        return sum(one.steps for one in self.written.values())

    @property
    def failures(self) -> int:
        return sum(one.outcome.failures for one in self.written.values())

    @property
    def corrections(self) -> int:
        return sum(one.outcome.corrections for one in self.written.values())

    @property
    def known(self) -> int:
        return sum(one.outcome.verdict != "unknown" for one in self.written.values())

    @property
    def redactions(self) -> Counter[str]:
        return sum((Counter(one.redactions) for one in self.written.values()), Counter())


def find(
    formats: Sequence[Format], *, home: Path | None = None, environ: Mapping[str, str] | None = None
) -> list[SourceFile]:
    """Every session file of these clients, in a fixed order."""
    home, environ = home or Path.home(), os.environ if environ is None else environ
    found: dict[Path, SourceFile] = {}
    for format_ in formats:
        for place in format_.places:
            for path in sorted(place.files(home, environ)):
                found.setdefault(path, SourceFile(path, format_))
    return list(found.values())


def closed(
    formats: Sequence[Format], *, home: Path | None = None, environ: Mapping[str, str] | None = None
) -> list[Path]:
    """Folders of these clients that may not be looked into."""
    home, environ = home or Path.home(), os.environ if environ is None else environ
    folders: set[Path] = set()
    for place in (place for format_ in formats for place in format_.places):
        root, parts = place.root(home, environ), place.pattern.split("/")[:-1]
        folders.add(root)
        for depth in range(len(parts)):
            folders.update(root.glob("/".join(parts[: depth + 1])))
    return sorted(path for path in folders if path.is_dir() and not os.access(path, os.R_OK | os.X_OK))


def harvest(
    files: Iterable[SourceFile],
    archive: Archive,
    *,
    privacy: Privacy,
    conditions: Conditions | None = None,
    on_file: Callable[[SourceFile], None] = lambda file: None,
) -> dict[str, Tally]:
    """Read the files into the archive; what each format brought."""
    asked = conditions or Conditions()
    tallies: dict[str, Tally] = {}
    for file in files:
        on_file(file)
        tally = tallies.setdefault(file.format.name, Tally())
        try:
            _one(file, archive, privacy, asked, tally)
        except (OSError, sqlite3.DatabaseError, UsageError) as error:
            if isinstance(error, sqlite3.DatabaseError) and _is_of_archive(error, file):
                raise
            tally.refused.append(privacy.redact(f"{file.path}: {_reason(error)}"))
    if archive.retention_days is not None:
        limit = datetime.now(UTC) - timedelta(days=archive.retention_days)
        archive.forget(archive.older_than(limit.isoformat()))
    return tallies


def _one(file: SourceFile, archive: Archive, privacy: Privacy, asked: Conditions, tally: Tally) -> None:
    mark = _mark(file.path)
    if asked.since is not None and mark[1] < asked.since.timestamp() * 1e9:
        tally.older += 1
        return
    key, connection = digest(str(file.path.resolve())), archive.connection
    part = digest(str(asked.project)) if asked.project else ""
    name = file.format.name
    known = connection.execute(
        "SELECT format, size, changed, part FROM sources WHERE key = ?", (key,)
    ).fetchone()
    tally.files += 1
    if known in ((name, *mark, ""), (name, *mark, part)):
        tally.unchanged += 1
        return
    place = privacy.redact(str(file.path))
    with transaction(connection):
        writer = ArchiveWriter(connection, key)
        chosen = _Chosen(Cleaning(writer, privacy), asked)
        unread = read_file(file, chosen)
        is_empty = not (writer.written or writer.passed_over or chosen.elsewhere)
        if not (is_empty and known and known[0] != name):  # else this is not its format: what was read stays
            if not part:
                writer.drop_untold()
            connection.execute(
                "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, place, name, *mark, part, unread),
            )
    tally.written.update(writer.written)
    tally.elsewhere += chosen.elsewhere
    tally.unread += unread
    if is_empty:
        tally.empty.append(place)


def _mark(path: Path) -> tuple[int, int]:
    """Size and time of the last change; what a database has not yet put into its file counts, too."""
    if not path.is_file():
        raise UsageError("it is not there" if not path.exists() else "it is no ordinary file")
    beside = path.with_name(path.name + "-wal")
    status = [path.stat(), *([beside.stat()] if beside.is_file() else [])]
    return sum(found.st_size for found in status), max(found.st_mtime_ns for found in status)


class _Chosen:
    """Lets through the sessions that were asked for; it sees folders before they are redacted."""

    def __init__(self, sink: Sink, asked: Conditions) -> None:
        self._sink, self._asked = sink, asked
        self.elsewhere = 0

    def begin(self, about: About) -> Track:
        if self._asked.project is not None and not _is_below(about.project, self._asked.project):
            self.elsewhere += 1
            return Nowhere()
        return self._sink.begin(about)


def _is_below(project: str, folder: Path) -> bool:
    """Whether a session worked there; a client may have written the folder's name with links in it."""
    if not project or "\0" in project:
        return False
    return Path(project).is_relative_to(folder) or Path(os.path.realpath(project)).is_relative_to(folder)


def _is_of_archive(error: sqlite3.DatabaseError, file: SourceFile) -> bool:
    """Whether the trouble is the archive's; only a source that may be a database can have any of its own."""
    return file.format.layout != "opaque" or error.sqlite_errorcode & 0xFF in _WHEN_WRITING


def _reason(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "you may not read it"
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return "its program keeps it locked; close that program and harvest again"
    return str(error)
