"""A file read the way a harvest does, for the tests of readers."""

from __future__ import annotations

import json
from pathlib import Path

from sharpen.traces import from_json, to_json
from sharpen.traces.gathering import Gathered, Gathering
from sharpen.traces.reading import SourceFile, read_file, recognise
from sharpen.traces.sources import FORMATS
from sharpen.traces.trajectory import Step


def sessions_in(path: Path, name: str | None = None, *, unread: int = 0) -> list[Gathered]:
    """The sessions of a file, of which so many lines are unreadable; each survives the way through ATIF."""
    gathering = Gathering()
    assert read_file(SourceFile(path, FORMATS[name] if name else recognise(path)), gathering) == unread
    for session in gathering.sessions:
        if session.steps:
            trajectory = session.trajectory()
            assert from_json(json.loads(json.dumps(to_json(trajectory)))) == trajectory
    return gathering.sessions


def only_session(path: Path, name: str | None = None, *, unread: int = 0) -> Gathered:
    (session,) = sessions_in(path, name, unread=unread)
    return session


def story(session: Gathered) -> list[tuple[object, ...]]:
    """Who said what, called what and got what, step by step."""
    return [_told(step) for step in session.steps]


def _told(step: Step) -> tuple[object, ...]:
    calls = [(call.tool_call_id, call.function_name, dict(call.arguments)) for call in step.tool_calls]
    results = [(result.source_call_id, result.content) for result in step.results]
    told = [step.source, step.message, *([calls] if calls else []), *([results] if results else [])]
    return tuple(told)
