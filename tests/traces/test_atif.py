"""ATIF: what we write follows the format's rules, and what others wrote can be read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import UsageError
from sharpen.traces import (
    Agent,
    FinalMetrics,
    Metrics,
    Result,
    Step,
    ToolCall,
    Trajectory,
    from_json,
    to_json,
)

texts = st.text(max_size=12)
facts = st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts, max_size=2)
counts = st.none() | st.integers(0, 10**9)
parts = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}), min_size=1, max_size=2)
contents = texts | parts.map(tuple)
metrics = st.builds(
    Metrics,
    counts,
    counts,
    counts,
    st.none() | st.floats(0, 10),
    st.none() | st.lists(st.integers(0, 9), max_size=2).map(tuple),
    extra=facts,
)


@st.composite
def agent_steps(draw: st.DrawFn) -> Step:
    names = draw(st.lists(texts, unique=True, max_size=3))
    calls = tuple(ToolCall(name, draw(texts), draw(facts), draw(facts)) for name in names)
    results = tuple(Result(draw(st.none() | contents), name, extra=draw(facts)) for name in names)
    return Step(
        "agent",
        draw(contents),
        timestamp=draw(st.none() | st.just("2026-01-02T03:04:05Z")),
        reasoning_content=draw(st.none() | texts),
        tool_calls=calls,
        results=results,
        metrics=draw(st.none() | metrics),
        llm_call_count=draw(st.none() | st.integers(1, 3)),
        extra=draw(facts),
    )


other_steps = st.builds(Step, st.sampled_from(["user", "system"]), contents, extra=facts)
trajectories = st.builds(
    Trajectory,
    st.builds(Agent, texts, texts, st.none() | texts, extra=facts),
    st.lists(agent_steps() | other_steps, min_size=1, max_size=4).map(tuple),
    session_id=st.none() | texts,
    final_metrics=st.none()
    | st.builds(FinalMetrics, counts, counts, counts, total_steps=counts, extra=facts),
    extra=facts,
)


@given(trajectories)
def test_what_is_written_reads_back_equal(trajectory):
    assert from_json(json.loads(json.dumps(to_json(trajectory)))) == trajectory


def test_sub_agents_travel_along():
    inner = Trajectory(Agent("helper", "1"), (Step("user", "look"),), trajectory_id="t2")
    outer = Trajectory(Agent("codex", "1"), (Step("user", "go"),), subagent_trajectories=(inner,))
    assert from_json(to_json(outer)) == outer


CALL = ToolCall("c1", "shell", {})
GOOD = Trajectory(Agent("codex", "0.1"), (Step("agent", "hi", tool_calls=(CALL,)),))


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ((), "no steps"),
        ((Step("user", tool_calls=(CALL,)),), "tool_calls belongs to agent steps only"),
        ((Step("user", metrics=Metrics(1)),), "metrics belongs to agent steps only"),
        ((Step("agent", results=(Result("x", "c9"),)),), "'c9', which is not in this step"),
        ((Step("agent", llm_call_count=0, metrics=Metrics(1)),), "need at least one model call"),
        ((Step("agent", timestamp="yesterday"),), "not ISO 8601"),
        ((Step("robot"),), "not system, user or agent"),
        ((Step("agent", ({"type": "smell"},)),), "'smell'"),
    ],
)
def test_what_breaks_the_format_is_not_written(steps, complaint):
    with pytest.raises(UsageError, match=complaint):
        to_json(replace(GOOD, steps=steps))


def test_sub_agents_need_ids_of_their_own():
    with pytest.raises(UsageError, match="trajectory_id"):
        to_json(replace(GOOD, subagent_trajectories=(GOOD,)))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"schema_version": "ATIF-v2.0"}, "ATIF-v1.0 to ATIF-v1.8 can be read"),
        ({"agent": {"name": "x"}}, "version must be str"),
        ({"steps": "none"}, "steps must be list"),
        ({"steps": [{"step_id": 2, "source": "user", "message": ""}]}, "count from 1"),
        ({"session_id": 7}, "session_id must be str"),
    ],
)
def test_what_is_no_trajectory_is_refused_by_name(change, complaint):
    with pytest.raises(UsageError, match=complaint):
        from_json({**to_json(GOOD), **change})
    with pytest.raises(UsageError, match="a trajectory must be dict"):
        from_json([])


def test_older_versions_and_unknown_fields_are_read():
    written = {**to_json(GOOD), "schema_version": "ATIF-v1.2", "mood": "good"}
    assert from_json(written).extra == {"unknown_fields": {"mood": "good"}}
