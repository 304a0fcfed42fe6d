"""`sharpen eval SKILL --bare --agent …` with real clients: both arms, and nothing but the skill between them.

The user of these tests has a home full of things that must stay out: skills, instructions, hooks. The
scripted model signs a file rightly only when the skill's text is in its request, so that arm must win.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from loopback import Ask, Call, LoopbackModel, Reply, Say
from sharpen.clients import CLIENTS, Client

from .live import PATIENCE, Place, endpoint_of
from .scenario import SKILL, best_isolation

pytestmark = pytest.mark.clients

AGENTS = {"codex": "codex", "claude": "claude-code", "gemini": "gemini", "opencode": "opencode"}
NAMES = ("alpha", "beta")
SKILL_TOOLS = {"Skill": "skill", "skill": "name", "activate_skill": "name"}
"""Clients' tools that open a skill, with the argument that takes its name."""
OWN = "sharpen-agent-"
"""How the folder of an attempt begins, and with it every path that differs between two attempts."""


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A user with habits: skills, instructions and hooks wherever a client might look for them."""
    made = Place.made_in(tmp_path_factory.mktemp("user"))
    hook = {"matcher": "*", "hooks": [{"type": "command", "command": f"echo LEAK; touch {made.home}/hooked"}]}
    settings = {"hooks": {event: [hook] for event in ("PostToolUse", "AfterTool", "SessionStart")}}
    texts = {
        **{f"{name}.md": "LEAK" for name in ("AGENTS", "CLAUDE", "GEMINI")},
        **{f"project/{name}.md": "LEAK" for name in ("AGENTS", "CLAUDE", "GEMINI")},
        ".claude/CLAUDE.md": "LEAK",
        ".codex/AGENTS.md": "LEAK",
        ".gemini/GEMINI.md": "LEAK",
        ".config/opencode/AGENTS.md": "LEAK",
        ".claude/settings.json": json.dumps(settings),
        ".gemini/settings.json": json.dumps(settings),
        ".codex/hooks.json": json.dumps(settings),
        **{
            f"{folder}/habits/SKILL.md": '---\nname: "habits"\ndescription: "LEAK"\n---\n\nLEAK\n'
            for client in CLIENTS.values()
            for folder in client.skills.user
        },
        "library/house-rules/SKILL.md": SKILL.text,
        "tasks.jsonl": "".join(json.dumps(_task(name)) + "\n" for name in (*NAMES, "unused")),
    }
    for name, text in texts.items():
        path = made.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return made


def _task(name: str) -> dict[str, object]:
    check, split = {"command": f"grep -q okapi {name}.txt"}, "selection" if name in NAMES else "train"
    return {"id": name, "prompt": f"Create {name}.txt", "check": check, "split": split}


def follower(ask: Ask) -> Reply:
    """Opens a skill it is told of the client's own way, then signs as it has read."""
    name = re.search(r"Create (\w+)\.txt", ask.user)
    if ask.shell is None or name is None:
        return Say("a title")
    listed = "ZEBRA-DESCRIPTION" in ask.body
    if listed and not ask.results:
        tool = next((tool for tool in SKILL_TOOLS if tool in ask.tools), None)
        if tool is not None:
            return Call(tool, {SKILL_TOOLS[tool]: "house-rules"})
        return Call.shell(ask, "cat ~/.agents/skills/house-rules/SKILL.md")
    if len(ask.results) == listed:
        word = "okapi" if "ZEBRA-BODY" in ask.body else "plain"
        return Call.shell(ask, f"echo {word} > {name[1]}.txt")
    return Say("done")


def command(place: Place, typed: str, client: Client, model: LoopbackModel, *more: str) -> list[str]:
    options = {"base_url": endpoint_of(client, model), "isolation": best_isolation(client)}
    told = [word for key, value in options.items() for word in ("--student-option", f"{key}={value}")]
    skill, tasks = str(place.home / "library/house-rules"), str(place.home / "tasks.jsonl")
    return ["eval", skill, "--bare", "--tasks", tasks, "--agent", f"{typed}:gemini-2.5-flash", *told, *more]


