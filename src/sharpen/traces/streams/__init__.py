"""Readers of what coding agents print with JSON output on, one file per client, named like the client.

A reader has `read(events)` for the stream and, where the stream leaves something out that the client's own
session file has (tokens, exit codes, the number of calls), `complete(session, events)` for that file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sharpen.traces.lines import Events
from sharpen.traces.session import Recorder, Session
from sharpen.traces.streams import claude_code, codex, copilot, cursor, gemini, kimi, opencode


class Read(Protocol):
    def __call__(self, events: Events, recorder: Recorder | None = None) -> Session:
        """The session that the lines tell; a recorder of one's own sees the steps as they come."""


@dataclass(frozen=True)
class StreamReader:
    """How to read one client."""

    read: Read
    complete: Callable[[Session, Events], Session] | None = None


STREAMS = {
    "codex": StreamReader(codex.read, codex.complete),
    "claude-code": StreamReader(claude_code.read),
    "gemini": StreamReader(gemini.read, gemini.complete),
    "opencode": StreamReader(opencode.read),
    "kimi": StreamReader(kimi.read, kimi.complete),
    "copilot": StreamReader(copilot.read, copilot.complete),
    "cursor": StreamReader(cursor.read),
}
"""Every reader by its client's name."""
