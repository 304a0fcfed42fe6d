"""OpenCode's sessions: what `opencode export` prints, and the database it is printed from.

Both hold messages with parts (text, reasoning, tool, step ends). A session whose last turns were undone
names the message from which on they are gone. A fork begins with copies, which are older than itself; it does
not say of what. The database is opened read-only; a program that keeps it locked is reported. An output too
long for it lies in `tool-output/` beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.files import read_only_uri
from sharpen.traces.lines import Events, Loose, arguments_of, parsed
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.sources.spilled import file_name, spilled
from sharpen.traces.streams.opencode import counts
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

LOCK_SECONDS = 2.0
MILLISECONDS = 1e-3
_USERS_OWN = "The following tool was executed by the user"

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
    with closing(sqlite3.connect(read_only_uri(path), uri=True, timeout=LOCK_SECONDS)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            _tell_rows(connection, sink, path.parent / "tool-output")
        except UnicodeDecodeError as error:  # in SQLite's own message about what it found
            raise UsageError("the database is damaged") from error


def _tell_rows(connection: sqlite3.Connection, sink: Sink, outputs: Path) -> None:
    have = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"session", "message", "part"} <= have:
        raise UsageError("it is no OpenCode database of a known version; `opencode export` files can be read")
    for row in connection.execute("SELECT * FROM session ORDER BY id").fetchall():
        info = _info(dict(row))
        _session(sink, info, _messages(connection, info.text("id")), outputs)


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


def _session(sink: Sink, info: Loose, messages: Iterable[Message], outputs: Path | None = None) -> None:
    parent, began = info.text("parentID"), info.amount("time", "created")
    about = About(
        "opencode",
        info.text("id"),
        version=info.text("version"),
        project=info.text("directory"),
        started=from_epoch(began, unit=MILLISECONDS),
        parent=parent,
        relation="sub-agent" if parent else "",
    )
    told = _Told(Telling(sink, about), began=began or 0, outputs=outputs)
    told.all(messages, undone_from=info.text("revert", "messageID"))


class _Told:
    def __init__(self, telling: Telling, *, began: float, outputs: Path | None) -> None:
        self._telling, self._began, self._outputs = telling, began, outputs
        self._is_users_own = False
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []

    def all(self, messages: Iterable[Message], *, undone_from: str) -> None:
        for info, parts in messages:
            if undone_from and info.text("id") >= undone_from:
                break
            created = info.amount("time", "created")
            time = from_epoch(created, unit=MILLISECONDS)
            self._telling.copied = created is not None and created < self._began
            if info.text("role") == "user":
                self._user(parts, time)
            else:
                self._answer(info, parts, time)
        errors = tuple(self._errors)
        self._telling.end(Ending(self._state, None, self._telling.spent, errors, self._model))

    def _user(self, parts: list[Loose], time: str) -> None:
        self._telling.turn()
        said = [part for part in parts if part.text("type") == "text" and part.text("text")]
        typed = "\n".join(part.text("text") for part in said if not part.flag("synthetic"))
        added = "\n".join(part.text("text") for part in said if part.flag("synthetic"))
        self._state = "unknown"
        self._is_users_own = not typed and added.startswith(_USERS_OWN)
        self._telling.user(typed, time=time)
        self._telling.system(added, time=time, extra={"context": True})

    def _answer(self, info: Loose, parts: list[Loose], time: str) -> None:
        telling = self._telling
        telling.turn()
        self._model = info.text("modelID") or self._model
        is_summary = info.flag("summary")
        for part in parts:
            match part.text("type"):
                case "text" if is_summary:
                    telling.system(part.text("text"), time=time, extra={"compaction": True})
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
        name, state, tool = part.text("callID") or part.text("id"), part.at("state"), part.text("tool")
        arguments, output = arguments_of(state.at("input")), self._output(state)
        code = state.code("metadata", "exit")
        if self._is_users_own:
            words = f"$ {arguments.get('command', '')}\n{output}"
            self._telling.system(words, time=time, extra={"context": True})
            return
        self._telling.call(name, tool, arguments, time=time)
        if state.text("status") not in ("completed", "error"):
            return
        # A command that was killed has the field without a code; "invalid" stands for a tool nobody offered.
        was_killed = code is None and "exit" in state.mapping("metadata")
        failed = state.text("status") == "error" or bool(code) or was_killed or tool == "invalid"
        self._telling.result(name, output, exit_code=code, failed=failed)

    def _output(self, state: Loose) -> str:
        """What the tool said; a long output is in a file, of which the database holds the end."""
        place = state.text("metadata", "outputPath")
        whole = spilled(self._outputs / file_name(place)) if place and self._outputs else None
        return whole or state.text("output") or state.text("error")

    def _measure(self, part: Loose) -> None:
        if counted := counts(part.at("tokens")):
            self._telling.measure(*counted, usd=part.amount("cost") or None)


OPENCODE = Format(
    "opencode",
    tell_database,
    lambda first: False,
    places=(
        Place("XDG_DATA_HOME", ".local/share", "opencode/opencode.db"),
        Place("XDG_DATA_HOME", ".local/share", "opencode/opencode-*.db"),
    ),
    layout="opaque",
    magic=b"SQLite format 3\0",
)
OPENCODE_EXPORT = Format(
    "opencode-export",
    tell_export,
    lambda first: bool(first.at("info", "id")) and isinstance(first.at("messages").value, list),
    layout="document",
)