@pytest.mark.parametrize("typed", AGENTS)
def test_two_arms_differ_by_the_skill_only(typed, place, binary_of):
    client = CLIENTS[AGENTS[typed]]
    path = str(Path(binary_of(client)).parent)
    with LoopbackModel(follower) as model:
        keep = ("--run", str(place.home / "kept"), "--json", "--tokens", "1000000")
        done = place.sharpen(*command(place, typed, client, model, *keep), path=path, check=False)
        asked = len(model.requests)
        again = place.sharpen(*command(place, typed, client, model, *keep), path=path, check=False)
    assert done.returncode == 11, done.stderr  # two tasks are won, and prove nothing yet
    found = json.loads(done.stdout)
    first, second = found["first"], found["second"]
    assert (first["score"]["mean"], second["score"]["mean"]) == (1, 0), found
    assert (found["difference"]["mean"], found["verdict"]["wins"]) == (1, 2)
    assert found["difference"]["low"] < 1
    assert (first["skill_used"], second["skill_used"]) == ({"in": 2, "of": 2}, None)
    bills = sum(request.bill.prompt + request.bill.completion for request in model.requests)
    assert found["spent"]["tokens"] == bills
    assert first["tokens_per_attempt"] + second["tokens_per_attempt"] == bills / 2
    assert (json.loads(again.stdout), len(model.requests)) == (found, asked)  # nothing is asked twice

    bodies = [request.ask.body for request in model.requests]
    assert not any("LEAK" in body or "habits" in body for body in bodies)
    assert not (place.home / "hooked").exists()
    for name in NAMES:
        openings = [r.ask for r in model.requests if not r.ask.results and f"{name}.txt" in r.ask.user]
        with_it, without = sorted(openings, key=lambda ask: "ZEBRA" not in ask.body)
        assert "house-rules" not in without.body
        assert without.tools == with_it.tools
        assert words(without) - words(with_it) == Counter()
        assert set(words(with_it) - words(without)) <= LISTING


LISTING = set(
    re.findall(
        r"\w[\w-]*", f"{SKILL.text} skill name description location file SKILL md agents skills home alias"
    )
) | {"ATTEMPT", "NUMBER", "tmp"}
"""Words a client may use to list one skill more."""


def words(ask: Ask) -> Counter[str]:
    """What a request says; names of the attempt's folder, ids and clocks are alike in every attempt."""
    text = re.sub(rf"[^\s\"'`(=<>]*{OWN}[\w-]+", "ATTEMPT", ask.body.replace("\\n", "\n").replace("\\", ""))
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}|\d{5,}", "NUMBER", text)
    text = re.sub(r"\br\d\b", "alias", text)  # Codex numbers the folders of skills
    return Counter(re.findall(r"\w[\w-]*", text))


@pytest.mark.parametrize(
    ("typed", "number"), [("codex", signal.SIGTERM), ("claude", signal.SIGINT)], ids=["codex", "claude"]
)
def test_a_stopped_evaluation_leaves_no_client_behind_and_goes_on(typed, number, place, binary_of):
    client = CLIENTS[AGENTS[typed]]
    path = str(Path(binary_of(client)).parent)
    stuck = [True]

    def slow(ask: Ask) -> Reply:
        waits = stuck[0] and not ask.results and ask.shell is not None
        return Call.shell(ask, "sleep 600") if waits else follower(ask)

    with LoopbackModel(slow) as model:
        line = command(place, typed, client, model, "--run", str(place.home / "kept"), "--concurrency", "2")
        program = [sys.executable, "-m", "sharpen", *line]
        environment = place.environment_with(path)
        with subprocess.Popen(
            program,
            cwd=place.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            _until(lambda: model.requests or running.poll() is not None)
            assert _left(place)
            running.send_signal(number)
            _, complaint = running.communicate(timeout=PATIENCE)
        _until(lambda: not _left(place))
        assert running.returncode == 130, complaint
        assert "run the same command again" in complaint
        assert not list(place.temporary.glob(f"{OWN}*"))
        stuck[0] = False
        assert place.sharpen(*line, path=path, check=False).returncode == 11


def _left(place: Place) -> list[str]:
    """Processes whose home is a folder of an attempt of this user."""
    mark = f"HOME={place.temporary}/{OWN}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def _until(condition) -> None:
    for _ in range(int(PATIENCE / 0.1)):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("waited in vain")
