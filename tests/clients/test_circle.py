"""The whole circle with every real client: a session fails, is harvested, becomes a skill with a rule, is
installed, helps in the next session, and is taken out again without a trace.

What the client itself keeps (its sessions, caches and databases) is its own business; every other byte of the
home and the project must be as before.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopback import Ask, Call, LoopbackModel, Reply, Say
from sharpen.clients import CLIENTS, Client

from .live import Place, run_with, scope_of

pytestmark = pytest.mark.clients

REAL = [client for client in CLIENTS.values() if client.verified]
FAILING = "echo boom-okapi; exit 3"
STATE = ".local/state/sharpen"
"""What stays after uninstalling on purpose: the record of which rules spoke."""


def fail_once(ask: Ask) -> Reply:
    """Runs the failing command once, then waits a moment: Kimi ends its hooks when its run is over."""
    if ask.shell is None or len(ask.results) > 1 or "Go on" in ask.user:
        return Say("I stop here")
    return Call.shell(ask, "sleep 2" if ask.results else FAILING)


@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_a_failure_becomes_a_skill_that_comes_and_goes(client, binary_of, tmp_path_factory):
    binary = binary_of(client)
    place = Place.made_in(tmp_path_factory.mktemp("user"))
    (place.project / "README.md").write_text("A project.\n")
    with LoopbackModel(fail_once) as model:
        # A session in which something fails …
        done = run_with(model, client, binary, place, prompt="Break it")
        assert done.returncode == 0, done.stderr
        # … is harvested, and equals what was done …
        shown = harvested(place, client)
        # … and becomes a skill with a rule for that very failure.
        library = written(place, output=shown)
        scope = ("--scope", scope_of(client))
        before, asked = snapshot(place), len(model.requests)
        place.sharpen("install", str(library), "--to", client.name, *scope)
        installed = {path for path, data in snapshot(place).items() if before.get(path) != data}
        assert installed

        # The same client again. Codex's own flag stands in for its user, whom it asks to trust the hook.
        extra = ("--dangerously-bypass-hook-trust",) if client.name == "codex" else ()
        done = run_with(model, client, binary, place, prompt="Break it", extra=extra)
        assert done.returncode == 0, done.stderr
        heard(model, client, binary, place, asked)

        place.sharpen("uninstall", *scope)
    after = snapshot(place)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert sorted(changed & installed) == []
    assert sorted(path for path in changed - installed if not own(client, path)) == []


def harvested(place: Place, client: Client) -> str:
    """Harvest the session and compare it with what was done; what the failing command printed."""
    database = str(place.temporary / "traces.db")
    counted = json.loads(
        place.sharpen("harvest", "--from", client.name, "--to", database, "--json", "-q").stdout
    )
    assert "unreadable" not in counted or not counted["unreadable"], counted
    (session,) = json.loads(place.sharpen("traces", "list", "--db", database, "--json").stdout)
    assert session["client"] == client.name
    trajectory = json.loads(place.sharpen("traces", "show", "1", "--db", database, "--json").stdout)
    results = [
        (call["arguments"], result)
        for step in trajectory["steps"]
        for call in step.get("tool_calls", ())
        for result in (step.get("observation") or {}).get("results", ())
        if result.get("source_call_id") == call["tool_call_id"]
    ]
    assert [FAILING in str(arguments) for arguments, _ in results] == [True, False], results
    assert "sleep 2" in str(results[1][0])
    assert [result["extra"]["exit_code"] for _, result in results] == [3, 0]
    assert "boom-okapi" in results[0][1]["content"]
    assert trajectory["steps"][-1]["message"] == "I stop here"
    text = place.sharpen("traces", "show", "1", "--db", database).stdout
    assert FAILING in text
    return "boom-okapi"


def written(place: Place, *, output: str) -> Path:
    """A skill with an event rule, as somebody who read the trace would write it."""
    folder = place.temporary / "house-rules"
    folder.mkdir()
    front = '---\nname: "house-rules"\ndescription: "ZEBRA-DESCRIPTION what to do about booms"\n---\n'
    (folder / "SKILL.md").write_text(f"{front}\n# House rules\n\nSign the file after a boom.\n")
    say = "GIRAFFE-FACT: a boom is over when the file is signed."
    rule = {"id": "boom", "tool": "shell", "output": output, "exit": [3], "say": say}
    other = {**rule, "id": "other", "exit": [4], "say": "HYENA-FACT"}
    (folder / "events.json").write_text(json.dumps({"rules": [rule, other]}))
    return folder


def heard(model: LoopbackModel, client: Client, binary: str, place: Place, asked: int) -> None:
    """The skill was in every request, the rule's fact in the one after the failure, and the log knows it."""
    bodies = [request.ask.body for request in model.requests[asked:] if request.ask.shell]
    assert len(bodies) == 3
    assert all("ZEBRA-DESCRIPTION" in body for body in bodies)
    log = json.loads(place.sharpen("hook", "log", "--json").stdout)
    if client.name == "kimi":  # starts hooks without listening; what they said comes with the next prompt
        assert not any("GIRAFFE-FACT" in body for body in bodies)
        (session,) = {row["session"] for row in firings(place)}
        run_with(model, client, binary, place, prompt="Go on", extra=("--session", session))
        assert "GIRAFFE-FACT" in model.requests[-1].ask.body
    else:
        assert [body.count("GIRAFFE-FACT") for body in bodies] == [0, 1, 1]
        assert "house-rules/boom" in bodies[1]
    assert not any("HYENA-FACT" in request.ask.body for request in model.requests)
    assert [(row["rule"], row["client"]) for row in firings(place)] == [("house-rules/boom", client.name)]
    assert "house-rules/boom" in json.dumps(log)
    assert "house-rules/boom" in place.sharpen("hook", "log").stdout


def firings(place: Place) -> list[dict[str, str]]:
    path = place.home / ".local/state/sharpen/hooks/firings.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [row for row in rows if row["what"] == "fired"]


def snapshot(place: Place) -> dict[str, bytes | str]:
    """Every file, link and empty folder below the home and so the project; links by where they lead."""
    found: dict[str, bytes | str] = {}
    for path in place.home.rglob("*"):
        name = str(path.relative_to(place.home))
        if name.startswith(STATE) or STATE.startswith(f"{name}/"):
            continue
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name] = "an empty folder"
    return found


def own(client: Client, path: str) -> bool:
    """Whether the client keeps this for itself."""
    folders = {
        "claude-code": (".claude", ".cache/claude", ".npm", ".local/share/claude", ".local/state/claude"),
        "opencode": (
            ".cache",
            ".config/opencode",
            ".local/share/opencode",
            ".local/state/opencode",
            ".npm",
            "project/.opencode",  # it installs what plugins need beside them
        ),
        "kimi": (".kimi-code",),
    }.get(client.name, (f".{client.name}", ".cache", ".npm"))
    return path.startswith(folders)
