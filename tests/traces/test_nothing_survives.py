"""No planted secret survives, whatever format a session has and wherever in it the secret stands.

A session of every format is taken apart, the secret is put into one of its strings or names of fields, and
everything that comes out afterwards is searched: the file of the archive with its journal, trajectories,
their compactions, what the commands print.
"""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from sharpen.cli.app import app
from sharpen.traces import to_json
from sharpen.traces.archive import Archive
from sharpen.traces.compaction import compact
from sharpen.traces.harvest import harvest
from sharpen.traces.privacy import Privacy
from sharpen.traces.reading import SourceFile
from sharpen.traces.sources import FORMATS

from .corpus import blind_planted, planted
from .recordings import CLIENTS, DATA
from .stories import STORIES

ONE_LINERS = [
    item for item in (*planted(11, each=2), *blind_planted(13, rounds=1)) if "\n" not in item.secret
]
DISTINCT = [item for item in ONE_LINERS if len(item.secret) >= 12]


def written(name: str, folder: Path) -> tuple[str, Path]:
    """A session of that name in a folder, and its format."""
    if name in STORIES:
        format_name, write = STORIES[name]
        return format_name, write(folder)
    path = folder / "session.jsonl"
    source = DATA / ("inspect_log.json" if name == "inspect-json" else f"{name[:-7]}_solved.jsonl")
    path.write_bytes(source.read_bytes())
    return name, path


SESSIONS = [*STORIES, *(f"{client}-stream" for client in CLIENTS), "inspect-json"]


def test_every_format_is_here():
    known = {STORIES[name][0] if name in STORIES else name for name in SESSIONS}
    # Inspect's archives hold what its JSON holds; nobody recorded a stream of Cursor.
    assert set(FORMATS) - known <= {"inspect", "cursor-stream"}


def strings(value: object, path: tuple = ()) -> list[tuple]:
    """Where a value has strings, and where it has names of fields."""
    if isinstance(value, str):
        return [path]
    if isinstance(value, dict):
        inner = [place for name, item in value.items() for place in strings(item, (*path, name))]
        return [*inner, *((*path, name, None) for name in value)]
    if isinstance(value, list):
        return [place for number, item in enumerate(value) for place in strings(item, (*path, number))]
    return []


def planted_at(value: object, path: tuple, text: str) -> object:
    """The same value with the text behind the string, or behind the name, at that place."""
    if not path:
        return f"{value}\n{text}"
    first, rest = path[0], path[1:]
    if rest == (None,):
        return {**value, f"{first} {text}": value[first]}
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[first] = planted_at(copy[first], rest, text)
    return copy


def plant_somewhere(path: Path, text: str, dice: random.Random) -> None:
    if path.suffix == ".db":
        with sqlite3.connect(path) as database:
            rows = database.execute("SELECT rowid, data FROM part").fetchall()
            number, data = dice.choice(rows)
            value = json.loads(data)
            changed = json.dumps(planted_at(value, dice.choice(strings(value)), text))
            database.execute("UPDATE part SET data = ? WHERE rowid = ?", (changed, number))
        database.close()
        return
    values = objects(path.read_text())
    number = dice.randrange(len(values))
    values[number] = planted_at(values[number], dice.choice(strings(values[number])), text)
    path.write_text("\n".join(map(json.dumps, values)))


def objects(text: str) -> list[object]:
    """The values in a text: one, or one after the other."""
    found, place, decoder = [], 0, json.JSONDecoder()
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        value, place = decoder.raw_decode(text, place)
        found.append(value)
    return found


@pytest.mark.parametrize("name", SESSIONS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(item=st.sampled_from(DISTINCT), seed=st.integers(0, 10**6), padding=st.integers(0, 2000))
def test_no_planted_secret_survives_anywhere(name, item, seed, padding, tmp_path_factory):
    folder = tmp_path_factory.mktemp("session")
    format_name, path = written(name, folder)
    plant_somewhere(path, f"{'pad ' * padding}\n{item.text}", random.Random(seed))
    db, told = folder / "traces.db", []
    with Archive.open(db, create=True) as archive:
        file = SourceFile(path, FORMATS[format_name])
        tallies = harvest([file], archive, privacy=Privacy(environ={}, names=()))
        told.append(repr(tallies))
        for row in archive.rows():
            trajectory = archive.trajectory(row.number)
            told += [repr(row), json.dumps(to_json(trajectory), ensure_ascii=False)]
            told += [compact(trajectory, budget) for budget in (200, 100_000)]
        kept = b"".join(each.read_bytes() for each in folder.glob("traces.db*"))
    told.append(kept.decode("utf-8", "replace"))
    assert not [text for text in told if item.secret in text]


def test_no_command_prints_a_secret(tmp_path):
    item = next(item for item in DISTINCT if item.kind == "github")
    path = tmp_path / f"{item.secret}.jsonl"
    lines = [
        {"messages": [{"role": "user", "content": item.text}, {"role": "assistant", "content": item.text}]}
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    broken = tmp_path / f"{item.secret}.db"
    broken.write_text("no database")
    db = str(tmp_path / "traces.db")
    commands = (
        ["harvest", str(path), "--to", db],
        ["harvest", str(broken), "--from", "opencode", "--to", db],
        ["traces", "list", "--db", db],
        ["traces", "list", "--db", db, "--json"],
        ["traces", "show", "1", "--db", db],
        ["traces", "show", "1", "--db", db, "--json"],
        ["traces", "stats", "--db", db],
        ["traces", "export", "--db", db],
        ["traces", "export", "--db", db, "--as", "messages"],
    )
    outputs = [CliRunner().invoke(app, command) for command in commands]
    assert outputs[0].exit_code == 0
    assert outputs[4].exit_code == 0
    assert "[redacted:" in outputs[4].output
    assert not [done.output for done in outputs if item.secret in done.output]


def test_a_secret_spread_over_streamed_pieces_goes_once_they_are_joined(tmp_path):
    item = next(item for item in DISTINCT if item.kind == "openai")
    pieces = [item.text[start : start + 7] for start in range(0, len(item.text), 7)]
    said = [{"type": "message", "role": "assistant", "content": piece, "delta": True} for piece in pieces]
    lines = [
        {"type": "init", "session_id": "s", "model": "m"},
        *said,
        {"type": "result", "status": "success"},
    ]
    path = tmp_path / "stream.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    with Archive.open(tmp_path / "traces.db", create=True) as archive:
        harvest([SourceFile(path, FORMATS["gemini-stream"])], archive, privacy=Privacy(environ={}, names=()))
        told = json.dumps(to_json(archive.trajectory(1)))
    assert "[redacted:" in told
    assert item.secret not in told
