"""Session files that are cut, shuffled, of wrong types or no text at all: no crash, no hang, no line
uncounted.

`SHARPEN_TEST_FULL=1` mutates 10,000 files per reader and adds lines of 50 MB.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path

import pytest

from sharpen.errors import UsageError
from sharpen.traces import to_json
from sharpen.traces.gathering import Gathering, Nowhere
from sharpen.traces.reading import SourceFile, read_file
from sharpen.traces.sources import FORMATS

from .stories import STORIES, codex_command, codex_meta, codex_user, lines

FULL = bool(os.environ.get("SHARPEN_TEST_FULL"))
FILES = 10_000 if FULL else 200
HUGE = 50_000_000
STRANGE = (None, True, -1, 10**30, 1.5, "", "\ud800", [], {}, [[]], {"a": [None]}, "NaN", ["text"])


@pytest.mark.slow
@pytest.mark.parametrize("story", [name for name in STORIES if name != "opencode"])
def test_mutated_files_are_read_as_far_as_they_go(story, tmp_path):
    name, write = STORIES[story]
    original = write(tmp_path).read_bytes()
    path = tmp_path / f"mutated{'.json' if FORMATS[name].layout == 'document' else '.jsonl'}"
    for number in range(FILES):
        path.write_bytes(mutated(original, random.Random(f"{story} {number}")))
        survive(path, name)


@pytest.mark.slow
def test_mutated_databases(tmp_path):
    original = STORIES["opencode"][1](tmp_path).read_bytes()
    path = tmp_path / "mutated.db"
    for number in range(FILES // 10):
        path.write_bytes(damaged(original, random.Random(f"database {number}")))
        survive(path, "opencode")


def survive(path: Path, name: str) -> None:
    gathering = Gathering()
    try:
        unread = read_file(SourceFile(path, FORMATS[name]), gathering)
    except (UsageError, sqlite3.DatabaseError):
        assert name == "opencode"  # a whole file that is none is reported, not counted by lines
        return
    assert unread <= len(path.read_bytes().split(b"\n"))
    for session in gathering.sessions:
        if session.steps:
            json.dumps(to_json(session.trajectory()))


def mutated(original: bytes, dice: random.Random) -> bytes:
    way = dice.randrange(6)
    if way == 0:
        return original[: dice.randrange(len(original) + 1)]
    if way == 1:
        return damaged(original, dice)
    rows = original.split(b"\n")
    if way == 2:
        dice.shuffle(rows)
        return b"\n".join(rows)
    if way == 3:
        return b"\n".join(dice.choices(rows, k=dice.randrange(2 * len(rows) + 1)))
    if way == 4:
        garbage = [b"\xff\xfe\x00", b"{", b"null", b'"x"', b"[" * 5000, b'{"a":' * 500]
        rows.insert(dice.randrange(len(rows) + 1), dice.choice(garbage))
        return b"\n".join(rows)
    return with_strange_values(original, dice)


def damaged(original: bytes, dice: random.Random) -> bytes:
    changed = bytearray(original)
    for _ in range(dice.randint(1, 12)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def with_strange_values(original: bytes, dice: random.Random) -> bytes:
    try:
        return json.dumps(strange(json.loads(original), dice)).encode()
    except ValueError:
        rows = original.split(b"\n")
    for place in dice.choices(range(len(rows)), k=3):
        try:
            rows[place] = json.dumps(strange(json.loads(rows[place]), dice)).encode()
        except ValueError:
            continue
    return b"\n".join(rows)


def strange(value: object, dice: random.Random) -> object:
    """The same value with one value somewhere replaced."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(sorted(value))
        return {**value, key: strange(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        return [*value[:place], strange(value[place], dice), *value[place + 1 :]]
    return dice.choice(STRANGE)


@pytest.mark.parametrize("story", STORIES)
def test_foreign_lines_are_counted_one_by_one(story, tmp_path):
    name, write = STORIES[story]
    if FORMATS[name].layout != "lines" or story.endswith("OpenInference") or story == "gemini, older":
        pytest.skip("not a format of lines")
    path = write(tmp_path)
    clean = Gathering()
    assert read_file(SourceFile(path, FORMATS[name]), clean) == 0
    with path.open("ab") as file:
        file.write(b'{"cut": \n[1, 2]\nhello\n\n\xff\xff\n"text"\n')
    dirty = Gathering()
    assert read_file(SourceFile(path, FORMATS[name]), dirty) == 5
    assert [session.steps for session in dirty.sessions] == [session.steps for session in clean.sessions]


@pytest.mark.parametrize("count", [20 if FULL else 1])
def test_huge_lines_are_read_and_longer_ones_counted(count, tmp_path):
    output = {**codex_command(0)[1]}
    for number in range(count):
        text = "x" * (HUGE + number)
        output["payload"] = {"type": "function_call_output", "call_id": "c0", "output": text}
        path = lines(tmp_path / "r.jsonl", [codex_meta(), codex_user("x"), codex_command(0)[0], output])
        told = Nowhere()
        assert read_file(SourceFile(path, FORMATS["codex"]), told) == 0
        assert told.steps == 2
    with path.open("ab") as file:
        file.write(
            b'{"type": "' + b"y" * (70 * 2**20) + b'"}\n' + json.dumps(codex_user("after")).encode() + b"\n"
        )
    told = Nowhere()
    assert read_file(SourceFile(path, FORMATS["codex"]), told) == 1
    assert told.steps == 3
