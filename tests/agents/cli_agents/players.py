"""Programs that stand in for a client's binary, and agents that run them.

They are real programs: shell scripts that print what a recorded client printed, or misbehave. The agent
under test runs them exactly as it runs the real thing.
"""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path

from sharpen.agents.coding import AgentSettings, CodingAgent
from sharpen.clients import CLIENTS
from sharpen.skills import Skill
from sharpen.tasks.scoring import Answer
from sharpen.types import Rollout, Score, Task

DATA = Path(__file__).parents[2] / "traces" / "data"
SKILL = Skill.from_text("# Rules\n\nEnd every file with a newline.\n")
LISTENING = socket.create_server(("127.0.0.1", 0))
"""Takes connections, as an endpoint must before an attempt is made; nobody here asks it anything."""
ENDPOINT = f"http://127.0.0.1:{LISTENING.getsockname()[1]}/v1"
TASK = Task("t1", "Create out.txt", {"files": {"src/a.txt": "A"}})


class FileThere:
    """Solved when out.txt is in the work folder; the feedback holds the agent's last words."""

    name = "file-there@1"

    def score(self, task: Task, answer: Answer) -> Score:
        there = (answer.folder / "out.txt").exists()
        return Score(int(there), int(there), answer.text)


def program(folder: Path, body: str, *, client: str = "codex", version: str | None = None) -> str:
    """A program that knows its version and otherwise does what the body says; its path."""
    path = folder / CLIENTS[client].binaries[0]
    said = version or CLIENTS[client].tested
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{client} {said}"; exit; fi\n{body}\n')
    path.chmod(0o755)
    return str(path)


def says(*events: object) -> str:
    """Shell that prints these events, one JSON object per line."""
    return "cat <<'END'\n" + "".join(json.dumps(event) + "\n" for event in events) + "END"


def agent(binary: str, *, client: str = "codex", **settings: object) -> CodingAgent:
    options = {"base_url": ENDPOINT, "binary": binary, "isolation": "none", **settings}
    return CodingAgent(CLIENTS[client], "m1", scorer=FileThere(), settings=AgentSettings(**options))


def attempt(made: CodingAgent, *, task: Task = TASK, skill: Skill = SKILL) -> Rollout:
    return asyncio.run(made.attempt(task, skill, trial=1))
