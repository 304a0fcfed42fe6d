"""JSON read by msgspec or by the standard library: the same values, the same refusals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.traces import lines
from sharpen.traces.lines import DEEPEST, Events, Loose, arguments_of, parsed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)
TEXTS = (
    *(b'{"a":NaN}', b'{"a":-Infinity}', b'{"a":1e999}', b'{"a":99999999999999999999999999}', b'{"a":-0.0}'),
    *(b'{"a":"\\ud800"}', b'{"\\udc00":"\\ud83d\\ude00"}', b'{"a":"\xff\xed\xa0\x80"}', b'{"a":1,"a":2}'),
    *(
        b'{"a":1}x',
        b'{"a":1}\r\n',
        b'\xef\xbb\xbf{"a":1}',
        b"\0",
        b'{"a":"\0"}',
        b'{"a":01}',
        b"{'a':1}",
        b"",
        b" ",
    ),
    *(
        b'{"a":' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":"x\ny"}',
        b'{"a":1,}',
        b"[1]",
        b"1",
    ),
)


@pytest.mark.parametrize("text", TEXTS)
def test_both_decoders_say_the_same(text):
    assert repr(parsed(text)) == repr(lines._slowly(text))


@given(value=VALUES, ascii_only=st.booleans())
def test_both_decoders_read_whatever_can_be_written(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    found = parsed(text)
    assert repr(found) == repr(lines._slowly(text))
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


def test_what_json_has_no_word_for_reads_as_absent():
    assert parsed('{"a": [NaN, 1e999, -Infinity, 1]}') == {"a": [None, None, None, 1]}
    assert parsed(r'{"a": "x\ud800y"}') == {"a": "x\ufffdy"}


def test_large_numbers_stay_exact():
    assert parsed(b'{"a": 123456789012345678901234567890}') == {"a": 123456789012345678901234567890}


def nested(deep: int) -> str:
    return '{"a":' * deep + "1" + "}" * deep


def test_objects_deeper_than_any_walk_should_go_read_as_empty():
    assert arguments_of(Loose(nested(DEEPEST - 1))) != {}
    assert arguments_of(Loose(nested(DEEPEST + 1))) == {}
    assert Loose(parsed(nested(600))).mapping() == {}


def test_blank_lines_are_no_loss_and_too_long_ones_are():
    events = Events([b'{"a": 1}\n', b"\n", b"  \r\n", None, b"x\n", '{"b": 2}', ""])
    assert [event.value for event in events] == [{"a": 1}, {"b": 2}]
    assert events.unread == 2
