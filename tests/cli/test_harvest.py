"""`sharpen harvest` and `sharpen traces`, typed: what they print, what they refuse, what they leave alone."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sharpen.traces import from_json
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
    assert "codex (1 files)" in result.stderr
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
        (("--from", "codex", "--since", "soon"), "say how long"),
        (("missing.jsonl",), "is not there"),
    ],
)
def test_what_cannot_be_harvested_is_said(program, home, arguments, said):
    result = program("harvest", *arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


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
    assert json.loads(program("traces", "forget", "s2", "--json").stdout) == {"forgotten": 1}
    program("traces", "forget", "--retention", "90d")
    assert json.loads(program("traces", "stats", "--json").stdout)["retention_days"] == 90
    program("traces", "forget", "--all")
    assert json.loads(program("traces", "list", "--json").stdout) == []


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "s1"), "takes no sessions"),
        (("list", "--limit", "0"), "--limit"),
        (("forget", "--retention", "12h"), "a day is the least"),
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
