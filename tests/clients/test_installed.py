"""What `sharpen install` wrote, as real clients take it: both scopes, trust, switches, plugin folders.

The usual way, from a failure to a skill and a rule and back, is in `test_circle.py`; here is the rest.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from loopback import Ask, Call, LoopbackModel, Reply, Say
from sharpen.clients import CLIENTS, Client

from .live import Place, run, run_with, scope_of

pytestmark = pytest.mark.clients

REAL = [client for client in CLIENTS.values() if client.verified]
SKILL = """---
name: "house-rules"
description: "ZEBRA-DESCRIPTION how files are signed here; use when writing files"
---

# House rules

ZEBRA-BODY: sign every file with the word okapi.
"""
RULES = {
    "rules": [
        {
            "id": "boom",
            "tool": "shell",
            "output": r"boom-(\w+)",
            "exit": [3],
            "say": "GIRAFFE-FACT: a boom is over when the file is signed.",
        },
        {"id": "other", "tool": "shell", "output": "boom-", "exit": [4], "say": "HYENA-FACT"},
    ]
}
FAILING = "echo boom-okapi; exit 3"


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place.made_in(tmp_path_factory.mktemp("user"))
    folder = made.home / "library" / "house-rules"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "events.json").write_text(json.dumps(RULES))
    return made


def fail_once(ask: Ask) -> Reply:
    if ask.shell is None or ask.results:
        return Say("I stop here")
    return Call.shell(ask, FAILING)


def install(place: Place, client: Client, *options: str) -> None:
    place.sharpen("install", str(place.home / "library" / "house-rules"), "--to", client.name, *options)


@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_an_installed_skill_is_in_the_request(client, place, binary_of):
    binary = binary_of(client)
    install(place, client, "--scope", "user" if scope_of(client) == "project" else "project")
    model, done = run(client, binary, place, prompt="Say hello", script=lambda ask: Say("hello"))
    assert done.returncode == 0, done.stderr
    asked = model.requests[-1].ask.body
    assert "house-rules" in asked
    assert "ZEBRA-DESCRIPTION" in asked
    assert "ZEBRA-BODY" not in asked


def test_codex_skips_a_hook_that_its_user_has_not_trusted(place, binary_of):
    client = CLIENTS["codex"]
    binary = binary_of(client)
    install(place, client, "--scope", "user")
    model, done = run(client, binary, place, prompt="Break it", script=fail_once)
    assert done.returncode == 0, done.stderr
    assert not any("GIRAFFE-FACT" in request.ask.body for request in model.requests)
    assert not _record(place)


@pytest.mark.parametrize("trusted", [False, True], ids=["untrusted", "trusted"])
def test_gemini_keeps_to_its_own_trust_of_folders(trusted, place, binary_of):
    client = CLIENTS["gemini"]
    binary = binary_of(client)
    install(place, client)
    trust = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": True}}
    home = place.home / ".gemini"
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"security": trust}))
    if trusted:  # what its dialog writes when the user says yes
        (home / "trustedFolders.json").write_text(json.dumps({str(place.project): "TRUST_FOLDER"}))
    with LoopbackModel(fail_once) as model:
        done = run_with(model, client, binary, place, prompt="Break it", without=("--skip-trust",))
    assert (done.returncode == 0) is trusted, done.stderr
    assert any("GIRAFFE-FACT" in request.ask.body for request in model.requests) is trusted
    assert bool(_record(place)) is trusted


@pytest.mark.parametrize("client", [c for c in REAL if c.off_setting], ids=lambda client: client.name)
def test_a_setting_switches_an_installed_skill_off(client, place, binary_of):
    binary = binary_of(client)
    install(place, client)
    file, text = client.off_setting
    path = place.project / file
    path.parent.mkdir(exist_ok=True)
    settings = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**settings, **json.loads(text.replace("{name}", "house-rules"))}))
    model, done = run(client, binary, place, prompt="Say hello", script=lambda ask: Say("hello"))
    assert done.returncode == 0, done.stderr
    assert not any("ZEBRA-DESCRIPTION" in request.ask.body for request in model.requests)


def test_a_codex_profile_switches_the_skill_on_and_everything_else_off(place, binary_of):
    client = CLIENTS["codex"]
    binary = binary_of(client)
    install(place, client, "--profile", "signing")
    with LoopbackModel(lambda ask: Say("hello")) as model:
        for extra, listed in (((), False), (("--profile", "signing"), True)):
            done = run_with(model, client, binary, place, prompt="Say hello", extra=extra)
            assert done.returncode == 0, done.stderr
            assert ("ZEBRA-DESCRIPTION" in model.requests[-1].ask.body) is listed


def test_a_plugin_folder_brings_skill_and_rule_to_claude_code(place, binary_of):
    client = CLIENTS["claude-code"]
    binary = binary_of(client)
    folder = place.home / "house-plugin"
    place.sharpen("install", str(place.home / "library" / "house-rules"), "--plugin", str(folder))
    plugin = ("--plugin-dir", str(folder))
    model, done = run(client, binary, place, prompt="Break it", script=fail_once, extra=plugin)
    assert done.returncode == 0, done.stderr
    bodies = [request.ask.body for request in model.requests if request.ask.shell]
    assert "ZEBRA-DESCRIPTION" in bodies[0]
    assert bodies[1].count("GIRAFFE-FACT") == 1


def test_a_plugin_folder_brings_skill_and_rule_to_codex(place, binary_of):
    client = CLIENTS["codex"]
    binary = binary_of(client)
    market = place.home / "market"
    place.sharpen(
        "install", str(place.home / "library" / "house-rules"), "--plugin", str(market / "house-plugin")
    )
    source = {"source": "local", "path": "./house-plugin"}
    policy = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
    row = {"name": "house-plugin", "source": source, "policy": policy, "category": "Productivity"}
    (market / ".agents/plugins").mkdir(parents=True)
    content = {"name": "house-market", "plugins": [row]}
    (market / ".agents/plugins/marketplace.json").write_text(json.dumps(content))
    for words in (("marketplace", "add", str(market)), ("add", "house-plugin@house-market")):
        subprocess.run(
            [binary, "plugin", *words], env=place.environment, stdin=subprocess.DEVNULL, check=True
        )
    trusted = ("--dangerously-bypass-hook-trust",)
    model, done = run(client, binary, place, prompt="Break it", script=fail_once, extra=trusted)
    assert done.returncode == 0, done.stderr
    bodies = [request.ask.body for request in model.requests if request.ask.shell]
    assert "ZEBRA-DESCRIPTION" in bodies[0]
    assert bodies[1].count("GIRAFFE-FACT") == 1


def _record(place: Place) -> list[dict[str, str]]:
    path = Path(place.home, ".local/state/sharpen/hooks/firings.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
