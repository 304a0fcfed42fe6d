"""mini-SWE-agent's files as its own agent wrote them (2.4.6, deterministic models), and SWE-agent's."""

from __future__ import annotations

import json

import pytest

from sharpen.traces import Spent

from .readings import only_session, story
from .recordings import DATA
from .stories import document

FAILS, WORKS = "echo 'cc: error' ; exit 2", "echo built app"


def test_two_commands_at_once_have_their_own_results():
    session = only_session(DATA / "mini_tools.traj.json")
    both = session.steps[2]
    assert [call.arguments["command"] for call in both.tool_calls] == [FAILS, WORKS]
    assert [(result.source_call_id, result.exit_code) for result in both.results] == [
        ("call_0", 2),
        ("call_1", 0),
    ]
    assert both.results[1].content == "built app\n"
    assert session.about.project == "/srv/app"
    assert session.about.version == "2.4.6"


def test_answers_of_the_responses_api():
    both = only_session(DATA / "mini_response.traj.json").steps[2]
    assert both.message == "Both."
    assert [call.arguments["command"] for call in both.tool_calls] == ["ls nothere", "echo built app"]
    assert [(result.source_call_id, result.exit_code) for result in both.results] == [
        ("call_0", 2),
        ("call_1", 0),
    ]


def test_commands_in_fences():
    session = only_session(DATA / "mini_text.traj.json")
    commands = [call.arguments["command"] for step in session.steps for call in step.tool_calls]
    assert commands[:2] == [FAILS, WORKS]
    assert [result.exit_code for step in session.steps for result in step.results] == [2, 0]
    assert session.ending.facts["final_diff"] == "diff --git a/x b/x\n+line\n"


def test_complaints_and_interruptions_are_no_observations():
    session = only_session(DATA / "mini_format.traj.json")
    assert [(step.source, step.message) for step in session.steps[:5]] == [
        ("system", "You are helpful."),
        ("user", "Task: Fix the build"),
        ("agent", "first"),
        ("system", "Please always provide exactly one action."),
        ("user", "Use ninja, not make."),
    ]
    assert session.steps[2].results[0].content == "cc: error\n"


def test_tokens_that_nobody_counted_are_not_zero():
    assert only_session(DATA / "mini_tools.traj.json").ending.spent == Spent(calls=2, usd=2.0)


def test_tokens_and_prices_of_answers_are_added_up(tmp_path):
    value = json.loads((DATA / "mini_tools.traj.json").read_text())
    for message in value["messages"]:
        if message["role"] == "assistant":
            message["extra"]["response"] = {"usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    spent = only_session(document(tmp_path / "x.traj.json", value)).ending.spent
    assert (spent.prompt_tokens, spent.completion_tokens, spent.calls, spent.usd) == (20, 4, 2, 2.0)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Submitted", "completed"),
        ("submitted (exit_cost)", "completed"),
        ("LimitsExceeded", "stopped"),
        ("TimeExceeded", "stopped"),
        ("exit_context", "stopped"),
        ("exit_total_execution_time", "stopped"),
        ("RuntimeError", "failed"),
        ("exit_format", "failed"),
        ("", "unknown"),
    ],
)
def test_how_runs_end(tmp_path, status, state):
    turns = [{"action": "ls", "observation": "a", "thought": "look", "response": "look\n```\nls\n```"}]
    value = {"trajectory": turns, "history": [], "info": {"exit_status": status}, "environment": "x"}
    session = only_session(document(tmp_path / "x.traj", value))
    assert session.ending.state == state
    assert story(session) == [
        ("agent", "look", [("call-0-0", "bash", {"command": "ls"})], [("call-0-0", "a")])
    ]


def test_answers_without_an_action_keep_what_the_environment_said(tmp_path):
    turns = [{"action": "", "observation": "Your answer had no action.", "thought": "hm", "response": "hm"}]
    value = {"trajectory": turns, "history": [], "info": {"exit_status": "exit_format"}}
    path = document(tmp_path / "x.traj", value)
    assert story(only_session(path, "swe-agent")) == [
        ("agent", "hm"),
        ("system", "Your answer had no action."),
    ]
