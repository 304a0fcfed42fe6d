"""One small story that every real client plays: a skill that says how files are signed, and a model that
follows it.

The scripted model behaves like one that follows skills: when a request lists the skill it opens the file,
and what it reads there decides what it writes. So a solved task shows that the text travelled the client's
whole way.
"""

from __future__ import annotations

import asyncio
import os
import re

from loopback import Ask, Call, LoopbackModel, Reply, Say, Script
from sharpen.agents.coding import AgentSettings, CodingAgent
from sharpen.clients import Client
from sharpen.sandbox import available_levels
from sharpen.skills import Skill
from sharpen.tasks.scoring import Answer
from sharpen.types import Rollout, Score, Task

from .live import PATIENCE

KEY = "sk-canary-0123456789abcdefghij"
SKILL = Skill.from_text(
    '---\nname: "house-rules"\ndescription: "ZEBRA-DESCRIPTION how files are signed here"\n---\n\n'
    "# House rules\n\nZEBRA-BODY: sign every file with the word okapi.\n"
)
TASKS = [
    Task(name, f"Create {name}.txt", {"files": {"notes/read.me": "hello"}}) for name in ("alpha", "beta")
]


class Signed:
    """Solved when the file the task asks for exists and is signed."""

    name = "signed@1"

    def score(self, task: Task, answer: Answer) -> Score:
        path = answer.folder / f"{task.id}.txt"
        assert (answer.folder / "notes/read.me").read_text() == "hello"
        written = path.read_text() if path.exists() else "(nothing)"
        return Score(
            int("okapi" in written), 0.0, f"{task.id}.txt holds {written!r}; agent said {answer.text!r}"
        )


def follower(skill_folder: str) -> Script:
    """A model that opens the skill when it is told of it, then writes the file, then says so."""

    def script(ask: Ask) -> Reply:
        name = re.search(r"Create (\w+)\.txt", ask.user)
        if ask.shell is None or name is None:
            return Say("a title")
        listed = "ZEBRA-DESCRIPTION" in ask.body
        if listed and not ask.results:
            return Call.shell(ask, f"cat ~/{skill_folder}/house-rules/SKILL.md")
        read = "ZEBRA-BODY" in ask.body
        if len(ask.results) == (1 if listed else 0):
            return Call.shell(ask, f"echo {'okapi' if read else 'plain'} > {name[1]}.txt; ls; exit 3")
        return Say(f"Done: wrote {name[1]}.txt")

    return script


def best_isolation(client: Client) -> str:
    """The sandbox, where this machine has one that the client starts in."""
    if client.own_sandbox:
        return "sandbox"
    works = [offer.level for offer in available_levels() if offer.works and offer.level != "none"]
    return "sandbox" if works and works[0] not in client.fails_under else "none"


def play(
    client: Client,
    binary: str,
    task: Task,
    *,
    script: Script | None = None,
    failing: int | None = None,
    skill: Skill = SKILL,
    **options: object,
) -> tuple[Rollout, LoopbackModel]:
    """One attempt of the real client against a fresh model."""
    os.environ["LOOPBACK_KEY"] = KEY
    options = {"timeout": PATIENCE, "isolation": best_isolation(client), **options}
    with LoopbackModel(script or follower(client.skills.user[0]), failing=failing) as model:
        bare = options.get("wire", client.wires[0]) in ("messages", "gemini")
        url = model.url if bare else model.url + "/v1"
        settings = AgentSettings(base_url=url, key_variable="LOOPBACK_KEY", binary=binary, **options)
        agent = CodingAgent(client, "gemini-2.5-flash", scorer=Signed(), settings=settings)
        return asyncio.run(agent.attempt(task, skill, trial=1)), model
