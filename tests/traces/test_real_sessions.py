"""Session files that real clients wrote in their hard cases: resumed, forked, compacted, undone, delegated,
left running. Each test says what was done; the reader has to say the same, once.

The files are trimmed by `tests/clients/record.py`; the model behind them billed 1000 + 10n tokens for its
nth answer.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from sharpen.traces import STREAMS, Events
from sharpen.traces.gathering import Gathered, Gathering
from sharpen.traces.outcomes import Watch
from sharpen.traces.reading import SourceFile, read_file, recognise
from sharpen.traces.sources import FORMATS

from . import stories
from .recordings import DATA

SESSIONS = DATA / "sessions"


def read(path: Path, name: str | None = None) -> list[Gathered]:
    gathering = Gathering()
    assert read_file(SourceFile(path, FORMATS[name] if name else recognise(path)), gathering) == 0
    return gathering.sessions


def only(path: Path, name: str | None = None) -> Gathered:
    (session,) = read(path, name)
    return session


def done(session: Gathered, *, copied: bool = False) -> list[tuple[str, int | None]]:
    """What was run in this session, with the exit codes; results that came late under their command."""
    told = []
    for step in session.steps:
        if bool(step.is_copied_context) is not copied:
            continue
        names = {call.tool_call_id: call for call in step.tool_calls}
        for result in step.results:
            call = names.get(result.source_call_id or "")
            arguments = {} if call is None else call.arguments
            command = result.extra.get("command") or arguments.get("command") or arguments.get("cmd")
            if command:
                told.append((command, result.exit_code))
    return told


def said(session: Gathered, source: str = "user", *, copied: bool = False) -> list[object]:
    steps = [step for step in session.steps if bool(step.is_copied_context) is copied]
    return [step.message for step in steps if step.source == source and step.message]


def prices(session: Gathered) -> list[int]:
    return [step.metrics.prompt_tokens for step in session.steps if step.metrics]


def outcome(session: Gathered):
    watch = Watch()
    for number, step in enumerate(session.steps):
        watch.place(number, step)
    return watch.outcome(session.ending)


# -- codex ------------------------------------------------------------------------------------------------


@pytest.fixture
def paginated() -> list[Path]:
    return sorted((SESSIONS / "codex-paginated").glob("*.jsonl"))


def test_codex_commands_of_a_script_are_told_beside_it():
    session = only(next((SESSIONS / "codex-code-mode").glob("*.jsonl")))
    assert done(session) == [
        ("echo nested-one; exit 3", 3),
        ("echo nested-two", 0),
        ("echo par-2", 0),
        ("echo par-1; sleep 0.3; exit 4", 4),
    ]
    tools = [call.function_name for step in session.steps for call in step.tool_calls]
    assert tools == [
        *("exec", "exec_command", "exec_command"),
        *("exec", "exec_command", "exec_command"),
        *(
            "apply_patch",
            "exec",
            "exec",
        ),
    ]
    scripts = [step.results[-1] for step in session.steps if step.tool_calls]
    assert [result.extra.get("failed") for result in scripts] == [None, None, True, True]
    assert scripts[0].content == "nested-one\nnested-two\n3"
    assert outcome(session).failures == 4


def test_codex_a_thread_that_was_reverted_is_told_whole_and_without_what_was_reverted(paginated):
    session = only(paginated[1])
    assert session.about.session_id == only(paginated[0]).about.session_id
    assert session.about.started == only(paginated[0]).about.started
    assert (session.about.parent, session.about.relation) == ("", "")
    assert said(session) == ["One: make a", "Three: make c", "Four: make d"]
    assert done(session) == [("echo a1; exit 2", 2), ("echo c1", 0), ("echo d1; exit 4", 4)]
    assert prices(session) == [1010, 1020, 1050, 1060, 1080, 1090]
    spent = session.ending.spent
    assert (spent.prompt_tokens, spent.calls) == (1010 + 1020 + 1050 + 1060 + 1070 + 1080 + 1090, 7)


def test_codex_a_summary_is_a_notice_and_no_answer(paginated):
    notices = [step for step in only(paginated[1]).steps if step.extra.get("compaction")]
    assert len(notices) == 1
    assert "SUMMARY of what was done" in str(notices[0].message)
    assert "SUMMARY of what was done" not in str(said(only(paginated[1]), "agent"))


@pytest.mark.parametrize("mode", ["legacy", "paginated"])
def test_codex_forks_of_both_modes_mark_their_base_and_count_their_own_tokens(mode):
    session = only(sorted((SESSIONS / f"codex-{mode}").glob("*.jsonl"))[-1])
    assert session.about.relation == "fork"
    assert said(session) == ["Five: in the fork"]
    assert said(session, copied=True)[-1] == "Four: make d"
    assert done(session) == [("echo e1; exit 6", 6)]
    assert ("echo d1; exit 4", 4) in done(session, copied=True)
    assert (session.ending.spent.prompt_tokens, session.ending.spent.calls) == (1100 + 1110, 2)
    assert outcome(session).failures == 1


def test_codex_a_fork_names_the_thread_and_not_the_file(paginated):
    assert only(paginated[2]).about.parent == only(paginated[0]).about.session_id


def test_codex_a_fork_whose_base_is_gone_tells_its_own_part(paginated, tmp_path):
    session = only(Path(shutil.copy(paginated[2], tmp_path)))
    assert session.about.parent == only(paginated[0]).about.session_id
    assert done(session) == [("echo e1; exit 6", 6)]
    assert session.ending.spent.prompt_tokens == 1100 + 1110


def test_codex_a_fork_whose_base_was_packed(paginated, tmp_path):
    zstandard = pytest.importorskip("zstandard")
    folder = tmp_path / ".codex/sessions/2026/11/15"
    folder.mkdir(parents=True)
    archived = tmp_path / ".codex/archived_sessions"
    archived.mkdir()
    for path in paginated[:2]:
        packed = zstandard.ZstdCompressor().compress(path.read_bytes())
        (archived / f"{path.name}.zst").write_bytes(packed)
    assert only(Path(shutil.copy(paginated[2], folder))).steps == only(paginated[2]).steps


def test_codex_a_history_that_goes_in_circles_or_outside_is_left(paginated, tmp_path):
    path = Path(shutil.copy(paginated[1], tmp_path))
    (tmp_path / "secret.jsonl").write_text("{}")
    first, *rest = path.read_text().splitlines(keepends=True)
    for name in (path.stem[-36:], "../secret", "*", ""):
        line = json.loads(first)
        line["payload"]["history_base"] = {"thread_id": name, "end_ordinal_exclusive": 99}
        path.write_text(json.dumps(line) + "\n" + "".join(rest))
        assert said(only(path)) == ["Three: make c", "Four: make d"]


def test_codex_a_fork_made_in_the_second_in_which_its_base_worked(tmp_path):
    path = Path(shutil.copy(next((SESSIONS / "codex-legacy").glob("*.jsonl")), tmp_path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:  # every turn of the base seems to begin after the fork
        if line["payload"].get("type") == "task_started":
            line["payload"]["started_at"] = 2_000_000_000
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert said(only(path)) == ["Five: in the fork"]


def test_codex_a_command_that_outlives_its_call_has_its_code_where_it_ended():
    session = only(next((SESSIONS / "codex-slow").glob("*.jsonl")))
    slow = "echo start; sleep 3; echo end; exit 8"
    assert done(session) == [(slow, None), (slow, 8)]
    results = [result.content for step in session.steps for result in step.results]
    assert "start\n" in results
    assert "end\n" in results


def test_codex_tokens_of_versions_without_records_of_their_own(paginated, tmp_path):
    told = [json.loads(line) for line in paginated[0].read_text().splitlines()]
    kept = [line for line in told if line["type"] != "token_usage_record"]
    session = only(stories.lines(tmp_path / "rollout.jsonl", kept))
    assert (session.ending.spent.prompt_tokens, session.ending.spent.calls) == (1010 + 1020 + 1030 + 1040, 4)


# -- claude code ------------------------------------------------------------------------------------------


def test_claude_forks_mark_the_copy_and_find_what_their_base_spilled(tmp_path):
    folder = Path(shutil.copytree(SESSIONS / "claude", tmp_path / "project"))
    base = next(path for path in folder.iterdir() if path.is_dir())
    (base / "tool-results").mkdir()
    (base / "tool-results" / "bg4whq6m6.txt").write_text("all thirty thousand lines")
    session = only(next(folder.glob("*.jsonl")))
    assert said(session) == ["Third PARENT-TASK in a fork"]
    assert said(session, copied=True) == ["PARENT-TASK: First", "Second PARENT-TASK"]
    assert done(session) == [("echo forked", 0)]
    assert (session.ending.spent.prompt_tokens, session.ending.spent.calls) == (1150 + 1160, 2)
    contents = [str(result.content) for step in session.steps for result in step.results]
    assert "all thirty thousand lines" in contents


def test_claude_a_sub_agent_and_its_own_answers():
    session = only(next((SESSIONS / "claude").rglob("agent-*.jsonl")))
    assert (session.about.relation, said(session)) == ("sub-agent", ["CHILD-TASK: look at it"])
    assert done(session) == [("echo from-child; exit 9", 9)]
    assert session.steps[1].reasoning_content == "child thinks"
    assert prices(session) == [1040, 1060]


def test_claude_what_the_user_typed_meanwhile_and_what_ended_in_the_background():
    session = only(next((SESSIONS / "claude-steered").glob("*.jsonl")))
    assert said(session)[:2] == ["First: be slow", "no, stop that and use the other file"]
    assert done(session) == [
        ("sleep 4; echo slow-done", 0),
        ("echo after", 0),
        ("echo begun; sleep 6; exit 5", None),
        ("sleep 5", 0),
        ("echo begun; sleep 6; exit 5", 5),
        ("echo after-compaction", 0),
        ("echo going; sleep 30", None),
    ]
    assert sum(bool(step.extra.get("compaction")) for step in session.steps) == 2
    assert outcome(session).corrections == 1
    assert session.ending.state == "failed"


def test_claude_streams_keep_agents_apart():
    main, inner = read(SESSIONS / "claude-stream.jsonl")
    assert ("echo from-child; exit 9", 9) not in done(main)
    assert ("sleep 1; echo bg-done; exit 4", None) in done(main)
    assert (inner.about.relation, inner.about.parent) == ("sub-agent", main.about.session_id)
    assert done(inner) == [("echo from-child; exit 9", 9)]
    assert main.ending.spent.calls == 12


def test_claude_streams_of_an_attempt_end_with_the_main_agents_words():
    lines = (SESSIONS / "claude-stream.jsonl").read_bytes().splitlines(keepends=True)
    session = STREAMS["claude-code"].read(Events(lines))
    inner = [step for step in session.steps if step.extra.get("subagent_of")]
    assert [step.message for step in inner] == ["Child looks.", "child report"]
    assert session.final == "First turn is done."


# -- gemini -----------------------------------------------------------------------------------------------


def test_gemini_resuming_is_no_compaction_and_compaction_is_one():
    path = next((SESSIONS / "gemini").rglob("*22-52*.jsonl"))
    session = only(path)
    assert [str(text).split(" y")[0] for text in said(session)] == [
        "First: look",
        "Second: go on",
        "Third: go on",
    ]
    assert done(session) == [("echo before", 0), ("echo after", 0), ("echo third", 0)]
    notices = [step.message for step in session.steps if step.extra.get("compaction")]
    assert notices == ["<state_snapshot>SUMMARY-TEXT</state_snapshot>"] * 3
    assert session.about.project == "/home/dev/home/project"


def test_gemini_a_file_that_resuming_left_behind_is_no_session():
    assert read(next((SESSIONS / "gemini").rglob("*22-53*.jsonl"))) == []


def test_gemini_a_rewind_finds_a_prompt_that_compaction_gave_another_name(tmp_path):
    path = Path(shutil.copy(next((SESSIONS / "gemini").rglob("*22-52*.jsonl")), tmp_path))
    told = [json.loads(line) for line in path.read_text().splitlines()]
    last = [record["$set"]["messages"] for record in told if "messages" in record.get("$set", {})][-1]
    renamed = next(message["id"] for message in last if "Third: go on" in json.dumps(message))
    path.write_text(path.read_text() + json.dumps({"$rewindTo": renamed}) + "\n")
    assert done(only(path)) == [("echo before", 0), ("echo after", 0)]


@pytest.mark.parametrize(
    ("told", "shown", "code", "failed"),
    [
        ("Output: a\nExit Code: 3\nProcess Group PGID: 1", "a", 3, True),
        ("Output: a\nProcess Group PGID: 1", "a", 0, None),
        ("Output: a\nExit Code: 7\nProcess Group PGID: 1", "a\nExit Code: 7", 0, None),
        ("Output: (empty)\nSignal: 9\nProcess Group PGID: 1", "Command terminated by signal: 9", None, True),
        ("Command moved to background (PID: 5). Output hidden.", "", None, None),
        ("Command was cancelled by user before it could complete.", "", None, True),
        (
            "<untrusted_context>\nOutput: a\nExit Code: 2\nProcess Group PGID: 1\n</untrusted_context>",
            "",
            2,
            True,
        ),
    ],
)
def test_gemini_how_a_command_ended(tmp_path, told, shown, code, failed):
    response = {"functionResponse": {"response": {"output": told}}}
    call = {"id": "c", "name": "run_shell_command", "args": {"command": "x"}, "status": "success"}
    call |= {"result": [response], "resultDisplay": shown}
    lines = [stories.gemini_header(), stories.gemini_said("g", "", toolCalls=[call])]
    (result,) = only(stories.lines(tmp_path / "session-1.jsonl", lines)).steps[0].results
    assert (result.exit_code, result.extra.get("failed")) == (code, failed)


def test_gemini_telemetry_has_answers_calls_and_the_codes_that_are_not_0():
    session = only(SESSIONS / "gemini-telemetry.log")
    assert said(session) == ["First: look", "Second: go on"]
    assert said(session, "agent") == ["Let me look.", "First turn is done.", "Second done."]
    assert done(session) == [
        ("echo one; exit 3", 3),
        ("echo two; echo err >&2", None),
        ("seq 1 30000", None),
        ("kill -9 $$", None),
        ("echo 'Exit Code: 7'", None),
        ("echo resumed", None),
    ]
    assert prices(session) == [1000 + 10 * n for n in range(1, 11)]


# -- opencode ---------------------------------------------------------------------------------------------


def test_opencode_forks_summaries_and_commands_of_the_user(tmp_path):
    def message(name: str, role: str, created: int, *parts: object, **info: object) -> dict[str, object]:
        about = {"id": name, "role": role, "time": {"created": created}, "modelID": "m", **info}
        return {"info": about, "parts": list(parts)}

    def text(words: str, **facts: object) -> dict[str, object]:
        return {"type": "text", "text": words, **facts}

    def tool(command: str, **state: object) -> dict[str, object]:
        about = {"status": "completed", "input": {"command": command}, "output": "out", **state}
        return {"type": "tool", "callID": command, "tool": "bash", "state": about}

    cost = {"type": "step-finish", "reason": "stop", "tokens": {"input": 5, "output": 1}}
    ran = "The following tool was executed by the user"
    messages = [
        message("m1", "user", 1_000, text("first")),
        message("m2", "assistant", 1_001, tool("make", metadata={"exit": 2}), cost),
        message("m3", "user", 2_000, text("second")),
        message("m4", "assistant", 2_001, text("SUMMARY"), cost, summary=True),
        message("m5", "assistant", 2_002, tool("sleep 9", metadata={"exit": None}), cost),
        message("m6", "user", 2_003, text(ran, synthetic=True)),
        message("m7", "assistant", 2_004, tool("ls")),
    ]
    session = only(
        stories.document(
            tmp_path / "s.json", {"info": {"id": "s", "time": {"created": 1_500}}, "messages": messages}
        )
    )
    assert (said(session, copied=True), said(session)) == (["first"], ["second"])
    assert done(session) == [("sleep 9", None)]
    assert session.steps[-3].results[0].extra["failed"] is True
    assert said(session, "system") == ["SUMMARY", ran, "$ ls\nout"]
    assert (session.ending.spent.prompt_tokens, session.ending.spent.calls) == (10, 2)


def test_opencode_long_outputs_lie_beside_the_database(tmp_path):
    path = stories.opencode(tmp_path)
    (path.parent / "tool-output").mkdir()
    (path.parent / "tool-output" / "tool_1").write_text("all of it")
    (path.parent / "secret").write_text("not yours")
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT id, data FROM part WHERE data LIKE '%callID%' ORDER BY id").fetchall()
        for (name, data), place in zip(rows, ("/elsewhere/tool-output/tool_1", "../secret"), strict=True):
            value = json.loads(data)
            value["state"]["metadata"]["outputPath"] = place
            database.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(value), name))
    database.close()
    session = only(path, "opencode")
    contents = [result.content for step in session.steps for result in step.results]
    assert contents == ["all of it", stories.OUTPUTS[1]]


# -- kimi, copilot, pi ------------------------------------------------------------------------------------


def test_kimi_prices_stand_with_their_answers_and_ends_with_their_commands():
    session = only(SESSIONS / "kimi/agents/main/wire.jsonl")
    assert said(session) == ["PARENT-TASK: First", "PARENT-TASK Second: go on"]
    background = "sleep 1; echo bg; exit 4"
    assert done(session) == [
        ("echo one; exit 3", 3),
        ("echo two; echo err >&2", 0),
        ("seq 1 30000", 0),
        (background, None),
        (background, 4),
        ("sleep 2", 0),
        ("sleep 9", None),
        ("kill -9 $$", -1),
        ("echo 'Command failed with exit code: 5.'", 0),
        ("sleep 9", 0),
        ("echo resumed", 0),
    ]
    billed = [1010, 1020, 1030, 1060, 1070, 1080, 1090, 1100, 1110, 1120, 1130, 1140, 1150, 1160]
    assert prices(session) == billed
    assert session.ending.spent.prompt_tokens == sum(billed)


def test_kimi_a_sub_agent():
    session = only(SESSIONS / "kimi/agents/agent-0/wire.jsonl")
    assert (session.about.relation, said(session)) == ("sub-agent", ["CHILD-TASK: look at it"])
    assert done(session) == [("echo from-child; exit 9", 9)]


def test_kimi_undone_turns_are_gone_with_what_was_said_in_them(tmp_path):
    def prompt(kind: str, text: str) -> dict[str, object]:
        return {"type": kind, "input": [{"type": "text", "text": text}], "origin": {"kind": "user"}}

    told = [
        prompt("turn.prompt", "first"),
        prompt("turn.prompt", "second"),
        prompt("turn.steer", "no, not so"),
        {"type": "context.undo", "count": 1},
        prompt("turn.prompt", "third"),
        {"type": "context.apply_compaction", "summary": "so far"},
    ]
    session = only(stories.lines(tmp_path / "agents/main/wire.jsonl", told), "kimi")
    assert said(session) == ["first", "third"]
    assert said(session, "system") == ["so far"]


def test_copilot_keeps_agents_apart_and_background_commands_have_their_codes():
    main, inner = read(SESSIONS / "copilot/events.jsonl")
    assert said(main) == ["PARENT-TASK: First", "PARENT-TASK Second: go on"]
    assert ("echo from-child; exit 9", 9) not in done(main)
    slow = "sleep 3; echo slow; exit 4"
    assert [code for command, code in done(main) if command == slow] == [None, 4]
    assert prices(main) == [1010, 1020, 1030, 1060, 1070, 1080, 1090, 1100, 1110, 1120, 1130]
    assert (inner.about.parent, inner.about.relation) == (main.about.session_id, "sub-agent")
    assert (said(inner), done(inner)) == (["CHILD-TASK: look at it"], [("echo from-child; exit 9", 9)])
    assert prices(inner) == [1040, 1050]


def test_pi_forks_and_exit_codes():
    session = only(next((SESSIONS / "pi").glob("*23-08-16*.jsonl")))
    assert session.about.parent == "01a1e177-d886-732b-92fe-6307edbc2ded"
    assert said(session) == ["Third: in the fork"]
    assert done(session) == [("echo forked", 0)]
    assert done(session, copied=True) == [
        ("echo one; exit 3", 3),
        ("echo two; echo err >&2", 0),
        ("seq 1 30000", 0),
        ("sleep 9", None),
        ("kill -9 $$", 137),
        ("echo 'Command exited with code 7'", 0),
        ("echo resumed", 0),
    ]
    assert (session.ending.spent.prompt_tokens, session.ending.spent.calls) == (1110 + 1120, 2)


def test_pi_commands_of_the_user_and_compaction():
    session = only(next((SESSIONS / "pi").glob("*23-08-19*.jsonl")))
    assert done(session) == [("echo a1", 0)]
    assert said(session, "system") == ["$ echo by-the-user; exit 6\nby-the-user\n", "SUMMARY-TEXT"]
    assert session.ending.spent.prompt_tokens == 1130 + 1140 + 1150 + 1160 + 1170


def test_pi_another_root_begins_anew(tmp_path):
    root = stories.pi_entry("n1", None, role="user", content="anew")
    session = only(stories.lines(tmp_path / "s.jsonl", [*stories.pi_entries(), root]))
    assert said(session) == ["anew"]
    assert len(session.steps) == 1
