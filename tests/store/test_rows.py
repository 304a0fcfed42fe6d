"""Texts and values come back from a row as they went in."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharpen.errors import UsageError
from sharpen.store.rows import intern_keys, read_text, write_json, write_text

any_text = st.text(st.characters())  # lone surrogates included


def through_sqlite(cell: str | bytes | None) -> str | bytes | None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE one (cell TEXT)")
        connection.execute("INSERT INTO one VALUES (?)", (cell,))
        found: str | bytes | None = connection.execute("SELECT cell FROM one").fetchone()[0]
        return found


@settings(deadline=None)
@given(any_text)
def test_any_text_survives(text: str) -> None:
    assert read_text(through_sqlite(write_text(text))) == text


@settings(max_examples=50, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | any_text, st.lists, max_leaves=5))
def test_any_json_survives(value: object) -> None:
    cell = through_sqlite(write_json(value, "it"))
    assert isinstance(cell, str)
    assert json.loads(cell) == value


def test_the_empty_text_is_null_and_plain_text_stays_text() -> None:
    assert write_text("") is None
    assert write_text("größer") == "größer"


def test_json_keeps_the_order_of_keys() -> None:
    assert write_json({"b": 1, "a": [True, None]}, "it") == '{"b":1,"a":[true,null]}'


@pytest.mark.parametrize("value", [{1, 2}, object(), {"deep": [b"bytes"]}])
def test_what_is_not_json_is_named(value: object) -> None:
    with pytest.raises(UsageError, match=r"the config cannot be stored: .*; use plain JSON values"):
        write_json(value, "the config")


def test_interned_keys_share_their_strings() -> None:
    long, also_long = "digest " * 10, "".join(["digest "] * 10)
    first, second = sorted(intern_keys([(long, "t", "s", 1), (also_long, "t", "s", 2)]))
    assert first.skill is second.skill
