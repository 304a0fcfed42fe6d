"""Streams that are cut, mixed up or no JSON at all: never an exception, never a line lost without a count."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.traces import STREAMS, Agent, Events, check, to_json

from .recordings import CLIENTS, Recording, read, recording

RECORDINGS = {(client, name): recording(client, name) for client in CLIENTS for name in ("solved", "refused")}
recordings = st.sampled_from(sorted(RECORDINGS)).map(RECORDINGS.__getitem__)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def tell(recorded: Recording) -> object:
    """Read it and write the trajectory: both must succeed whatever came."""
    session = read(recorded)
    trajectory = session.trajectory(Agent(recorded.client, "1", None), "p", {})
    assert list(check(trajectory)) == []
    return json.dumps(to_json(trajectory))


@given(recorded=recordings, data=st.data())
def test_a_stream_cut_anywhere(recorded, data):
    text = "\n".join(recorded.stream)
    cut = text[: data.draw(st.integers(0, len(text)))]
    reader = STREAMS[recorded.client]
    session = reader.read(Events(cut.split("\n")))
    assert session.unread <= 1
    tell(Recording(recorded.client, cut.split("\n"), recorded.session_file[: len(cut) % 7]))


@given(recorded=recordings, data=st.data())
def test_lines_dropped_repeated_and_reordered(recorded, data):
    lines = [line for line in recorded.stream if line]
    chosen = data.draw(st.lists(st.sampled_from(lines), max_size=2 * len(lines)))
    beside = [line for line in recorded.session_file if line]
    extra = data.draw(st.lists(st.sampled_from(beside), max_size=len(beside))) if beside else []
    tell(Recording(recorded.client, chosen, extra))


@given(recorded=recordings, garbage=st.lists(st.text(max_size=30), max_size=5))
def test_foreign_lines_are_counted_and_change_nothing(recorded, garbage):
    strange = ["\x00\ufffd{", '{"type": "result"', "[1, 2]", '"text"', "NaN", *garbage]
    foreign = [line for line in strange if line.strip() and not _is_object(line)]
    mixed = [line for pair in zip(recorded.stream, foreign, strict=False) for line in pair]
    mixed += recorded.stream[len(mixed) // 2 :] + foreign[len(mixed) // 2 :]
    clean, dirty = read(recorded), read(Recording(recorded.client, mixed, recorded.session_file))
    assert dirty.unread == clean.unread + len(foreign)
    assert (dirty.steps, dirty.final, dirty.spent) == (clean.steps, clean.final, clean.spent)


@given(recorded=recordings, data=st.data())
def test_fields_of_another_type_read_as_absent(recorded, data):
    line = data.draw(st.sampled_from([line for line in recorded.stream if line]))
    broken = json.dumps(_mutated(json.loads(line), data))
    stream = [broken if other == line else other for other in recorded.stream]
    tell(Recording(recorded.client, stream, recorded.session_file))


@pytest.mark.parametrize("client", sorted(STREAMS))
def test_nothing_at_all_is_a_run_without_an_end(client):
    session = STREAMS[client].read(Events([]))
    assert (session.finished, session.steps, session.spent) == (False, (), None)


def test_nesting_beyond_reason_is_one_unread_line():
    events = Events(["[" * 100_000, '{"a":' * 100_000])
    assert list(events) == []
    assert events.unread == 2


def _mutated(value, data):
    """The same object with one value somewhere replaced by something else."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 3)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: _mutated(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        return [_mutated(value[0], data), *value[1:]]
    return data.draw(values)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
