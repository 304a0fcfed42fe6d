"""OpenCode's sessions: what `opencode export` prints, and the database it is printed from.

Both hold messages with parts (text, reasoning, tool, step ends). A session whose last turns were undone
names the message from which on they are gone. The database is opened read-only; a program that keeps it
locked is reported.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.lines import Events, Loose, arguments_of, parsed
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

LOCK_SECONDS = 2.0
MILLISECONDS = 1e-3

Message = tuple[Loose, list[Loose]]
"""A message's own facts, and its parts."""


def tell_export(events: Events, sink: Sink, path: Path) -> None:
    for event in events:
        messages = [(message.at("info"), message.items("parts")) for message in event.items("messages")]
        if event.at("info"):
            _session(sink, event.at("info"), messages)
        else:
            events.unread += 1


def tell_database(events: Events, sink: Sink, path: Path) -> None:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=LOCK_SECONDS)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            _tell_rows(connection, sink)
        except UnicodeDecodeError as error:  # in SQLite's own message about what it found
            raise UsageError("the database is damaged") from error


def _tell_rows(connection: sqlite3.Connection, sink: Sink) -> None:
    have = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"session", "message", "part"} <= have:
        raise UsageError("it is no OpenCode database of a known version; `opencode export` files can be read")
    for row in connection.execute("SELECT * FROM session ORDER BY id").fetchall():
        info = _info(dict(row))
        _session(sink, info, _messages(connection, info.text("id")))


def _info(row: dict[str, object]) -> Loose:
    """A row of the database, spelled like an export."""
    return Loose(
        {
            "id": row.get("id"),
            "parentID": row.get("parent_id"),
            "directory": row.get("directory"),
            "version": row.get("version"),
            "time": {"created": row.get("time_created")},
            "revert": parsed(Loose(row.get("revert")).text()),
        }
    )


def _messages(connection: sqlite3.Connection, session: str) -> Iterator[Message]:
    rows = connection.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,))
    for name, data in rows:
        value = parsed(Loose(data).text())
        info = {**value, "id": name} if isinstance(value, dict) else {"id": name}
        parts = connection.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (name,))
        yield Loose(info), [Loose(parsed(Loose(part).text())) for (part,) in parts]


def _session(sink: Sink, info: Loose, messages: Iterable[Message]) -> None:
    parent = info.text("parentID")
    about = About(
        "opencode",
        info.text("id"),
        version=info.text("version"),
        project=info.text("directory"),
        started=from_epoch(info.amount("time", "created"), unit=MILLISECONDS),
        parent=parent,
        relation="sub-agent" if parent else "",
    )
    _Told(Telling(sink, about)).all(messages, undone_from=info.text("revert", "messageID"))


class _Told:
    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []

    def all(self, messages: Iterable[Message], *, undone_from: str) -> None:
        for info, parts in messages:
            if undone_from and info.text("id") >= undone_from:
                break
            time = from_epoch(info.amount("time", "created"), unit=MILLISECONDS)
            if info.text("role") == "user":
                self._user(parts, time)
            else:
                self._answer(info, parts, time)
        errors = tuple(self._errors[-5:])
        self._telling.end(Ending(self._state, None, self._telling.spent, errors, self._model))

    def _user(self, parts: list[Loose], time: str) -> None:
        self._telling.turn()
        typed = [part for part in parts if part.text("type") == "text" and not part.flag("synthetic")]
        self._state = "unknown"
        self._telling.user("\n".join(text for part in typed if (text := part.text("text"))), time=time)

    def _answer(self, info: Loose, parts: list[Loose], time: str) -> None:
        telling = self._telling
        telling.turn()
        self._model = info.text("modelID") or self._model
        for part in parts:
            match part.text("type"):
                case "text":
                    telling.say(part.text("text"), time=time)
                case "reasoning":
                    telling.think(part.text("text"), time=time)
                case "tool":
                    self._tool(part, time)
                case "step-start":
                    telling.turn()
                case "step-finish":
                    self._measure(part)
                    self._state = "completed" if part.text("reason") == "stop" else "unknown"
            telling.describe(model=self._model)
        if error := info.text("error", "data", "message") or info.text("error", "name"):
            self._errors.append(error)
            self._state = "stopped" if "Abort" in info.text("error", "name") else "failed"

    def _tool(self, part: Loose, time: str) -> None:
        name, state = part.text("callID") or part.text("id"), part.at("state")
        self._telling.call(name, part.text("tool"), arguments_of(state.at("input")), time=time)
        if state.text("status") not in ("completed", "error"):
            return
        code = state.code("metadata", "exit")
        failed = state.text("status") == "error" or bool(code)
        self._telling.result(name, state.text("output") or state.text("error"), exit_code=code, failed=failed)

    def _measure(self, part: Loose) -> None:
        tokens = part.at("tokens")
        cached = tokens.whole("cache", "read") or 0
        fresh = (tokens.whole("input") or 0) + (tokens.whole("cache", "write") or 0)
        output = (tokens.whole("output") or 0) + (tokens.whole("reasoning") or 0)
        self._telling.measure(fresh + cached, output, cached, usd=part.amount("cost") or None)


OPENCODE = Format(
    "opencode",
    "OpenCode's database",
    tell_database,
    lambda first: False,
    places=(
        Place("XDG_DATA_HOME", ".local/share", "opencode/opencode.db"),
        Place("XDG_DATA_HOME", ".local/share", "opencode/opencode-*.db"),
    ),
    layout="database",
    magic=b"SQLite format 3\0",
    verified=False,
)
OPENCODE_EXPORT = Format(
    "opencode-export",
    "what `opencode export` prints",
    tell_export,
    lambda first: bool(first.at("info", "id")) and isinstance(first.at("messages").value, list),
    layout="document",
)
