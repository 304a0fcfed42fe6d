"""What reaches a server and what is read from its answer, for each protocol, through the real SDKs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from faults import FaultServer
from models.servers import PROTOCOLS, ask, opener
from sharpen.errors import SettingsError
from sharpen.models import Image, Message, ModelError, Price, Request, ToolCall, ToolSpec
from sharpen.models.protocols import Chat, GarbledError, Generate, Messages, Responses, Spelling

PICTURE = Image(b"\x89PNG fake", "image/png")
SCHEMA = {
    "type": "object",
    "properties": {"year": {"type": "integer"}},
    "required": ["year"],
    "additionalProperties": False,
}
WEATHER = ToolSpec(
    "weather", "what it is like", {"type": "object", "properties": {"town": {"type": "string"}}}
)
CONVERSATION = Request(
    [
        Message("user", "look", images=(PICTURE,)),
        Message("assistant", "asking", tool_calls=(ToolCall("c9", "weather", {"town": "Ulm"}),)),
        Message("tool", "rain", tool_call_id="c9"),
    ],
    system="be brief",
    tools=[WEATHER],
    max_tokens=50,
    temperature=0.0,
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_whole_conversation_reaches_the_server(protocol: str) -> None:
    with FaultServer(reply=lambda seen: "fine") as server:
        (answer,) = ask(PROTOCOLS[protocol](server), CONVERSATION)
        assert answer.text == "fine"
        assert (answer.usage.input_tokens, answer.usage.output_tokens) == (7, 1)
        assert (
            answer.usage.model
            == {
                "chat": "openai:gpt-5-mini",
                "responses": "openai:gpt-5-mini",
                "messages": "anthropic:claude-haiku-4-5",
                "gemini": "gemini:gemini-2.5-flash",
            }[protocol]
        )
        sent = json.dumps(server.requests[0].body)
    for piece in ("look", PICTURE.base64, "weather", "Ulm", "rain", "be brief", "town", "50"):
        assert piece in sent, piece


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_schema_reaches_the_server(protocol: str) -> None:
    request = Request([Message("user", "when?")], schema=SCHEMA)
    with FaultServer(reply=lambda seen: '{"year": 1987}') as server:
        (answer,) = ask(PROTOCOLS[protocol](server), request)
        assert '"year"' in json.dumps(server.requests[0].body)
    assert answer.json(SCHEMA) == {"year": 1987}


def wires(**settings: Any) -> dict[str, Any]:
    spelling = Spelling("m", **settings)
    return {"chat": Chat(spelling), "responses": Responses(spelling), "messages": Messages(spelling),
            "gemini": Generate(spelling)}  # fmt: skip


TOOL_ANSWERS: Mapping[str, Any] = {
    "chat": {
        "model": "m",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "message": {
                    "content": None,
                    "tool_calls": [
                        {"id": "a", "function": {"name": "weather", "arguments": '{"town": "Ulm"}'}}
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}},
    },
    "responses": {
        "model": "m",
        "status": "completed",
        "output": [
            {"type": "function_call", "call_id": "a", "name": "weather", "arguments": '{"town": "Ulm"}'}
        ],
        "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 5}},
    },
    "messages": {
        "model": "m",
        "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "a", "name": "weather", "input": {"town": "Ulm"}}],
        "usage": {"input_tokens": 4, "output_tokens": 4, "cache_read_input_tokens": 5},
    },
    "gemini": {
        "modelVersion": "m",
        "candidates": [
            {
                "finishReason": "STOP",
                "content": {
                    "parts": [{"functionCall": {"id": "a", "name": "weather", "args": {"town": "Ulm"}}}]
                },
            }
        ],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "cachedContentTokenCount": 5},
    },
}


@pytest.mark.parametrize("protocol", TOOL_ANSWERS)
def test_tool_calls_and_cached_tokens_are_read(protocol: str) -> None:
    price = Price(input=10, cached=1, output=100)
    answer = wires()[protocol].completion(TOOL_ANSWERS[protocol], price)
    assert answer.tool_calls == (ToolCall("a", "weather", {"town": "Ulm"}),)
    assert answer.finish == "tools"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 4)
    assert answer.usage.usd == pytest.approx((4 * 10 + 5 * 1 + 4 * 100) / 1e6)


CUT = {
    "chat": {"choices": [{"finish_reason": "length", "message": {"content": '{"year": 1'}}]},
    "responses": {
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [{"type": "message", "content": [{"type": "output_text", "text": '{"year": 1'}]}],
    },
    "messages": {"stop_reason": "max_tokens", "content": [{"type": "text", "text": '{"year": 1'}]},
    "gemini": {
        "candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": [{"text": '{"year": 1'}]}}]
    },
}
FILTERED = {
    "chat": {"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]},
    "responses": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
    "messages": {"stop_reason": "refusal", "content": []},
    "gemini": {"promptFeedback": {"blockReason": "SAFETY"}},
}
WRONG = [{}, {"choices": []}, {"choices": "x"}, {"output": 3}, {"content": "x"}, {"candidates": [1]}]


@pytest.mark.parametrize("protocol", CUT)
def test_a_cut_answer_is_marked(protocol: str) -> None:
    answer = wires()[protocol].completion(CUT[protocol], None)
    assert answer.truncated
    assert answer.text == '{"year": 1'
    assert answer.usage.usd is None


@pytest.mark.parametrize("protocol", FILTERED)
def test_a_filtered_answer_is_an_answer(protocol: str) -> None:
    assert wires()[protocol].completion(FILTERED[protocol], None).finish == "filter"


@pytest.mark.parametrize("protocol", CUT)
@pytest.mark.parametrize("body", WRONG, ids=str)
def test_json_of_another_shape_is_garbled(protocol: str, body: Mapping[str, Any]) -> None:
    with pytest.raises(GarbledError):
        wires()[protocol].completion(body, None)


def test_arguments_that_do_not_parse_are_kept_as_text() -> None:
    body = {
        "choices": [
            {"message": {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": '{"x": '}}]}}
        ]
    }
    (call,) = wires()["chat"].completion(body, None).tool_calls
    assert (call.arguments, call.text) == ({}, '{"x": ')
    assert "not JSON" in call.error


def test_signed_thoughts_go_back_as_they_came() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "tool_use", "id": "a", "name": "weather", "input": {}},
    ]
    wire = Messages(Spelling("m", thinking=2048))
    answer = wire.completion({"stop_reason": "tool_use", "content": blocks}, None)
    follow = Request([Message("user", "?"), answer.message, Message("tool", "sun", tool_call_id="a")])
    body = wire.payload(follow, None)
    assert body["messages"][1] == {"role": "assistant", "content": blocks}
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2048}


def test_thinking_is_spelled_per_protocol_or_refused() -> None:
    request = Request.of("?")
    qwen = Chat(Spelling("m", "compatible", thinking=False, chat_template={"a": 1})).payload(request, None)
    assert qwen["chat_template_kwargs"] == {"a": 1, "enable_thinking": False}
    assert Chat(Spelling("m", "dashscope", thinking=True)).payload(request, None)["enable_thinking"] is True
    assert Chat(Spelling("m", thinking="low")).payload(request, None)["reasoning_effort"] == "low"
    assert Responses(Spelling("m", thinking="low")).payload(request, None)["reasoning"] == {"effort": "low"}
    config = Generate(Spelling("m", thinking=0)).payload(request, None)["config"]
    assert config == {"max_output_tokens": 1024, "thinking_config": {"thinking_budget": 0}}
    with pytest.raises(SettingsError, match="effort"):
        Chat(Spelling("m", thinking=True))
    with pytest.raises(SettingsError, match="effort"):
        Responses(Spelling("m", thinking=5))


def test_the_limit_has_the_name_the_server_knows() -> None:
    assert "max_completion_tokens" in Chat(Spelling("m")).payload(Request.of("?"), None)
    body = Chat(Spelling("m", "compatible", max_tokens=7, temperature=0.5)).payload(Request.of("?"), 3)
    assert (body["max_tokens"], body["temperature"], body["seed"]) == (7, 0.5, 3)


def test_responses_has_no_stop_sequences_and_says_so() -> None:
    with FaultServer() as server:
        model = opener("openai:gpt-5-mini", api="responses")(server)
        (error,) = ask(model, Request([Message("user", "?")], stop=["x"]))
    assert isinstance(error, ModelError)
    assert "stop" in str(error)
