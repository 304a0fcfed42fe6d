"""Streams that real clients printed, read: what was done, how it ended, what it cost."""

from __future__ import annotations

import json

import pytest

from sharpen.traces import STREAMS, Agent, Events, from_json, to_json

from .recordings import (
    CACHED_TOKENS,
    CALLS,
    CLIENTS,
    COMPLETION_TOKENS,
    FINAL,
    PROMPT_TOKENS,
    read,
    recording,
)

every_client = pytest.mark.parametrize("client", CLIENTS)


@every_client
def test_a_run_is_told_whole(client):
    session = read(recording(client, "solved"))
    calls = [call for step in session.steps for call in step.tool_calls]
    assert ["SKILL.md" in str(call.arguments) for call in calls] == [True, False]
    assert "exit 3" in str(calls[1].arguments)
    assert session.exit_codes == (0, 3)
    assert session.final == FINAL
    assert session.steps[-1].message == FINAL
    assert session.finished
    assert session.errors == ()
    assert session.unread == 0
    assert session.skills_used == ("house-rules",)


@every_client
def test_the_output_of_a_command_stands_beside_its_call(client):
    for step in read(recording(client, "solved")).steps:
        assert [result.source_call_id for result in step.results] == [
            call.tool_call_id for call in step.tool_calls
        ]
    results = [r for step in read(recording(client, "solved")).steps for r in step.results]
    assert "sign every file with the word okapi" in str(results[0].content)
    assert "alpha.txt" in str(results[1].content)


@every_client
def test_tokens_are_what_the_provider_billed(client):
    spent = read(recording(client, "solved")).spent
    assert (spent.prompt_tokens, spent.cached_tokens) == (PROMPT_TOKENS, CACHED_TOKENS)
    assert (spent.completion_tokens, spent.calls) == (COMPLETION_TOKENS, CALLS)
    assert spent.usd is None


@every_client
def test_a_refused_run_names_the_refusal(client):
    session = read(recording(client, "refused"))
    if client == "kimi":  # says it on standard error only
        assert not session.finished
    else:
        assert "401" in session.errors[-1] or "scripted model is down" in session.errors[-1]
    assert session.exit_codes == ()


@pytest.mark.parametrize("client", ["claude-code", "copilot"])
def test_skills_the_client_lists_are_known(client):
    assert "house-rules" in read(recording(client, "solved")).skills_listed


@every_client
def test_a_recording_survives_the_way_through_atif(client):
    session = read(recording(client, "solved"))
    trajectory = session.trajectory(Agent(client, "1.2.3", "m"), "Create alpha.txt", {"score": {"hard": 1}})
    written = json.loads(json.dumps(to_json(trajectory)))
    assert from_json(written) == trajectory
    assert written["steps"][0] == {"step_id": 1, "source": "user", "message": "Create alpha.txt"}
    assert written["final_metrics"]["total_prompt_tokens"] == PROMPT_TOKENS
    assert "timestamp" not in json.dumps(written["steps"])


@every_client
def test_every_string_is_cleaned_before_it_is_read(client):
    session = read(recording(client, "solved"), clean=lambda text: text.replace("okapi", "[redacted:animal]"))
    told = str(session.trajectory(Agent(client, "1", "m"), "p", {}))
    assert "okapi" not in told
    assert told.count("[redacted:animal]") >= 2
    assert session.cleaned >= 2


def lines(*events: dict) -> Events:
    return Events([json.dumps(event) for event in events])


def test_claude_prices_are_taken_only_where_it_knows_them():
    usage = {"inputTokens": 5, "outputTokens": 2, "costUSD": 0.25}
    known = {"type": "result", "subtype": "success", "modelUsage": {"m": usage}, "total_cost_usd": 0.25}
    guessed = {**known, "modelUsage": {"m": {**usage, "costBasis": "unknown"}}}
    read_claude = STREAMS["claude-code"].read
    assert read_claude(lines(known)).spent.usd == 0.25
    assert read_claude(lines(guessed)).spent.usd is None


def test_claude_out_of_turns_is_a_limit_and_not_an_error():
    session = STREAMS["claude-code"].read(
        lines({"type": "result", "subtype": "error_max_turns", "is_error": True})
    )
    assert (session.limit, session.errors) == ("max_turns", ())


def test_codex_notices_are_no_errors():
    session = STREAMS["codex"].read(
        lines(
            {"type": "item.completed", "item": {"type": "error", "message": "unknown model"}},
            {"type": "error", "message": "Reconnecting… 1/2"},
            {"type": "turn.completed", "usage": {"input_tokens": 7, "output_tokens": 1}},
        )
    )
    assert session.errors == ()
    assert session.finished


def test_opencode_known_prices_add_up():
    finish = {"type": "step_finish", "part": {"reason": "stop", "tokens": {"input": 1}, "cost": 0.5}}
    assert STREAMS["opencode"].read(lines(finish, finish)).spent.usd == 1.0


@pytest.mark.parametrize(
    ("client", "end"),
    [
        ("codex", {"type": "turn.completed"}),
        ("opencode", {"type": "step_finish", "part": {"reason": "stop"}}),
    ],
)
def test_tokens_that_nobody_counted_are_unknown(client, end):
    spent = STREAMS[client].read(lines(end)).spent
    assert (spent.prompt_tokens, spent.completion_tokens) == (None, None)


CURSOR = (
    {"type": "system", "subtype": "init", "model": "m", "session_id": "s", "apiKeySource": "env"},
    {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "Do it"}]}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "I will"}]}},
    {
        "type": "tool_call",
        "subtype": "completed",
        "call_id": "c1",
        "tool_call": {
            "shellToolCall": {
                "args": {"command": "ls"},
                "result": {"success": {"exitCode": 0, "stdout": "a.txt\n", "stderr": ""}},
            }
        },
    },
    {
        "type": "tool_call",
        "subtype": "completed",
        "call_id": "c2",
        "tool_call": {
            "shellToolCall": {
                "args": {"command": "false"},
                "result": {"failure": {"exitCode": 1, "stdout": "", "stderr": "no"}},
            }
        },
    },
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done"}]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": "Done", "session_id": "s"},
)


def test_cursor_as_documented():
    session = STREAMS["cursor"].read(lines(*CURSOR))
    assert session.exit_codes == (0, 1)
    assert [call.function_name for step in session.steps for call in step.tool_calls] == ["shell", "shell"]
    assert (session.final, session.finished, session.spent) == ("Done", True, None)
    refused = {"type": "result", "subtype": "error", "is_error": True, "result": "not logged in"}
    assert STREAMS["cursor"].read(lines(refused)).errors == ("not logged in",)
