"""`sharpen harvest` and `sharpen traces`, typed: what they print, what they refuse, what they leave alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import get_args

import pytest

from sharpen.cli.app import load
from sharpen.cli.traces import Action
from sharpen.traces import from_json
from sharpen.traces.archive import Archive
from store.test_failures import inside_mount, needs_mount, read_only
from traces import stories
from traces.stories import FINAL, PROMPT, STORIES


@pytest.fixture
def home(here, monkeypatch):
    """A home folder in which Codex and Claude Code were used, and no other client."""
    monkeypatch.setenv("HOME", str(here / "home"))
    for variable in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "KIMI_CODE_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for client in ("codex", "claude-code"):
        STORIES[client][1](here / "home")
    return here / "home"


def test_sources_are_opted_into_by_name(program, home):
    result = program("harvest")
    assert result.exit_code == 2
    assert "--from" in result.stderr
    assert "codex (1 file)" in result.stderr
    assert not (home.parent / "traces.db").exists()


def test_a_harvest_prints_its_summary_and_the_second_reads_nothing(program, home):
    result = program("harvest", "--from", "codex,claude", "--to", "t.db")
    assert result.exit_code == 0, result.stderr
    head, *rows = result.stdout.splitlines()
    names = ("source", "sessions", "steps", "failures", "outcomes known", "redactions", "unreadable lines")
    assert all(name in head for name in names)
    assert [row.split()[0] for row in rows] == ["claude-code", "codex"]
    again = json.loads(program("harvest", "--from", "all", "--to", "t.db", "--json").stdout)
    assert {name: (tally["unchanged"], tally["sessions"]) for name, tally in again.items()} == {
        "codex": (1, 0),
        "claude-code": (1, 0),
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "gemini"), "no sessions of gemini"),
        (("--from", "emacs"), "no such source"),
        (("--from", "atif"), "name the files"),
        (("--from", "codx"), "did you mean codex? There are all, claude, codex"),
        (("--from", "codex", "--since", "yesterday"), "say how long, such as 12h"),
        (("--from", "codex", "--since", "yesterday"), "or since when, such as 2026-01-31"),
        (("--from", "codex", "--to", "nowhere/t.db"), "there is no folder nowhere"),
        (("--from", "codex", "--to", "home/.codex"), "is a folder; name a file"),
        (("missing.jsonl",), "is not there"),
    ],
)
def test_what_cannot_be_harvested_is_said(program, home, arguments, said):
    result = program("harvest", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not (home.parent / "nowhere").exists()


def test_a_source_is_known_in_capitals(program, home):
    assert program("harvest", "--from", "Codex,CLAUDE").exit_code == 0
    assert len(json.loads(program("traces", "--json").stdout)) == 2


def test_a_harvest_without_a_new_session_does_not_look_like_one_with(program, home):
    (home.parent / "other").mkdir()
    outside = program("harvest", "--from", "codex", "--project", "other")
    assert "; 1 session outside of --project; 0 could" in outside.stderr
    assert "nothing new was kept in traces.db\n" in outside.stderr
    future = program("harvest", "--from", "codex", "--since", "2999-01-31")
    assert "0 files, 0 of them as at the last harvest; 1 file not changed since --since" in future.stderr
    assert "kept in traces.db; `sharpen" in program("harvest", "--from", "codex").stderr
    program("traces", "forget", "--all")
    forgotten = program("harvest", "--from", "codex")
    assert forgotten.stderr.endswith("kept in traces.db; 1 session forgotten before, which stay so\n")


def test_a_quiet_harvest_says_nothing_beside_its_result(program, home):
    result = program("harvest", "--from", "codex", "-q")
    assert [line for line in result.stderr.splitlines() if "RE2" not in line] == []
    assert "codex" in result.stdout


def test_a_file_read_as_the_wrong_format_is_named_and_can_be_read_as_the_right_one(program, here, home):
    path = STORIES["kimi"][1](here / "given")
    wrong = program("harvest", path, "--from", "codex", "--json")
    assert f"no session in {path}, read as codex" in wrong.stderr
    assert json.loads(wrong.stdout)["codex"]["files_without_session"] == [str(path)]
    for _ in range(2):
        program("harvest", path)
        assert len(json.loads(program("traces", "--json").stdout)) == 1
        program("harvest", path, "--from", "codex")


def test_folders_that_may_not_be_looked_into_are_counted(program, home, monkeypatch):
    shut, really = home / ".codex" / "sessions" / "2026", os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != shut and really(path, mode))
    shut.rename(home / "hidden")  # from whoever may look everywhere
    shut.mkdir()
    assert "codex (you may not look into its folder)" in program("harvest").stderr
    result = program("harvest", "--from", "all")
    assert "2026: you may not look into it" in result.stderr
    assert "; 1 could not be read" in result.stderr


def test_files_and_folders_that_are_handed_over(program, here, home):
    for story in ("atif", "messages", "swe-agent"):
        STORIES[story][1](here / "given")
    (here / "given" / "result.json").write_text('{"other": 1}')
    result = program("harvest", "given", "--to", "t.db", "--json")
    assert set(json.loads(result.stdout)) == {"atif", "messages", "swe-agent"}


@pytest.fixture
def harvested(program, home):
    user = stories.codex_user("No, revert that; my address is mara@corp.io")
    stories.lines(
        home / ".codex/sessions/2026/11/15/rollout-x-s2.jsonl",
        [stories.codex_meta(id="s2"), stories.codex_user("Begin"), user],
    )
    assert program("harvest", "--from", "codex", "--to", "traces.db").exit_code == 0
    return home


def test_list_show_and_stats(program, harvested):
    rows = json.loads(program("traces", "list", "--json").stdout)
    assert {row["title"]: row["verdict"] for row in rows} == {PROMPT: "unknown", "Begin": "failed"}
    assert PROMPT in program("traces").stdout
    shown = program("traces", "show", "s1").stdout
    assert FINAL in shown
    assert "make all -k" in shown
    hidden = program("traces", "show", "s2").stdout
    assert "[redacted:email]" in hidden
    assert "1 email" in hidden
    stats = json.loads(program("traces", "stats", "--json").stdout)
    assert stats["clients"][0]["sessions"] == 2
    failed = json.loads(program("traces", "list", "--outcome", "failed", "--json").stdout)
    assert [row["name"] for row in failed] == ["s2"]


def test_export_writes_atif_or_messages(program, harvested, here):
    values = [json.loads(line) for line in program("traces", "export").stdout.splitlines()]
    assert {from_json(value).session_id for value in values} == {"s1", "s2"}
    program("traces", "export", "s1", "--as", "messages", "--out", "out.jsonl")
    (value,) = [json.loads(line) for line in (here / "out.jsonl").read_text().splitlines()]
    assert [message["role"] for message in value["messages"]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]


def test_forget(program, harvested):
    assert program("traces", "forget").exit_code == 2
    assert json.loads(program("traces", "forget", "s2", "--json").stdout)["forgotten"] == 1
    limited = program("traces", "forget", "--retention", "90d")
    assert limited.stdout == "forgot 0 sessions\nsessions are kept for 90 days\n"
    assert json.loads(program("traces", "stats", "--json").stdout)["retention_days"] == 90
    assert "kept until forgotten" in program("traces", "forget", "--retention", "none").stdout
    assert program("traces", "forget", "--all").stdout == "forgot 1 session\n"
    assert json.loads(program("traces", "list", "--json").stdout) == []


def test_digits_are_a_number_and_a_beginning_has_four_characters(program, home):
    for name in ("0a1b-one", "1f3c-two"):
        path = home / f".codex/sessions/2026/11/15/rollout-x-{name}.jsonl"
        stories.lines(path, [stories.codex_meta(id=name), stories.codex_user(f"I am {name}")])
    program("harvest", "--from", "codex")
    for typed in ("0", "99", "1f3", "²"):
        assert f"no session {typed!r}" in program("traces", "show", typed).stderr
    assert "I am 1f3c-two" in program("traces", "show", "1f3c").stdout
    (first,) = [row for row in json.loads(program("traces", "--json").stdout) if row["number"] == 1]
    assert program("traces", "forget", "1").stdout == f"forgot 1: codex {first['name']} {first['title']}\n"
    assert program("traces", "forget", "1").exit_code == 2
    assert len(json.loads(program("traces", "--json").stdout)) == 2


def test_several_sessions_are_one_document(program, harvested):
    assert len(json.loads(program("traces", "show", "1", "2", "--json").stdout)) == 2


def test_an_export_goes_where_it_is_asked_to_and_says_how_much(program, harvested, here):
    assert program("traces", "export", "--out", "-").stdout == program("traces", "export").stdout
    assert not (here / "-").exists()
    assert program("traces", "export", "--out", "all.jsonl").stderr == "wrote 2 sessions to all.jsonl\n"
    nothing = program("traces", "export", "--outcome", "solved", "--out", "none.jsonl")
    assert "no such sessions" in nothing.stderr
    assert "wrote 0 sessions to none.jsonl" in nothing.stderr


def test_sessions_are_written_for_their_owner_only(program, harvested, here):
    program("traces", "export", "--out", "all.jsonl")
    with Archive.open(here / "traces.db") as archive:
        archive.retention_days = 9
        kept = {path.name: path.stat().st_mode & 0o777 for path in here.glob("traces.db*")}
    assert kept == dict.fromkeys(("traces.db", "traces.db-wal", "traces.db-shm"), 0o600)
    assert (here / "all.jsonl").stat().st_mode & 0o777 == 0o600


@needs_mount
def test_an_archive_that_may_not_be_written_can_be_read(harvested, here):
    def run(*words):
        sharpen = (sys.executable, "-m", "sharpen", "traces", *words, "--db", str(here / "traces.db"))
        return subprocess.run(
            [*inside_mount(read_only(here)), *sharpen], capture_output=True, text=True, check=False
        )

    listed = run("list", "--json")
    assert len(json.loads(listed.stdout)) == 2, listed.stderr
    assert FINAL in run("show", "s1").stdout
    refused = run("forget", "s1")
    assert refused.returncode == 1
    assert "traces.db: it cannot be written; make it writable or go on with a copy" in refused.stderr


def test_mistakes_are_named(program, harvested):
    assert "no session 'nobody'" in program("traces", "show", "nobody").stderr
    assert "sharpen harvest" in program("traces", "list", "--db", "missing.db").stderr
    assert program("traces", "show").exit_code == 2


def test_a_title_cannot_steer_the_terminal(program, home):
    words = "Look \x1b[31mred\x1b]0;owned\x07 \x9b5m \u202e 漢字 👨\u200d👩 [bold]"
    stories.lines(
        home / ".codex/sessions/2026/11/15/rollout-x-s2.jsonl",
        [stories.codex_meta(id="s2", cwd="/srv/\x1b[2J"), stories.codex_user(words)],
    )
    program("harvest", "--from", "codex")
    shown = r"Look \x1b[31mred\x1b]0;owned\x07 \x9b5m \u202e 漢字 👨\u200d👩 [bold]".replace(
        r"\u200d", "\u200d"
    )
    for result in (program("traces"), program("traces", "show", "s2")):
        assert shown in result.stdout
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(result.stdout)
    assert json.loads(program("traces", "show", "s2", "--json").stdout)["steps"][0]["message"] == words


VALUES = {"--outcome": "failed", "--as": "messages", "--limit": "1", "--tokens": "9", "--all": None}


def _options_for_some_actions():
    """Every option whose help begins with the actions that take it, beside an action that does not."""
    for option in load("traces").params:
        named, colon, _ = (getattr(option, "help", None) or "").partition(": ")
        takers = set(named.split(", "))
        if colon and takers < set(get_args(Action)):
            yield from ((action, option.opts[0]) for action in get_args(Action) if action not in takers)


@pytest.mark.parametrize(("action", "option"), list(_options_for_some_actions()))
def test_an_option_of_another_action_is_refused(program, harvested, action, option):
    before = program("traces", "list", "--json").stdout
    value = VALUES.get(option, "90d")
    result = program("traces", action, option, *([value] if value else []))
    assert result.exit_code == 2
    assert f"`sharpen traces {action}` takes no {option}; it is for" in " ".join(result.stderr.split())
    assert program("traces", "list", "--json").stdout == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "s1"), "takes no sessions"),
        (("export", "s1", "--outcome", "failed"), "not both"),
        (("list", "--limit", "0"), "--limit"),
        (("forget", "--retention", "12h"), "a day is the least"),
        (("forget", "--retention", "90d", "--older-than", "soon"), "say how long"),
        (("forget", "--older-than", "99999y"), "100y is the most"),
        (("export", "--out", "nowhere/out.jsonl"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_with_an_archive_is_said_and_nothing_changes(program, harvested, arguments, said):
    before = program("traces", "list", "--json").stdout
    result = program("traces", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert program("traces", "list", "--json").stdout == before
    assert json.loads(program("traces", "stats", "--json").stdout)["retention_days"] is None


def test_a_client_is_known_by_its_short_name_and_none_is_said(program, home):
    program("harvest", "--from", "claude")
    assert PROMPT in program("traces", "list", "--client", "claude").stdout
    nobody = program("traces", "list", "--client", "nobody")
    assert (nobody.exit_code, nobody.stdout) == (0, "")
    assert "no such sessions" in nobody.stderr


def test_a_sub_agent_is_exported_alone_when_it_is_asked_for(program, home):
    main = stories.claude(home)
    stories.lines(
        main.with_suffix("") / "subagents" / "agent-a1.jsonl",
        [stories.claude_line("user", "look", isSidechain=True, agentId="a1")],
    )
    program("harvest", "--from", "claude")
    rows = json.loads(program("traces", "list", "--json").stdout)
    (inner,) = [row for row in rows if row["relation"] == "sub-agent"]
    assert len(program("traces", "export").stdout.splitlines()) == 1
    (alone,) = program("traces", "export", str(inner["number"])).stdout.splitlines()
    assert json.loads(alone)["steps"][0]["message"] == "look"


def test_a_folder_without_sessions_is_said(program, here, home):
    (here / "empty").mkdir()
    result = program("harvest", "empty")
    assert result.exit_code == 2
    assert "no sessions" in result.stderr


@pytest.mark.parametrize("command", ["export", "list --json"])
def test_a_reader_that_stops_early_is_no_error_of_the_archive(command, home, here):
    many = [stories.codex_meta(id="long"), *(stories.codex_user(f"word {n} " * 50) for n in range(400))]
    stories.lines(home / ".codex/sessions/2026/11/15/rollout-x-long.jsonl", many)
    sharpen = f"{sys.executable} -c 'from sharpen.cli import main; main()'"
    subprocess.run(f"{sharpen} harvest -q --from codex", shell=True, check=True, capture_output=True)
    done = subprocess.run(
        f"{sharpen} traces {command} | head -c 5", shell=True, capture_output=True, text=True, check=True
    )
    assert len(done.stdout) == 5
    assert done.stderr == ""
