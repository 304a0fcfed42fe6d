"""Conversations in the shapes that public training sets and fine-tuning files have; wrong rows count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sharpen.errors import UsageError
from sharpen.traces.messages_out import conversation
from sharpen.traces.reading import recognise

from .readings import only_session, sessions_in, story
from .stories import chat_messages, document, lines

USER, AGENT = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "there"}
SYSTEM = {"role": "system", "content": "Be good."}
WEATHER = ("call-1-0", "weather", {"city": "Rome"})
CALL = {"name": "weather", "arguments": {"city": "Rome"}}
TOLD = [("user", "hi"), ("agent", "there")]
ASKED = [("user", "hi"), ("agent", "", [WEATHER], [("call-1-0", "sunny")])]


def sharegpt(*turns: tuple[str, str], **more: object) -> dict[str, object]:
    return {"conversations": [{"from": who, "value": words} for who, words in turns], **more}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"messages": [USER, AGENT]}, TOLD),
        ({"messages": json.dumps([USER, AGENT])}, TOLD),
        ({"conversation": [USER, AGENT]}, TOLD),
        ({"conversations": [USER, AGENT], "conversations_sharegpt": [USER]}, TOLD),
        ({"prompt": [USER], "completion": [AGENT]}, TOLD),
        ({"prompt": "hi", "completion": "there"}, TOLD),
        ({"prompt": [USER], "chosen": [AGENT], "rejected": [SYSTEM]}, TOLD),
        ({"input": {"messages": [USER]}, "preferred_output": [AGENT], "non_preferred_output": []}, TOLD),
        ({"custom_id": "a", "method": "POST", "body": {"model": "m", "messages": [USER, AGENT]}}, TOLD),
        (sharegpt(("human", "hi"), ("gpt", "there")), TOLD),
        (sharegpt(("user", "hi"), ("assistant", "there")), TOLD),
        (sharegpt(("human", "hi"), ("gpt", "there"), system="Be good."), [("system", "Be good."), *TOLD]),
        (sharegpt(("system", "A"), ("human", "hi"), ("gpt", "there"), system="B"), [("system", "A"), *TOLD]),
        (sharegpt(("human", "hi"), ("function_call", json.dumps(CALL)), ("observation", "sunny")), ASKED),
        (sharegpt(("human", "hi"), ("tool_call", json.dumps([CALL])), ("tool", "sunny")), ASKED),
        (
            sharegpt(
                ("human", "hi"),
                ("gpt", f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>"),
                ("tool", "<tool_response>\nsunny\n</tool_response>"),
            ),
            ASKED,
        ),
        (
            {
                "messages": [
                    USER,
                    {
                        "role": "assistant",
                        "content": None,
                        "function_call": {**CALL, "arguments": '{"city": "Rome"}'},
                    },
                    {"role": "function", "name": "weather", "content": "sunny"},
                ]
            },
            ASKED,
        ),
        (
            {
                "messages": [
                    USER,
                    {"role": "assistant", "tool_calls": json.dumps([CALL])},
                    {"role": "tool", "content": "sunny"},
                ]
            },
            ASKED,
        ),
        (
            {"messages": [{"role": "developer", "content": [{"type": "text", "text": "Be good."}]}, USER]},
            [("system", "Be good."), ("user", "hi")],
        ),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image_url"}]}
                ]
            },
            [("user", "see\n[image_url]")],
        ),
        (
            {"messages": [USER, {"role": "assistant", "content": None, "refusal": "No."}]},
            [TOLD[0], ("agent", "No.")],
        ),
    ],
)
def test_every_shape_is_recognised_and_told(tmp_path, row, told):
    path = lines(tmp_path / "x.jsonl", [row])
    assert recognise(path).name == "messages"
    assert story(only_session(path)) == told
    assert story(only_session(document(tmp_path / "x.json", [row]))) == told


def test_thoughts_in_tags_are_thoughts(tmp_path):
    row = sharegpt(("human", "hi"), ("gpt", "<think>\nhm\n</think>\n\nthere"))
    step = only_session(lines(tmp_path / "x.jsonl", [row])).steps[1]
    assert (step.reasoning_content, step.message) == ("hm", "there")


def test_several_calls_without_ids_get_their_results_in_order(tmp_path):
    calls = [
        {"function": {"name": "weather", "arguments": json.dumps({"city": city})}}
        for city in ("Rome", "Oslo")
    ]
    results = [{"role": "tool", "content": weather} for weather in ("sunny", "rain")]
    row = {"messages": [USER, {"role": "assistant", "tool_calls": calls}, *results]}
    step = only_session(lines(tmp_path / "x.jsonl", [row])).steps[1]
    assert [(result.source_call_id, result.content) for result in step.results] == [
        ("call-1-0", "sunny"),
        ("call-1-1", "rain"),
    ]


def test_ids_that_come_again_are_other_calls(tmp_path):
    def turn(city: str) -> list[dict[str, object]]:
        call = {"id": "call_0", "function": {"name": "weather", "arguments": {"city": city}}}
        result = {"role": "tool", "tool_call_id": "call_0", "content": f"{city}: sunny"}
        return [{"role": "assistant", "tool_calls": [call]}, result]

    row = {"messages": [USER, *turn("Rome"), *turn("Oslo")]}
    session = only_session(lines(tmp_path / "x.jsonl", [row]))
    assert story(session)[1:] == [
        ("agent", "", [("call_0", "weather", {"city": city})], [("call_0", f"{city}: sunny")])
        for city in ("Rome", "Oslo")
    ]


def test_wrong_rows_are_counted_and_the_others_told(tmp_path):
    wrong = [
        {"messages": []},
        {"messages": "no list"},
        {"messages": [{"role": "wizard", "content": "x"}]},
        {"messages": ["x", 7, None]},
        {"text": "no conversation"},
        {"instruction": "do", "output": "done"},
    ]
    half = {"messages": [USER, {"role": "wizard", "content": "x"}, AGENT]}
    path = lines(tmp_path / "x.jsonl", [{"messages": [USER, AGENT]}, *wrong, half])
    first, second = sessions_in(path, unread=len(wrong) + 1)
    assert story(first) == story(second) == TOLD


@pytest.mark.parametrize(
    "row", [{"messages": [1]}, {"messages": [{"role": "wizard"}]}, {"prompt": "x"}, {"role": "user"}]
)
def test_what_is_no_conversation_is_not_recognised(tmp_path, row):
    with pytest.raises(UsageError, match="no session format"):
        recognise(lines(tmp_path / "x.jsonl", [row]))


def test_rows_of_the_same_id_are_sessions_of_their_own(tmp_path):
    first, second = sessions_in(lines(tmp_path / "x.jsonl", [{"id": 7, "messages": [USER]}] * 2))
    assert first.about.session_id != second.about.session_id
    assert first.about.facts == {"id": "7"}


@pytest.mark.parametrize(
    ("more", "reward"),
    [
        ({"reward": 0.5}, 0.5),
        ({"result": "1.0", "trial_name": "t__1"}, 1.0),
        ({"result": "AgentTimeout", "trial_name": "t"}, None),
        ({}, None),
    ],
)
def test_verdicts_beside_the_messages(tmp_path, more, reward):
    path = lines(tmp_path / "x.jsonl", [{"messages": [USER, AGENT], **more}])
    assert only_session(path).ending.reward == reward


def test_a_file_whose_name_is_no_text(tmp_path):
    path = Path(str(tmp_path) + "/x\udcff.jsonl")
    lines(path, [{"messages": [USER]}])
    only_session(path).about.session_id.encode("utf-8")


def test_what_is_exported_reads_back(tmp_path):
    first = only_session(lines(tmp_path / "x.jsonl", [{"messages": chat_messages()}]))
    again = only_session(lines(tmp_path / "y.jsonl", [conversation(first.trajectory())]))
    assert story(again) == story(first)
