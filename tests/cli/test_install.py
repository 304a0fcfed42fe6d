"""The verbs install, uninstall and hook, as they are typed."""

from __future__ import annotations

import json

import pytest

SKILL = '---\nname: "house-rules"\ndescription: "Use when files are signed."\n---\n\n# House\n\nSign files.\n'
RULES = {"rules": [{"id": "boom", "tool": "shell", "output": "boom", "say": "Sign the file."}]}


@pytest.fixture
def library(here, monkeypatch):
    """A skill with a rule in a folder, a home and a state folder of their own, and no client on PATH."""
    folder = here / "library" / "house-rules"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "events.json").write_text(json.dumps(RULES))
    for name in ("HOME", "SHARPEN_STATE"):
        monkeypatch.setenv(name, str(here / name.lower()))
    (here / "home").mkdir()
    monkeypatch.setenv("PATH", str(here / "bin"))
    (here / "bin").mkdir()
    return folder


def test_in_and_out_again(program, library, here):
    done = program("install", library, "--to", "claude,codex")
    assert "link  .claude/skills/house-rules" in done.stdout.splitlines()
    assert "Codex asks once for each hook" in done.stderr
    assert program("install", library, "--to", "claude,codex").stderr.strip() == "nothing to do"
    assert "remove  .claude/skills/house-rules" in program("uninstall").stdout.splitlines()
    assert {path.name for path in here.iterdir()} == {"library", "home", "bin"}


def test_a_dry_run_and_json(program, library, here):
    done = json.loads(program("install", library, "--to", "claude", "--dry-run", "--json").stdout)
    assert done["dry_run"] is True
    assert {"action": "link", "path": ".claude/skills/house-rules"} in done["changes"]
    assert not (here / ".agents").exists()


def test_the_home_is_another_scope(program, library, here):
    program("install", library, "--to", "codex", "--scope", "user")
    assert (here / "home/.agents/skills/house-rules/SKILL.md").is_file()
    assert not (here / ".agents").exists()


def test_clients_are_found_on_the_path(program, library, here):
    done = program("install", library)
    assert done.exit_code == 2
    assert "no coding agent was found on PATH" in done.stderr
    (here / "bin/gemini").write_text("#!/bin/sh\n")
    (here / "bin/gemini").chmod(0o755)
    program("install", library)
    assert (here / ".gemini/settings.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--to", "clippy"], "unknown: clippy"),
        (["--to", ","], "no client is named"),
        (["--to", "gemini", "--profile", "x"], "--profile is about Codex"),
        (["--to", "gemini", "--plugin", "p"], "installs nothing"),
    ],
)
def test_what_cannot_be_meant_is_refused(program, library, arguments, complaint):
    done = program("install", library, *arguments)
    assert done.exit_code == 2
    assert complaint in done.stderr


def test_a_plugin_folder(program, library, here):
    program("install", library, "--plugin", here / "house-plugin")
    assert (here / "house-plugin/.claude-plugin/plugin.json").is_file()


def test_the_log_says_what_spoke_and_what_came_back(program, library, here):
    assert "no rule has spoken yet" in program("hook", "log").stderr
    folder = here / "sharpen_state" / "hooks"
    folder.mkdir(parents=True)
    row = {
        "rule": "s/boom",
        "skill": "s",
        "client": "codex",
        "session": "1",
        "call": "c",
        "cwd": str(here),
        "tool": "shell",
    }
    lines = [{"at": 100, "what": "fired", **row}, {"at": 200, "what": "again", **row}]
    lines.append({"at": 300, "what": "fired", **row, "session": "2", "cwd": "/elsewhere"})
    (folder / "firings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "broken\n")
    (folder / "errors.log").write_text("ValueError: something\n")
    done = program("hook", "log")
    assert "1970-01-01 00:05:00" in done.stdout
    assert "1 lines of the record could not be read" in done.stderr
    assert "failed 1 times" in done.stderr
    (rule,) = json.loads(program("hook", "log", "--json").stdout)
    assert rule == {
        "rule": "s/boom", "fired": 2, "sessions": 2, "recurred": 1, "clients": ["codex"], "last": 300,
    }  # fmt: skip
    (rule,) = json.loads(program("hook", "log", "--project", here, "--json").stdout)
    assert rule["fired"] == 1
    assert len(json.loads(program("hook", "log", "--each", "--json").stdout)) == 3


def test_a_client_nobody_knows_is_a_mistake(process):
    done = process("hook", "clippy")
    assert done.returncode == 2
