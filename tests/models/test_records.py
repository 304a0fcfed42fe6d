"""Requests and completions as records: digests, round trips, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import SettingsError
from sharpen.models import AnswerError, Completion, Image, Message, Request, ToolCall, ToolSpec
from sharpen.types import Usage

TEXTS = st.text(max_size=20)
CALLS = st.builds(ToolCall, TEXTS, TEXTS, st.dictionaries(TEXTS, st.integers() | TEXTS, max_size=2))
MESSAGES = st.one_of(
    st.builds(
        Message,
        st.just("user"),
        TEXTS,
        st.lists(st.builds(Image, st.binary(max_size=9)), max_size=2).map(tuple),
    ),
    st.builds(Message, st.just("assistant"), TEXTS, st.just(()), st.lists(CALLS, max_size=2).map(tuple)),
    st.builds(Message, st.just("tool"), TEXTS, st.just(()), st.just(()), st.text(min_size=1, max_size=5)),
)
REQUESTS = st.builds(
    Request,
    st.lists(MESSAGES, min_size=1, max_size=3),
    system=TEXTS,
    tools=st.lists(st.builds(ToolSpec, TEXTS, TEXTS), max_size=2),
    schema=st.none() | st.just({"type": "object"}),
    max_tokens=st.integers(1, 9999),
    temperature=st.none() | st.floats(0, 2),
    seed=st.none() | st.integers(0, 99),
    stop=st.lists(TEXTS, max_size=2),
)
COMPLETIONS = st.builds(
    Completion,
    TEXTS,
    st.lists(CALLS, max_size=2).map(tuple),
    st.builds(Usage, st.integers(0, 99), st.integers(0, 99), usd=st.none() | st.floats(0, 9), model=TEXTS),
    st.sampled_from(["stop", "length", "tools", "filter"]),
    TEXTS,
    st.lists(st.dictionaries(TEXTS, TEXTS, max_size=2), max_size=2).map(tuple),
)


@given(REQUESTS)
def test_a_request_survives_json_with_its_digest(request: Request) -> None:
    again = Request.from_json(json.loads(json.dumps(request.to_json())))
    assert again == request
    assert again.digest == request.digest


@given(COMPLETIONS)
def test_a_completion_survives_json(completion: Completion) -> None:
    assert Completion.from_json(json.loads(json.dumps(completion.to_json()))) == completion


@given(REQUESTS, REQUESTS)
def test_different_requests_have_different_digests(one: Request, other: Request) -> None:
    assert (one.digest == other.digest) == (one == other)


def test_every_field_is_part_of_the_digest() -> None:
    plain = Request.of("?")
    changed = [
        replace(plain, system="s"),
        replace(plain, tools=(ToolSpec("t"),)),
        replace(plain, schema={}),
        replace(plain, max_tokens=1),
        replace(plain, temperature=0.0),
        replace(plain, seed=0),
        replace(plain, stop=("x",)),
        Request((Message("user", "?", (Image(b"1"),)),)),
        Request((Message("user", "?", (Image(b"2"),)),)),
    ]
    assert len({request.digest for request in [plain, *changed]}) == len(changed) + 1


@pytest.mark.parametrize("text", ['{"a": 1}', '```json\n{"a": 1}\n```', ' ```\n{"a": 1}\n``` '])
def test_json_is_read_bare_or_fenced(text: str) -> None:
    assert Completion(text).json({"type": "object", "required": ["a"]}) == {"a": 1}


@pytest.mark.parametrize(
    ("completion", "why"),
    [
        (Completion('{"a": 1}', finish="length"), "cut"),
        (Completion("Sure! Here it is"), "not JSON"),
        (Completion("[1]"), "list"),
        (Completion('{"b": 1}'), "'a'"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_refused(completion: Completion, why: str) -> None:
    with pytest.raises(AnswerError, match=why):
        completion.json({"type": "object", "required": ["a"]})


@pytest.mark.parametrize(
    "make",
    [
        lambda: Message("system", "x"),  # type: ignore[arg-type]
        lambda: Message("tool", "x"),
        lambda: Image(b"", "image/tiff"),
        lambda: Image.from_base64("not base64!"),
        lambda: Request(()),
        lambda: Request.of("?", max_tokens=0),
        lambda: replace(Request.of("?"), temperature=3),
    ],
)
def test_records_refuse_what_no_server_takes(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SettingsError):
        make()
