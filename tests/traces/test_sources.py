"""Every reader tells the same story, and what each format has of its own: undone turns, sub-agents, forks."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sharpen.errors import UsageError
from sharpen.traces import from_json, to_json
from sharpen.traces.gathering import Gathered, Gathering
from sharpen.traces.reading import SourceFile, read_file, recognise
from sharpen.traces.sources import FORMATS
from sharpen.traces.trajectory import Trajectory

from . import stories
from .recordings import CALLS, COMPLETION_TOKENS, DATA, PROMPT_TOKENS
from .stories import CODES, COMMANDS, FINAL, NO_CODES, NO_OUTPUTS, OUTPUTS, PROJECT, PROMPT, STORIES

every_story = pytest.mark.parametrize("story", STORIES)


def read(path: Path, name: str | None = None) -> list[Gathered]:
    gathering = Gathering()
    read_file(SourceFile(path, FORMATS[name] if name else recognise(path)), gathering)
    return gathering.sessions


def only(path: Path, name: str | None = None) -> Trajectory:
    (session,) = read(path, name)
    return session.trajectory()


def words(trajectory: Trajectory, source: str) -> list[object]:
    return [step.message for step in trajectory.steps if step.source == source and step.message]


@every_story
def test_a_file_is_recognised_and_tells_the_story(story, tmp_path):
    name, write = STORIES[story]
    path = write(tmp_path)
    assert recognise(path).name == name
    trajectory = only(path, name)
    calls = [call for step in trajectory.steps for call in step.tool_calls]
    assert words(trajectory, "user") == [PROMPT]
    assert [call.arguments.get("command", call.arguments.get("cmd")) for call in calls] == list(COMMANDS)
    assert trajectory.steps[-1].message == FINAL
    results = [result for step in trajectory.steps for result in step.results]
    if story not in NO_OUTPUTS:
        assert [OUTPUTS[n] in str(result.content) for n, result in enumerate(results)] == [True, True]
    if story not in NO_CODES:
        assert [result.exit_code for result in results] == list(CODES)
    for step in trajectory.steps:
        ids = [call.tool_call_id for call in step.tool_calls]
        assert all(result.source_call_id in ids for result in step.results)


@every_story
def test_a_story_survives_the_way_through_atif(story, tmp_path):
    trajectory = only(STORIES[story][1](tmp_path))
    written = json.loads(json.dumps(to_json(trajectory)))
    assert from_json(written) == trajectory
    again = only(stories.document(tmp_path / "again.json", written))
    assert again.steps == trajectory.steps
    assert again.session_id == trajectory.session_id


@pytest.mark.parametrize("client", ["codex", "gemini", "kimi", "copilot"])
def test_recorded_session_files_of_real_clients(client):
    (session,) = read(DATA / f"{client}_solved_session.jsonl", client)
    spent, steps = session.ending.spent, session.steps
    assert (spent.prompt_tokens, spent.completion_tokens, spent.calls) == (
        PROMPT_TOKENS,
        COMPLETION_TOKENS,
        CALLS,
    )
    assert [result.exit_code for step in steps for result in step.results] == [0, 3]
    assert steps[-1].message == "Done: wrote alpha.txt"
    assert session.ending.state == "completed"
    assert [step.message for step in steps if step.source == "user"] == ["Create alpha.txt"]


# -- codex ------------------------------------------------------------------------------------------------


def test_codex_turns_that_were_rolled_back_are_gone(tmp_path):
    rolled = stories.codex_line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    told = [
        stories.codex_meta(),
        stories.codex_user("first"),
        stories.codex_said("one"),
        stories.codex_user("second"),
        *stories.codex_command(0),
        rolled,
        stories.codex_user("third"),
        stories.codex_said("three"),
    ]
    trajectory = only(stories.lines(tmp_path / "r.jsonl", told))
    assert [step.message for step in trajectory.steps] == ["first", "one", "third", "three"]


def test_codex_compaction_is_a_notice_and_no_loss(tmp_path):
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "first"}]}]
    compacted = stories.codex_line("compacted", {"message": "Summary.", "replacement_history": history})
    told = [
        stories.codex_meta(),
        stories.codex_user("first"),
        stories.codex_said("one"),
        compacted,
        stories.codex_said("two"),
    ]
    steps = only(stories.lines(tmp_path / "r.jsonl", told)).steps
    assert [step.message for step in steps] == ["first", "one", "Summary.", "two"]
    assert steps[2].extra == {"compaction": True}


def test_codex_forks_name_their_base_and_mark_what_they_copied(tmp_path):
    later = "2026-11-15T06:40:00.000Z"
    own = {**stories.codex_meta(id="s2", forked_from_id="s1")}
    told = [own, stories.codex_meta(), stories.codex_user("first"), stories.codex_said("one")]
    new = [{**line, "timestamp": later} for line in (stories.codex_user("other"), stories.codex_said("two"))]
    (session,) = read(stories.lines(tmp_path / "r.jsonl", [*told, *new]))
    assert (session.about.session_id, session.about.parent, session.about.relation) == ("s2", "s1", "fork")
    assert [step.is_copied_context for step in session.steps] == [True, True, None, None]


def test_codex_paginated_forks_and_sub_agents_name_where_they_come_from(tmp_path):
    fork = stories.codex_meta(id="s2", history_mode="paginated", history_base={"thread_id": "s1"})
    inner = stories.codex_meta(id="s3", parent_thread_id="s1")
    for meta, relation in ((fork, "fork"), (inner, "sub-agent")):
        (session,) = read(stories.lines(tmp_path / "r.jsonl", [meta, stories.codex_user("x")]))
        assert (session.about.parent, session.about.relation) == ("s1", relation)


@pytest.mark.parametrize(
    ("output", "said", "code"),
    [
        ("Exit code: 3\nWall time: 1 s\nOutput:\nbad", "bad", 3),
        (json.dumps({"output": "bad", "metadata": {"exit_code": 3}}), "bad", 3),
        ("no frame", "no frame", None),
        ("Output:\nProcess exited with code 3", "Output:\nProcess exited with code 3", None),
    ],
)
def test_codex_exit_codes_of_every_age(tmp_path, output, said, code):
    call = stories.codex_command(0)[0]
    result = stories.codex_line(
        "response_item", {"type": "function_call_output", "call_id": "c0", "output": output}
    )
    (found,) = (
        only(stories.lines(tmp_path / "r.jsonl", [stories.codex_meta(), call, result])).steps[0].results
    )
    assert (found.content, found.exit_code) == (said, code)


def test_codex_packed_files(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    plain = stories.codex(tmp_path)
    packed = tmp_path / "rollout.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    assert only(packed, "codex") == only(plain, "codex")
    packed.write_bytes(packed.read_bytes()[:-20])
    gathering = Gathering()
    assert read_file(SourceFile(packed, FORMATS["codex"]), gathering) >= 1


# -- claude code ------------------------------------------------------------------------------------------


def test_claude_parts_of_one_answer_are_one_step_paid_once(tmp_path):
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 3}
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    told = [stories.claude_line("user", "x"), *(stories.claude_line("assistant", [part]) for part in parts)]
    for line in told[1:]:
        line["message"]["usage"] = usage
    (session,) = read(stories.lines(tmp_path / "s1.jsonl", told))
    assert [(step.message, step.reasoning_content) for step in session.steps] == [("x", None), ("a\nb", "hm")]
    assert (session.ending.spent.prompt_tokens, session.ending.spent.calls) == (8, 1)


def test_claude_sub_agents_in_files_of_their_own(tmp_path):
    main = stories.claude(tmp_path)
    inner = main.with_suffix("") / "subagents" / "agent-a1.jsonl"
    stories.lines(
        inner,
        [stories.claude_line("user", "look", isSidechain=True, agentId="a1"), *stories.claude_command(1)],
    )
    (session, *_) = read(inner)
    assert (session.about.parent, session.about.relation) == ("s1", "sub-agent")
    assert session.about.session_id != "s1"


def test_claude_sub_agents_between_the_lines(tmp_path):
    side = {"isSidechain": True, "agentId": "a1"}
    told = [
        stories.claude_line("user", "x"),
        stories.claude_line("user", "look", **side),
        *stories.claude_command(0),
        *stories.claude_command(1, **side),
    ]
    main, inner = read(stories.lines(tmp_path / "s1.jsonl", told))
    assert [step.message for step in main.steps if step.source == "user"] == ["x"]
    assert [result.exit_code for step in main.steps for result in step.results] == [2]
    assert [result.exit_code for step in inner.steps for result in step.results] == [0]
    assert (inner.about.parent, inner.about.relation) == ("s1", "sub-agent")


def test_gemini_a_file_without_its_neighbours_still_names_its_folder(tmp_path):
    header = {name: value for name, value in stories.gemini_header().items() if name != "directories"}
    context = (
        "<session_context>\nMy operating system is: linux\n- **Workspace Directories:**\n  - /srv/my app\n"
        "  - /srv/second\n- **Directory Structure:**\n</session_context>"
    )
    told = [
        header,
        {"$set": {"messages": [stories.gemini_user("c", context)]}},
        stories.gemini_user("u", "x"),
    ]
    (session,) = read(stories.lines(tmp_path / "session-alone.jsonl", told))
    assert session.about.project == "/srv/my app"


def test_claude_a_fork_that_names_its_base(tmp_path):
    copied = {"forkedFrom": {"sessionId": "base", "messageUuid": "u1"}}
    told = [stories.claude_line("user", "old", **copied), stories.claude_line("user", "new")]
    (session,) = read(stories.lines(tmp_path / "s1.jsonl", told))
    assert (session.about.parent, session.about.relation) == ("base", "fork")
    assert [(step.message, step.is_copied_context) for step in session.steps] == [
        ("old", True),
        ("new", None),
    ]


def test_claude_outputs_that_were_spilled_are_read_and_nothing_else_is(tmp_path):
    told = stories.claude_command(1)
    told[1]["message"]["content"][0]["content"] = (
        "Output too large. Full output saved to: /elsewhere/tool-results/b1.txt"
    )
    path = stories.lines(tmp_path / "s1.jsonl", told)
    assert "too large" in str(only(path).steps[0].results[0].content)
    spilled = tmp_path / "s1" / "tool-results" / "b1.txt"
    spilled.parent.mkdir(parents=True)
    spilled.write_text("all of it")
    assert only(path).steps[0].results[0].content == "all of it"
    outside = tmp_path / "secret.txt"
    outside.write_text("not yours")
    told[1]["message"]["content"][0]["content"] = f"saved to: {outside}"
    assert "not yours" not in str(only(stories.lines(path, told)))


def test_claude_words_that_the_user_did_not_say(tmp_path):
    told = [
        stories.claude_line("user", "<system-reminder>be good</system-reminder>"),
        stories.claude_line("user", "do it", isMeta=True),
        stories.claude_line("user", "x"),
        stories.claude_line("user", "[Request interrupted by user]"),
    ]
    (session,) = read(stories.lines(tmp_path / "s1.jsonl", told))
    assert [step.source for step in session.steps] == ["system", "system", "user", "system"]
    assert session.ending.state == "stopped"


# -- gemini -----------------------------------------------------------------------------------------------


def test_gemini_rewinds_take_back_their_target_and_what_followed(tmp_path):
    told = [
        stories.gemini_header(),
        stories.gemini_user("u1", "first"),
        stories.gemini_said("g1", "one"),
        stories.gemini_user("u2", "second"),
        *stories.gemini_command(0),
        {"$rewindTo": "u2"},
        stories.gemini_user("u3", "third"),
        stories.gemini_said("g3", "three"),
    ]
    trajectory = only(stories.lines(tmp_path / "session-1.jsonl", told))
    assert [step.message for step in trajectory.steps] == ["first", "one", "third", "three"]
    cleared = only(stories.lines(tmp_path / "session-1.jsonl", [*told, {"$rewindTo": "nobody"}, told[1]]))
    assert [step.message for step in cleared.steps] == ["first"]


def test_gemini_messages_that_are_set_begin_a_session_or_are_a_notice(tmp_path):
    set_ = {"$set": {"messages": [stories.gemini_user("u0", "<session_context>ctx")]}}
    told = [
        stories.gemini_header(),
        set_,
        stories.gemini_user("u1", "first"),
        stories.gemini_said("g1", "one"),
        set_,
        {"$set": {"messages": [*set_["$set"]["messages"], stories.gemini_user("u2", "what was so far")]}},
    ]
    steps = only(stories.lines(tmp_path / "session-1.jsonl", told)).steps
    assert [step.source for step in steps] == ["system", "user", "agent", "system"]
    assert (steps[-1].message, steps[-1].extra) == ("what was so far", {"compaction": True})


# -- the others -------------------------------------------------------------------------------------------


def test_opencode_turns_that_were_undone_are_gone(tmp_path):
    path = stories.opencode_export(tmp_path, revert={"messageID": "msg_3"})
    assert [step.source for step in only(path).steps] == ["user", "agent"]


def test_opencode_databases_of_another_shape_say_so(tmp_path):
    path = stories.opencode(tmp_path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE part")
    database.close()
    with pytest.raises(UsageError, match="no OpenCode database"):
        read(path, "opencode")


def test_pi_only_the_last_branch_is_live(tmp_path):
    branch = [stories.pi_entry("b1", "e0", role="assistant", content=[{"type": "text", "text": "other"}])]
    trajectory = only(stories.lines(tmp_path / "s.jsonl", [*stories.pi_entries(), *branch]))
    assert [step.message for step in trajectory.steps] == [PROMPT, "other"]


@pytest.mark.parametrize("version", [f"1.{minor}" for minor in range(9)])
def test_atif_of_every_version(tmp_path, version):
    trajectory = only(stories.document(tmp_path / "t.json", stories.atif_value(version)))
    assert trajectory.steps[-1].message == FINAL


def test_atif_that_breaks_the_rules_is_mended(tmp_path):
    value = stories.atif_value()
    value["steps"][1]["observation"]["results"][0]["source_call_id"] = "nobody"
    value["steps"][2]["step_id"] = 17
    value["steps"][0]["tool_calls"] = value["steps"][1]["tool_calls"]
    trajectory = only(stories.document(tmp_path / "t.json", value))
    assert trajectory.steps[1].results[0].content == OUTPUTS[0]
    to_json(trajectory)


def test_harbor_verdicts_stand_beside_the_trajectory(tmp_path):
    for name, text, reward in (("reward.txt", "1.0\n", 1.0), ("reward.json", '{"reward": 0.25}', 0.25)):
        trial = tmp_path / name / "task__1"
        path = stories.document(trial / "agent" / "trajectory.json", stories.atif_value())
        (trial / "verifier").mkdir()
        (trial / "verifier" / name).write_text(text)
        (session,) = read(path)
        assert session.ending.reward == reward


def test_atif_sub_agents_come_out_as_sessions(tmp_path):
    value = stories.atif_value()
    value["subagent_trajectories"] = [{**stories.atif_value(), "trajectory_id": "inner", "session_id": None}]
    main, inner = read(stories.document(tmp_path / "t.json", value))
    assert (inner.about.parent, inner.about.relation) == (main.about.session_id, "sub-agent")


def test_swe_agent_patches_are_kept(tmp_path):
    (session,) = read(stories.mini_swe_agent(tmp_path))
    assert session.ending.facts["final_diff"].startswith("diff --git")
    assert (session.ending.state, session.ending.reward) == ("completed", None)


def test_messages_as_one_array(tmp_path):
    assert only(stories.document(tmp_path / "one.json", stories.chat_messages())).steps[-1].message == FINAL


def test_a_file_of_no_known_format_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    with pytest.raises(UsageError, match="no session format"):
        recognise(path)


def test_projects_are_known_where_the_format_says_them(tmp_path):
    for story in ("codex", "claude-code", "gemini", "opencode", "kimi", "copilot", "pi"):
        (session,) = read(STORIES[story][1](tmp_path / story))
        assert session.about.project == PROJECT
