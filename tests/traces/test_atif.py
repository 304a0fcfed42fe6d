"""ATIF: what we write follows the format's rules, and what others wrote can be read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from sharpen.errors import UsageError
from sharpen.traces import (
    Agent,
    FinalMetrics,
    Metrics,
    Result,
    Step,
    ToolCall,
    Trajectory,
    check,
    from_json,
    to_json,
)

from .trajectories import odd_trajectories, trajectories


@given(trajectories)
def test_what_is_written_reads_back_equal(trajectory):
    assert from_json(json.loads(json.dumps(to_json(trajectory)))) == trajectory


@given(odd_trajectories)
def test_what_json_cannot_say_is_written_as_what_it_can(trajectory):
    written = json.dumps(to_json(trajectory), ensure_ascii=False, allow_nan=False).encode("utf-8")
    read = from_json(json.loads(written))
    assert json.dumps(to_json(read), ensure_ascii=False).encode("utf-8") == written


@given(trajectories)
def test_harbor_takes_what_is_written(trajectory):
    harbor = pytest.importorskip("harbor.models.trajectories", reason="harbor needs Python 3.12")
    harbor.Trajectory.model_validate_json(json.dumps(to_json(trajectory)))


def test_many_steps():
    step = Step(
        "agent", "x", tool_calls=(ToolCall("c", "bash", {"command": "ls"}),), results=(Result("y", "c"),)
    )
    trajectory = Trajectory(Agent("a", "1"), (step,) * 10_000)
    assert from_json(json.loads(json.dumps(to_json(trajectory)))) == trajectory


def test_sub_agents_travel_along():
    inner = Trajectory(Agent("helper", "1"), (Step("user", "look"),), trajectory_id="t2")
    outer = Trajectory(Agent("codex", "1"), (Step("user", "go"),), subagent_trajectories=(inner,))
    assert from_json(to_json(outer)) == outer


def picture(media_type: str, **more: object) -> dict[str, object]:
    return {"type": "image", "source": {"media_type": media_type, "path": "a", **more}}


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
        ((Step("agent", ({"type": "text"},)),), "has its words in `text`"),
        ((Step("agent", ({"type": "text", "text": "x", "mood": "good"},)),), "and nothing else"),
        ((Step("agent", ({"type": "image"},)),), "has a `source`"),
        ((Step("agent", (picture("image/bmp"),)),), "image/jpeg"),
        ((Step("agent", ({**picture("image/png"), "text": "x"},)),), "and nothing else"),
        ((Step("agent", (picture("image/png", duration_sec=1),)),), "does not know"),
        (
            (Step("agent", results=(Result("x", subagent_trajectory_ref=({"session_id": "s"},)),)),),
            "needs a t",
        ),
        ((Step("agent", metrics=Metrics(logprobs=(float("-inf"),))),), "not finite"),
    ],
)
def test_what_breaks_the_format_is_not_written(steps, complaint):
    with pytest.raises(UsageError, match=complaint):
        to_json(replace(GOOD, steps=steps))


def test_totals_are_not_negative():
    assert list(check(replace(GOOD, final_metrics=FinalMetrics(total_steps=-1)))) == [
        "total_steps is negative"
    ]


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
