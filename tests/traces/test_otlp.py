"""OTLP JSON as the OpenTelemetry SDK writes it around a real model client, in every dialect and encoding.

The recordings are of `opentelemetry-instrumentation-openai-v2`, of its successor `-genai-openai` and of
`openinference-instrumentation-openai`, written by `opentelemetry-exporter-otlp-json-file`. The agent makes
two calls at once, then one, then it says its last words.
"""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path

import pytest

from sharpen.traces.sources import otlp

from .readings import only_session, sessions_in, story
from .recordings import DATA

STORY = [
    ("system", "You build."),
    ("user", "Fix the build"),
    (
        "agent",
        "",
        [("call_a", "bash", {"command": "make all"}), ("call_b", "read", {"path": "ünï.txt"})],
        [("call_a", "cc: error: no input files"), ("call_b", "hello")],
    ),
    ("agent", "Trying again.", [("call_c", "bash", {"command": "make all -k"})], [("call_c", "built app")]),
    ("agent", "The build works again."),
]
RECORDED = ("otlp_genai", "otlp_openinference", "otlp_events", "otlp_details")


def requests_of(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def write(path: Path, requests: list[dict]) -> Path:
    path.write_text("".join(json.dumps(request) + "\n" for request in requests))
    return path


def one_span_each(requests: list[dict]) -> list[dict]:
    return [
        {"resourceSpans": [{**resource, "scopeSpans": [{**scope, "spans": [span]}]}]}
        for request in requests
        for resource in request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def spans_of(requests: list[dict]) -> list[dict]:
    return [request["resourceSpans"][0]["scopeSpans"][0]["spans"][0] for request in one_span_each(requests)]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_traces_tell_what_was_done(name):
    session = sessions_in(DATA / f"{name}.jsonl")[0]
    assert story(session) == STORY
    assert session.about.client == "builder"


@pytest.mark.parametrize("name", ["otlp_genai", "otlp_openinference", "otlp_details"])
def test_tokens_models_and_conversations(name):
    session = sessions_in(DATA / f"{name}.jsonl")[0]
    spent = session.ending.spent
    assert (spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens, spent.calls) == (
        600,
        30,
        21,
        3,
    )
    assert session.ending.model == session.steps[-1].model_name == "some-model-1"
    if name != "otlp_details":  # records of events do not name the span around them
        assert session.about.facts == {"conversation": "sess-0"}


def test_several_traces_in_one_file():
    first, second = sessions_in(DATA / "otlp_genai.jsonl")
    assert story(first) == story(second) == STORY
    assert first.about.session_id != second.about.session_id


def test_spans_without_words_make_no_session():
    assert sessions_in(DATA / "otlp_silent.jsonl") == []


def test_spans_and_their_events_in_one_file(tmp_path):
    both = [*requests_of("otlp_silent"), *requests_of("otlp_events")]
    session = only_session(write(tmp_path / "both.jsonl", both))
    assert story(session) == STORY
    assert session.ending.spent.prompt_tokens == 600


@pytest.mark.parametrize("name", ["otlp_genai", "otlp_openinference"])
@pytest.mark.parametrize("seed", range(3))
def test_spans_in_any_order(tmp_path, name, seed):
    requests = one_span_each(requests_of(name))
    random.Random(seed).shuffle(requests)
    assert story(sessions_in(write(tmp_path / "t.jsonl", requests))[0]) == STORY


def test_the_outermost_span_may_come_first(tmp_path):
    requests = one_span_each(requests_of("otlp_openinference"))[::-1]
    assert story(only_session(write(tmp_path / "t.jsonl", requests))) == STORY


def in_base64(request: dict) -> dict:
    for span in spans_of([request]):
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
        span.setdefault("parentSpanId", base64.b64encode(bytes(8)).decode())
        span["kind"], span["status"] = "SPAN_KIND_CLIENT", {"code": "STATUS_CODE_UNSET"}
    return request


def in_snake_case(value: object) -> object:
    if isinstance(value, dict):
        return {
            "".join(f"_{c.lower()}" if c.isupper() else c for c in key): in_snake_case(item)
            for key, item in value.items()
        }
    return [in_snake_case(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "change", [in_base64, in_snake_case, lambda request: in_snake_case(in_base64(request))]
)
def test_as_protobuf_prints_it(tmp_path, change):
    known = sessions_in(DATA / "otlp_genai.jsonl")
    path = write(tmp_path / "t.jsonl", [change(request) for request in requests_of("otlp_genai")])
    found = sessions_in(path)
    assert [story(session) for session in found] == [STORY, STORY]
    assert [session.about.session_id for session in found] == [session.about.session_id for session in known]


def test_one_document(tmp_path):
    path = tmp_path / "traces.json"
    path.write_text(
        json.dumps({"resourceSpans": requests_of("otlp_openinference")[0]["resourceSpans"]}, indent=2)
    )
    assert only_session(path).steps[-1].tool_calls[0].tool_call_id == "call_a"


def test_lists_whose_oldest_attributes_the_sdk_dropped(tmp_path):
    requests = requests_of("otlp_openinference")
    span = spans_of(requests)[2]
    span["attributes"] = [
        pair for pair in span["attributes"] if not pair["key"].startswith("llm.input_messages.0.")
    ]
    session = only_session(write(tmp_path / "t.jsonl", requests))
    assert story(session) == STORY


def test_long_conversations_in_numbered_names(tmp_path):
    facts = {"openinference.span.kind": "LLM"}
    for number in range(300):
        stem = f"llm.input_messages.{number}.message"
        facts |= {f"{stem}.role": "user" if number % 2 == 0 else "assistant", f"{stem}.content": f"m{number}"}
    session = only_session(write(tmp_path / "t.jsonl", [request(span("s1", facts))]))
    assert [step.message for step in session.steps] == [f"m{number}" for number in range(300)]


def test_a_request_as_json_where_there_are_no_messages(tmp_path):
    asked = {"messages": [{"role": "user", "content": "hi"}]}
    answered = {"choices": [{"message": {"role": "assistant", "content": "there"}}]}
    facts = {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps(asked),
        "output.value": json.dumps(answered),
    }
    session = only_session(write(tmp_path / "t.jsonl", [request(span("s1", facts))]))
    assert story(session) == [("user", "hi"), ("agent", "there")]


def test_openllmetry_and_events_of_older_ages(tmp_path):
    flat = {
        "gen_ai.system": "OpenAI",
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "hi",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "there",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "bash",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"command": "ls"}',
        "gen_ai.usage.prompt_tokens": 5,
    }
    told = [("user", "hi"), ("agent", "there", [("c1", "bash", {"command": "ls"})])]
    session = only_session(write(tmp_path / "t.jsonl", [request(span("s1", flat))]))
    assert story(session) == told
    assert session.ending.spent.prompt_tokens == 5
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    events = [
        event("gen_ai.user.message", {"gen_ai.event.content": json.dumps({"role": "user", "content": "hi"})}),
        event(
            "gen_ai.choice",
            {"gen_ai.event.content": json.dumps({"message": {"content": "there", "tool_calls": [call]}})},
        ),
    ]
    path = write(
        tmp_path / "t.jsonl", [request({**span("s1", {"gen_ai.system": "openai"}), "events": events})]
    )
    assert story(only_session(path)) == told
    events = [
        event("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "user", "content": "hi"}])}),
        event("gen_ai.content.completion", {"gen_ai.completion": "there"}),
    ]
    path = write(tmp_path / "t.jsonl", [request({**span("s1", {}), "events": events})])
    assert story(only_session(path)) == [("user", "hi"), ("agent", "there")]


def chat(name: str, asked: list[dict], answer: dict, start: int) -> dict:
    facts = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps([answer]),
    }
    return span(name, facts, start=start)


def said(role: str, text: str) -> dict:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def test_sub_agents_and_windows_tell_nothing_twice(tmp_path):
    main = [said("user", "go"), said("assistant", "one")]
    inner = [said("user", "look"), said("assistant", "found")]
    spans = [
        chat("s1", main[:1], main[1], 1),
        chat("s2", inner[:1], inner[1], 2),
        chat("s3", [*main, said("user", "on")], said("assistant", "two"), 3),
        chat("s4", [said("assistant", "two"), said("user", "more")], said("assistant", "three"), 4),
    ]
    session = only_session(write(tmp_path / "t.jsonl", [request(*spans)]))
    words = ["go", "one", "look", "found", "on", "two", "more", "three"]
    assert [step.message for step in session.steps] == words


def test_a_tool_span_without_an_id_answers_the_open_call_of_that_tool(tmp_path):
    call = {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    asked = chat("s1", [said("user", "go")], {"role": "assistant", "parts": [call]}, 1)
    ran = {"openinference.span.kind": "TOOL", "tool.name": "bash", "output.value": "a b"}
    session = only_session(write(tmp_path / "t.jsonl", [request(asked, span("s2", ran, start=2))]))
    assert story(session)[1] == ("agent", "", [("c1", "bash", {"command": "ls"})], [("c1", "a b")])
    alone = only_session(write(tmp_path / "t.jsonl", [request(span("s2", ran, start=2))]))
    assert alone.steps[0].results[0].content == "a b"


def test_what_failed_is_said(tmp_path):
    problem = event("exception", {"exception.message": "the provider is down"})
    failed = {
        **chat("s1", [said("user", "go")], said("assistant", ""), 1),
        "status": {"code": 2},
        "events": [problem],
    }
    session = only_session(write(tmp_path / "t.jsonl", [request(failed)]))
    assert (session.ending.state, session.ending.errors) == ("failed", ("the provider is down",))


def test_a_trace_that_is_too_much_to_hold_is_told_as_it_comes(tmp_path, monkeypatch):
    monkeypatch.setattr(otlp, "MOST_HELD", 2000)
    asked, spans = [], []
    for number in range(1, 9):
        asked.append(said("user", f"u{number}"))
        spans.append(chat(f"s{number}", list(asked), said("assistant", f"a{number}"), number))
        asked.append(said("assistant", f"a{number}"))
    session = only_session(write(tmp_path / "t.jsonl", [request(each) for each in spans]))
    words = [word for n in range(1, 9) for word in (f"u{n}", f"a{n}")]
    assert [step.message for step in session.steps] == words


def test_what_comes_after_a_trace_was_told_is_a_session_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(otlp, "MOST_HELD", 1000)
    root = {**span("s0", {}, start=0), "parentSpanId": ""}
    spans = [chat(f"s{n}", [said("user", f"u{n}")], said("assistant", f"a{n}"), n) for n in (1, 2)]
    first, second = sessions_in(
        write(tmp_path / "t.jsonl", [request(each) for each in (spans[0], root, spans[1])])
    )
    assert first.about.session_id != second.about.session_id
    assert [step.message for step in (*first.steps, *second.steps)] == ["u1", "a1", "u2", "a2"]


def test_other_signals_are_passed_over_and_other_lines_counted(tmp_path):
    others = [{"resourceMetrics": []}, {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {}}]}]}]}]
    path = write(tmp_path / "t.jsonl", [*requests_of("otlp_genai"), *others, {"what": "ever"}])
    assert len(sessions_in(path, unread=1)) == 2


def span(name: str, facts: dict, *, start: int = 1) -> dict:
    return {
        "traceId": "0af7651916cd43dd8448eb211c80319c",
        "spanId": name.encode().hex().rjust(16, "1"),
        "parentSpanId": "00f067aa0ba902b7",
        "startTimeUnixNano": str(start * 10**9),
        "attributes": attributes(facts),
    }


def event(name: str, facts: dict) -> dict:
    return {"name": name, "attributes": attributes(facts)}


def attributes(facts: dict) -> list[dict]:
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in facts.items()
    ]


def request(*spans: dict) -> dict:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": list(spans)}]}]}
