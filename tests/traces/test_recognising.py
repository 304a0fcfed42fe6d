"""A file's format is told by its content: never the wrong one, and no reader breaks on another's file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sharpen.errors import UsageError
from sharpen.traces.gathering import Gathering
from sharpen.traces.reading import SourceFile, read_file, recognise
from sharpen.traces.sources import FORMATS

from .recordings import DATA
from .stories import STORIES, chat_messages, document, lines

RECORDED = {
    "codex_solved_session.jsonl": "codex",
    "codex_solved.jsonl": "codex-stream",
    "claude-code_solved.jsonl": "claude-code-stream",
    "gemini_solved_session.jsonl": "gemini",
    "gemini_solved.jsonl": "gemini-stream",
    "kimi_solved_session.jsonl": "kimi",
    "kimi_solved.jsonl": "kimi-stream",
    "copilot_solved_session.jsonl": "copilot",
    "opencode_solved.jsonl": "opencode-stream",
    "harbor_codex_trajectory.json": "atif",
    "inspect_log.json": "inspect-json",
    "mini_tools.traj.json": "mini-swe-agent",
    "mini_response.traj.json": "mini-swe-agent",
    "otlp_genai.jsonl": "otlp",
    "otlp_openinference.jsonl": "otlp",
    "otlp_events.jsonl": "otlp",
    "otlp_details.jsonl": "otlp",
}


@pytest.mark.parametrize(("name", "format_"), RECORDED.items())
def test_recorded_files_are_told_by_their_content(tmp_path, name, format_):
    renamed = tmp_path / "handed-over.txt"
    renamed.write_bytes((DATA / name).read_bytes())
    assert recognise(renamed).name == format_


@pytest.mark.parametrize("name", RECORDED)
def test_no_reader_breaks_on_the_file_of_another(name):
    for format_ in FORMATS.values():
        survive(DATA / name, format_.name)


@pytest.mark.parametrize("story", STORIES)
def test_no_reader_breaks_on_the_story_of_another(tmp_path, story):
    path = STORIES[story][1](tmp_path)
    for format_ in FORMATS.values():
        survive(path, format_.name)


def survive(path: Path, name: str) -> None:
    try:
        read_file(SourceFile(path, FORMATS[name]), Gathering())
    except (UsageError, sqlite3.DatabaseError):
        assert FORMATS[name].layout == "opaque"


@pytest.mark.parametrize("layout", ["array", "lines"])
def test_bare_messages_are_messages(tmp_path, layout):
    path = tmp_path / "x.json"
    told = chat_messages()
    path = document(path, told) if layout == "array" else lines(path, told)
    assert recognise(path).name == "messages"
    sink = Gathering()
    assert read_file(SourceFile(path, recognise(path)), sink) == 0
    assert len(sink.sessions) == 1


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"name": "app", "version": "1.0.0", "scripts": {"test": "vitest"}, "dependencies": {}},
        {"cells": [{"cell_type": "code", "source": ["1"]}], "nbformat": 4, "metadata": {}},
        {"log": {"version": "1.2", "entries": [{"request": {}, "response": {}}]}},
        {"info": {"title": "API", "version": "1"}, "paths": {}, "openapi": "3.1.0"},
        {"info": {"exit_status": "Submitted"}, "messages": []},
        {"schema_version": "ATIF-v1.8", "agent": {}},
        {"schema_version": "1.0", "steps": [{"name": "build"}]},
        {"trajectory": [], "info": {}},
        {"trajectory": [{"x": 1, "y": 2}], "info": {"vehicle": "a"}},
        {"resourceMetrics": [{"scopeMetrics": []}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "started"}}]}]}]},
        {"messages": [{"id": 1, "author": "a", "text": "hello"}], "channel": "general"},
        {"version": 1, "samples": [1, 2], "eval": "x"},
        {"role": "admin", "permissions": ["read"]},
        {"prompt": "a castle", "steps": 20, "seed": 7},
        {"id": "evt_1", "type": "invoice.paid", "data": {"object": {}}},
    ],
)
def test_what_is_no_session_is_refused(tmp_path, value):
    for path in (document(tmp_path / "x.json", value), lines(tmp_path / "x.jsonl", [value])):
        with pytest.raises(UsageError, match="no session format"):
            recognise(path)


def test_a_sharded_dataset_is_not_taken_for_one_message(tmp_path):
    rows = [{"id": n, "messages": chat_messages()} for n in range(3)]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(rows))
    sink = Gathering()
    assert read_file(SourceFile(path, recognise(path)), sink) == 0
    assert len(sink.sessions) == 3
