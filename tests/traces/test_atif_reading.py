"""ATIF as other programs write it, right and wrong, and the folders of Harbor's jobs."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sharpen.traces import FinalMetrics, Trajectory, check, to_json
from sharpen.traces.gathering import Gathering
from sharpen.traces.lines import Values
from sharpen.traces.sources import FORMATS

from .readings import only_session, sessions_in, story
from .recordings import DATA
from .stories import FINAL, OUTPUTS, atif_value, document, lines
from .trajectories import trajectories

ATIF = FORMATS["atif"]


def test_a_trajectory_that_harbor_wrote():
    session = only_session(DATA / "harbor_codex_trajectory.json")
    assert [step.source for step in session.steps] == ["system", "user", "user", "agent", "agent", "agent"]
    assert session.steps[-1].message == "Done: wrote alpha.txt"
    assert [result.source_call_id for step in session.steps for result in step.results] == [
        "call_1",
        "call_2",
    ]
    assert session.ending.spent.prompt_tokens == 3060
    assert (session.about.client, session.about.project) == ("codex", "/home/dev/work")


@given(trajectories)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_steps_of_right_trajectories_come_out_as_they_went_in(tmp_path, trajectory):
    sink, events = Gathering(), Values([to_json(trajectory)])
    ATIF.tell(events, sink, tmp_path / "t.json")
    assert events.unread == 0
    assert tuple(sink.sessions[0].steps) == trajectory.steps
    inner = [tuple(session.steps) for session in sink.sessions[1:]]
    assert inner == [each.steps for each in trajectory.subagent_trajectories]
    assert _totals(sink.sessions[0].trajectory()) == _totals(trajectory)


def _totals(trajectory: Trajectory) -> tuple[float | None, ...]:
    final = trajectory.final_metrics or FinalMetrics()
    tokens = (final.total_prompt_tokens, final.total_completion_tokens, final.total_cached_tokens)
    return (*tokens, final.total_cost_usd)


STRANGE = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@st.composite
def wrong(draw: st.DrawFn) -> object:
    """A right trajectory with wrong values in some places."""
    value = to_json(draw(trajectories))
    for _ in range(draw(st.integers(1, 4))):
        place: object = value
        while True:
            inner = [
                key
                for key in (place if isinstance(place, dict) else range(len(place)))
                if isinstance(place[key], (dict, list)) and place[key]
            ]
            if not inner or draw(st.booleans()):
                break
            place = place[draw(st.sampled_from(inner))]
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        if key not in ("schema_version", "steps"):
            place[key] = draw(STRANGE)
    return value


@given(wrong())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_wrong_trajectories_are_mended_or_counted(tmp_path, value):
    sink, events = Gathering(), Values([value])
    ATIF.tell(events, sink, tmp_path / "t.json")
    told = [session.trajectory() for session in sink.sessions if session.steps]
    assert bool(told) != bool(events.unread)
    assert [problem for trajectory in told for problem in check(trajectory)] == []


def test_older_and_sloppier_spellings_are_read(tmp_path):
    value = atif_value("1.2")
    value["agent"] = "some-agent"
    failed, worked = value["steps"][1], value["steps"][2]
    failed["tool_calls"][0] = {"function": {"name": "bash", "arguments": '{"command": "make all"}'}}
    failed["observation"] = OUTPUTS[0]
    failed["timestamp"] = 1794724601.5
    worked["metrics"] = {"prompt_tokens": "many", "cost_usd": 0.5}
    worked["observation"]["results"][0]["content"] = {"stdout": "x"}
    session = only_session(document(tmp_path / "t.json", value))
    assert story(session)[1] == (
        "agent",
        "",
        [("call-2-0", "bash", {"command": "make all"})],
        [(None, OUTPUTS[0])],
    )
    assert session.steps[1].timestamp == "2026-11-15T06:36:41.500+00:00"
    assert session.steps[2].results[0].content == '{"stdout": "x"}'
    assert session.steps[2].metrics.extra == {"unreadable_fields": {"prompt_tokens": "many"}}
    assert session.about.client == "some-agent"


def test_what_only_agents_may_say_is_kept_beside_what_others_said(tmp_path):
    value = atif_value()
    value["steps"][0] |= {"tool_calls": value["steps"][1]["tool_calls"], "reasoning_content": "hm"}
    step = only_session(document(tmp_path / "t.json", value)).steps[0]
    assert step.extra["tool_calls"][0]["function_name"] == "bash"
    assert step.extra["reasoning_content"] == "hm"


def test_references_that_lead_nowhere_are_kept_as_facts(tmp_path):
    value = atif_value("1.6")
    value["steps"][1]["observation"]["results"][0]["subagent_trajectory_ref"] = [{"session_id": "s2"}]
    result = only_session(document(tmp_path / "t.json", value)).steps[1].results[0]
    assert result.extra["unresolved_sub_agents"] == [{"session_id": "s2"}]


def test_what_is_no_trajectory_is_counted(tmp_path):
    rows = [
        atif_value(),
        {"schema_version": "ATIF-v2.0", "steps": []},
        {"schema_version": "ATIF-v1.8"},
        {"a": 1},
    ]
    assert len(sessions_in(lines(tmp_path / "t.jsonl", rows), "atif", unread=3)) == 1


def test_documents_that_share_a_session_are_sessions_of_their_own(tmp_path):
    first, second = sessions_in(lines(tmp_path / "t.jsonl", [atif_value(), atif_value()]))
    assert first.about.session_id != second.about.session_id


def test_notes_and_continuations_are_kept(tmp_path):
    value = {**atif_value(), "notes": "odd", "continued_trajectory_ref": "trajectory.cont-1.json"}
    facts = only_session(document(tmp_path / "t.json", value)).about.facts
    assert (facts["notes"], facts["continued_in"]) == ("odd", "trajectory.cont-1.json")


# -- Harbor's job folders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "reward"),
    [
        ({"verifier/reward.txt": "1.0\n"}, 1.0),
        ({"verifier/reward.txt": " .5"}, 0.5),
        ({"verifier/reward.txt": "-1"}, -1.0),
        ({"verifier/reward.txt": "nan"}, None),
        ({"verifier/reward.txt": ""}, None),
        ({"verifier/reward.txt": "passed"}, None),
        ({"verifier/reward.json": '{"reward": 0.25}'}, 0.25),
        ({"verifier/reward.json": '{"accuracy": 1}'}, 1.0),
        ({"verifier/reward.json": '{"accuracy": 1, "reward": 0}'}, 0.0),
        ({"verifier/reward.json": '{"accuracy": 1, "style": 0}'}, None),
        ({"verifier/reward.json": '{"reward": "1"}'}, None),
        ({"verifier/reward.json": "0.75"}, 0.75),
        ({"verifier/reward.json": '{"reward": 0}', "verifier/reward.txt": "1"}, 0.0),
        ({"result.json": '{"verifier_result": {"rewards": {"reward": 1.0}}}'}, 1.0),
        ({"result.json": '{"verifier_result": null}'}, None),
        ({}, None),
    ],
)
def test_verdicts_of_trials(tmp_path, files, reward):
    trial = tmp_path / "job" / "task__abc"
    path = document(trial / "agent" / "trajectory.json", atif_value())
    for name, text in files.items():
        (trial / name).parent.mkdir(exist_ok=True)
        (trial / name).write_text(text)
    assert only_session(path).ending.reward == reward


def test_a_verdict_lies_beside_an_agent_folder_only(tmp_path):
    path = document(tmp_path / "task" / "trajectory.json", atif_value())
    (tmp_path / "verifier").mkdir()
    (tmp_path / "verifier" / "reward.txt").write_text("1")
    assert only_session(path).ending.reward is None


def test_steps_and_continuations_of_a_trial_are_sessions_of_their_own(tmp_path):
    trial = tmp_path / "job" / "task__abc"
    places = ("agent/trajectory.json", "agent/trajectory.cont-1.json", "steps/a/agent/trajectory.json")
    paths = [document(trial / place, atif_value()) for place in places]
    (trial / "steps" / "a" / "verifier").mkdir()
    (trial / "steps" / "a" / "verifier" / "reward.txt").write_text("1")
    found = [only_session(path) for path in paths]
    assert [session.about.session_id for session in found] == ["s1", "s1/cont-1", "s1/a"]
    assert [session.ending.reward for session in found] == [None, None, 1.0]
    assert found[0].steps[-1].message == FINAL


def test_skills_that_were_listed_stay_listed(tmp_path):
    for listed in ([], ["a"]):
        value = {**atif_value(), "extra": {"skills_listed": listed}}
        session = only_session(document(tmp_path / "t.json", value))
        assert session.ending.skills_listed == tuple(listed)
        assert json.loads(json.dumps(to_json(session.trajectory())))["extra"]["skills_listed"] == listed
