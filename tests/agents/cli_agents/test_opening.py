"""Agents by name: what can be wrong with a name, a binary, a key or a setting, and what the message says."""

from __future__ import annotations

import os
import tempfile

import pytest

from sharpen.agents.coding import AgentSettings, CodingAgent, open_agent
from sharpen.clients import CLIENTS
from sharpen.errors import SettingsError
from sharpen.types import Student

from .players import ENDPOINT, FileThere, agent, program


def opened(name: str, **settings: object) -> CodingAgent:
    options = {"isolation": "none", "base_url": "http://127.0.0.1:9/v1", **settings}
    return open_agent(name, scorer=FileThere(), settings=AgentSettings(**options))


def test_a_name_makes_a_student(tmp_path):
    made = opened("codex:some/model:8b", binary=program(tmp_path, "true"))
    assert isinstance(made, Student)
    assert (made.client.name, made.model) == ("codex", "some/model:8b")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("codx:m", "did you mean 'codex'"),
        ("clade-code:m", "did you mean 'claude-code'"),
        ("zzz:m", "known are codex, claude-code"),
        ("codex", "write codex:MODEL"),
        ("codex: ", "write codex:MODEL"),
        ("claude", "write claude:MODEL"),
    ],
)
def test_unknown_names_get_the_nearest(name, says):
    with pytest.raises(SettingsError, match=says):
        opened(name)


def test_a_missing_binary_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match="npm install -g @openai/codex"):
        opened("codex:m")
    with pytest.raises(SettingsError, match="/nowhere/codex is not a program"):
        opened("codex:m", binary="/nowhere/codex")


def test_a_binary_on_the_path_is_found(tmp_path, monkeypatch):
    program(tmp_path, "true", version="0.200.1")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert opened("codex:m").binary.version == "0.200.1"


def test_an_old_binary_is_told_what_is_needed(tmp_path):
    with pytest.raises(SettingsError, match=r"0\.9\.12 was found at .*, but 0\.166\.0 or newer is needed"):
        opened("codex:m", binary=program(tmp_path, "true", version="0.9.12"))


def test_a_binary_that_breaks_says_so_and_names_the_node_it_needs(tmp_path):
    path = program(tmp_path, "true", client="kimi")
    with open(path, "w") as script:  # noqa: PTH123
        script.write(
            "#!/bin/sh\necho 'SyntaxError: no such export' >&2\necho 'Node.js v20.20.2' >&2\nexit 1\n"
        )
    with pytest.raises(SettingsError, match=r"SyntaxError.*needs Node 22\.19\.0"):
        opened("kimi:m", binary=path)


def test_a_program_that_would_be_fetched_in_every_attempt_must_be_there(tmp_path, monkeypatch):
    binary = program(tmp_path, "true", client="opencode")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SettingsError, match="OpenCode needs the program rg and would download it"):
        opened("opencode:m", binary=binary)
    kept = tmp_path / ".cache/opencode/bin"
    kept.mkdir(parents=True)
    (kept / "rg").touch()
    assert opened("opencode:m", binary=binary).binary.search_path.split(os.pathsep)[-1] == str(kept)
    (tmp_path / "rg").write_text("#!/bin/sh\n")
    (tmp_path / "rg").chmod(0o755)
    assert opened("opencode:m", binary=binary).binary.search_path == f"{tmp_path}{os.pathsep}/nowhere"


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md", ".git", ".agents/skills"])
def test_attempts_are_not_made_below_what_a_client_would_read(tmp_path, monkeypatch, name):
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / "deep/tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "deep/tmp"))
    binary = program(tmp_path, "true")
    with pytest.raises(SettingsError, match=rf"Codex CLI would read .*{name[:5]}.*set TMPDIR"):
        opened("codex:m", binary=binary)
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert opened("codex:m", binary=binary)


def test_a_missing_key_names_its_variable(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    binary = program(tmp_path, "true")
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is empty"):
        opened("codex:m", binary=binary, base_url=None)
    with pytest.raises(SettingsError, match="MY_KEY is empty"):
        opened("codex:m", binary=binary, key_variable="MY_KEY")
    assert opened("codex:m", binary=binary)  # an endpoint of one's own may need none


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"permission": "some"}, "'least' or 'all'"),
        ({"invocation": "shouted"}, "'listed' or 'named'"),
        ({"isolation": "cage"}, "'sandbox' or 'none'"),
        ({"base_url": "localhost:80"}, "http://127.0.0.1:8000/v1"),
        ({"key_variable": "sk-123 456"}, "not the name of an environment variable"),
    ],
)
def test_settings_out_of_range_are_refused(settings, says):
    with pytest.raises(SettingsError, match=says):
        AgentSettings(**settings)


def test_a_protocol_the_client_does_not_speak_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="cannot speak 'gemini'; it speaks responses"):
        agent(program(tmp_path, "true"), wire="gemini")
    with pytest.raises(SettingsError, match="its own service only"):
        agent(program(tmp_path, "true", client="cursor"), client="cursor")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_claude_as_root_is_not_given_what_it_would_refuse(tmp_path):
    with pytest.raises(SettingsError, match="refuses permission='all' for root"):
        agent(program(tmp_path, "true", client="claude-code"), client="claude-code", permission="all")


def test_the_fingerprint_tells_apart_what_could_change_an_answer(tmp_path):
    binary = program(tmp_path, "true")
    plain = agent(binary).fingerprint
    assert agent(binary).fingerprint == plain
    assert "codex@0.166.0:m1" in plain
    assert "file-there@1" in plain
    different = [
        agent(binary, with_skill=False),
        agent(binary, invocation="named"),
        agent(binary, base_url="http://127.0.0.2:9/v1"),
        agent(binary, extra_arguments=("-c", "x=1")),
        agent(program(tmp_path, "true", version="0.167.0")),
    ]
    assert len({plain, *(made.fingerprint for made in different)}) == 6


def test_the_fingerprint_holds_no_credentials(tmp_path):
    made = agent(program(tmp_path, "true"), base_url=ENDPOINT.replace("//", "//me:hush@"))
    assert made.fingerprint == agent(program(tmp_path, "true")).fingerprint


def test_every_known_client_can_be_named():
    assert set(CLIENTS) == {"codex", "claude-code", "gemini", "opencode", "kimi", "copilot", "cursor"}
