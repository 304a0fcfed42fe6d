"""Session files that are cut, shuffled, of wrong types or no text at all: no crash, no hang, no line
uncounted.

`SHARPEN_TEST_FULL=1` mutates 10,000 files per reader and adds lines of 50 MB.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
import sqlite3
from pathlib import Path

import pytest
import zstandard

from sharpen.errors import UsageError
from sharpen.traces import to_json
from sharpen.traces.gathering import Gathering, Nowhere
from sharpen.traces.reading import SourceFile, read_file
from sharpen.traces.sources import FORMATS

from . import recordings
from .stories import STORIES, codex_command, codex_meta, codex_user, lines

FULL = bool(os.environ.get("SHARPEN_TEST_FULL"))
FILES = 10_000 if FULL else 200
HUGE = 50_000_000
WORDS = (
    "",
    "\ud800",
    "NaN",
    "a\0b",
    "\x1b[31m",
    "9999-99-99T99:99:99Z",
    "../../x",
    "x" * 100_000,
    '{"output": 1}',
)
STRANGE = (None, True, -1, 10**30, 10**400, 1.5, [], {}, [[]], {"a": [None]}, ["text"], {"": ""}, *WORDS)
SPELLED = (
    *("NaN", "-Infinity", "1e999", "9" * 5000, '{"a":1,"a":{"b":2}}', '"\\ud800"', '{"\\udc00":1}'),
    *("[" * deep + "]" * deep for deep in (120, 600, 950, 100_000)),
    *('{"a":' * deep + "1" + "}" * deep for deep in (120, 600, 950, 100_000)),
)
"""Values as they stand in a file; most of them Python would not write, or not read."""
RAW = "one of SPELLED"
ENDS = (b"\r", b"\r\n", b"\n\n", b"", b"\0\n", b"\xe2\x80\xa8")
PIECES = (
    b"\xff\xfe\0",
    b"{",
    b"null",
    b'"x"',
    b"[" * 5000,
    b'{"a":' * 500,
    b"\0" * 99,
    b"\xed\xa0\x80",
    b"\\ud800",
)


@pytest.mark.slow
@pytest.mark.parametrize("story", [name for name in STORIES if name != "opencode"])
def test_mutated_files_are_read_as_far_as_they_go(story, tmp_path):
    name, write = STORIES[story]
    original = write(tmp_path).read_bytes()
    ending = ".json" if FORMATS[name].layout == "document" else ".jsonl"
    for number in range(FILES):
        dice = random.Random(f"{story} {number}")
        data, packing = mutated(original, dice), dice.choice(("", "", "", "", "", "", "", "", ".gz", ".zst"))
        path = tmp_path / f"mutated{ending}{packing}"
        path.write_bytes(cut(PACKED[packing](data), dice) if packing else data)
        survive(path, name)


@pytest.mark.slow
@pytest.mark.parametrize("client", recordings.CLIENTS)
def test_mutated_streams_are_read_as_far_as_they_go(client, tmp_path):
    original = (recordings.DATA / f"{client}_solved.jsonl").read_bytes()
    path = tmp_path / "mutated.jsonl"
    for number in range(FILES):
        path.write_bytes(mutated(original, random.Random(f"{client} stream {number}")))
        survive(path, f"{client}-stream")


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
    assert path.suffix in PACKED or unread <= len(path.read_bytes().split(b"\n"))
    for session in gathering.sessions:
        if session.steps:
            json.dumps(to_json(session.trajectory()), ensure_ascii=False, allow_nan=False).encode()


PACKED = {".gz": gzip.compress, ".zst": zstandard.compress}


def cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def mutated(original: bytes, dice: random.Random) -> bytes:
    way = dice.randrange(10)
    if way == 0:
        return cut(original, dice)
    if way == 1:
        return damaged(original, dice)
    rows = original.split(b"\n")
    if way == 2:
        dice.shuffle(rows)
        return b"\n".join(rows)
    if way == 3:
        return b"\n".join(dice.choices(rows, k=dice.randrange(2 * len(rows) + 1)))
    if way == 4:
        rows.insert(dice.randrange(len(rows) + 1), dice.choice(PIECES))
        return b"\n".join(rows)
    if way == 5:
        place = dice.randrange(len(original) + 1)
        return original[:place] + dice.choice(PIECES) + original[place:]
    if way == 6:
        return original.replace(b"\n", dice.choice(ENDS))
    if way == 7:
        return original.decode().encode(dice.choice(("utf-8-sig", "utf-16", "utf-32")))
    return with_strange_values(original, dice)


def damaged(original: bytes, dice: random.Random) -> bytes:
    changed = bytearray(original)
    for _ in range(dice.randint(1, 12)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def with_strange_values(original: bytes, dice: random.Random) -> bytes:
    try:
        return spelled(strange(json.loads(original), dice), dice)
    except ValueError:
        rows = original.split(b"\n")
    for place in dice.sample(range(len(rows)), k=min(3, len(rows))):
        try:
            rows[place] = spelled(strange(json.loads(rows[place]), dice), dice)
        except ValueError:
            continue
    return b"\n".join(rows)


def spelled(value: object, dice: random.Random) -> bytes:
    """The value as JSON, a value that only JSON can say in it."""
    return json.dumps(value).replace(json.dumps(RAW), dice.choice(SPELLED)).encode()


def strange(value: object, dice: random.Random) -> object:
    """The same value with one value somewhere replaced."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(sorted(value))
        return {**value, key: strange(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        return [*value[:place], strange(value[place], dice), *value[place + 1 :]]
    return RAW if dice.random() < 0.4 else dice.choice(STRANGE)


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


def test_what_is_named_like_a_session_and_is_no_file_is_neither_waited_for_nor_read(tmp_path):
    paths = [tmp_path / f"rollout-{number}.jsonl" for number in range(5)]
    os.mkfifo(paths[0])
    paths[1].symlink_to("/dev/zero")
    paths[2].mkdir()
    paths[3].symlink_to(paths[3])
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(paths[4]))
        for path in paths:
            with pytest.raises((UsageError, OSError)):
                read_file(SourceFile(path, FORMATS["codex"]), Nowhere())


def test_a_mark_of_byte_order_is_no_part_of_the_first_line(tmp_path):
    path = lines(tmp_path / "r.jsonl", [codex_meta(), codex_user("x")])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    told = Gathering()
    assert read_file(SourceFile(path, FORMATS["codex"]), told) == 0
    assert told.sessions[0].about.session_id == "s1"


def test_arguments_of_a_hundred_thousand_letters_are_searched_in_no_time(tmp_path):
    call = codex_command(0)[0]
    call["payload"]["arguments"] = json.dumps({"cmd": "x" * 1_000_000 + " my-skill/SKILL.md"})
    told = Gathering()
    read_file(SourceFile(lines(tmp_path / "r.jsonl", [codex_meta(), call]), FORMATS["codex"]), told)
    assert told.sessions[0].trajectory().extra["skills_used"] == ["my-skill"]
