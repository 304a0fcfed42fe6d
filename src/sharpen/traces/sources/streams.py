"""What coding agents print with JSON output on, kept in files; the readers of `streams/` tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from sharpen.traces.lines import Events, Loose
from sharpen.traces.session import Recorder, Session
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.streams import STREAMS
from sharpen.traces.telling import About, Ending, Sink, State, Telling
from sharpen.traces.trajectory import Metrics


class _Forwarding(Recorder):
    """A recorder that keeps nothing: what it hears it tells."""

    def __init__(self, sink: Sink, about: About) -> None:
        super().__init__()
        self._sink, self._about = sink, about
        self.main = self._telling = Telling(sink, about)
        self._inner: dict[str, Telling] = {}

    def inside(self, call: str) -> None:
        """A sub-agent is a session of its own."""
        if call and call not in self._inner:
            name = self._about.session_id
            inner = replace(self._about, session_id=f"{name}/{call}", parent=name, relation="sub-agent")
            self._inner[call] = Telling(self._sink, inner)
        self._telling = self._inner[call] if call else self.main

    def turn(self) -> None:
        self._telling.turn()

    def say(self, text: str, *, joined: bool = False) -> None:
        self._telling.say(text, joined=joined)

    def think(self, text: str) -> None:
        self._telling.think(text)

    def call(self, name: str, tool: str, arguments: Mapping[str, object]) -> None:
        self._telling.call(name, tool, arguments)

    def result(self, name: str, content: str, *, exit_code: int | None, failed: bool = False) -> None:
        self._telling.result(name, content, exit_code=exit_code, failed=failed or bool(exit_code))

    def measure(self, metrics: Metrics) -> None:
        self._telling.price(metrics)

    def end_inner(self) -> None:
        for telling in self._inner.values():
            telling.end(Ending())

    def told(self, session: Session, events: Events) -> Session:
        return replace(session, unread=events.unread)


def tell(client: str, events: Events, sink: Sink, path: Path) -> None:
    recorder = _Forwarding(sink, About(client, name_of(path)))
    session = STREAMS[client].read(events, recorder)
    recorder.end_inner()
    facts = {"client_session": session.session_id} if session.session_id else {}
    recorder.main.end(
        Ending(
            _state(session),
            None,
            session.spent,
            session.errors,
            session.model,
            session.skills_listed,
            facts,
        )
    )


def _state(session: Session) -> State:
    if session.errors:
        return "failed"
    return "stopped" if session.limit else "completed" if session.finished else "unknown"


def _begins(client: str, first: Loose) -> bool:
    kind, role = first.text("type"), first.text("role")
    match client:
        case "codex":
            return kind in ("thread.started", "turn.started", "item.started", "item.completed")
        case "claude-code":
            return (
                kind == "system"
                and first.text("subtype") in ("init", "hook_started")
                and "apiKeySource" in first.mapping()
            )
        case "gemini":
            return kind == "init" and bool(first.at("session_id"))
        case "opencode":
            return kind in ("step_start", "tool_use", "step_finish") and bool(first.at("part"))
        case "kimi":
            return role == "meta"
        case "cursor":
            return (
                kind == "system" and first.text("subtype") == "init" and "permissionMode" in first.mapping()
            )
    return False


STREAM_FORMATS = tuple(
    Format(
        f"{client}-stream",
        partial(tell, client),
        partial(_begins, client),
    )
    for client in STREAMS
)
