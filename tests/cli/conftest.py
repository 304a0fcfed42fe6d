"""A folder of one's own, the program in this process and in a process of its own, and one finished run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sharpen.cli.app import app
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World
from sharpen.train import TrainSettings, train
from sharpen.types import Budget

Program = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[str]"]

AGENTS = """
import asyncio, os
import sharpen

RULES = {"a": "Say please.", "b": "Say thanks."}

class Student:
    fingerprint = "polite student"

    async def attempt(self, task, skill, *, trial):
        await asyncio.sleep(float(os.environ.get("SLOW", "0")))
        if os.environ.get("BROKEN"):
            raise RuntimeError("the model is not there")
        needed = RULES[task.data["needs"]]
        return sharpen.Rollout.scored(task, hard=float(needed in skill.text), feedback=f"missing: {needed}")

class Teacher:
    fingerprint = "polite teacher"

    async def propose(self, skill, evidence, *, limit, memory, trial):
        missing = [r.score.feedback.removeprefix("missing: ") for r in evidence if r.score]
        return [sharpen.Edit.append(f"- {rule}") for rule in missing]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an import path that is restored."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def program(here: Path) -> Program:
    """The program in this process; `stdout`, `stderr` and `exit_code` are in the result."""

    def run(*args: object) -> Result:
        result = CliRunner().invoke(app, [str(arg) for arg in args], prog_name="sharpen")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def process(here: Path) -> Process:
    """The program in a process of its own, as a shell starts it."""

    def run(*args: object, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sharpen", *map(str, args)]
        return subprocess.run(
            command, cwd=here, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
        )

    return run


@pytest.fixture
def agents(here: Path) -> Iterator[Path]:
    """A user's own project: agents.py, tasks.jsonl and skill.md; a package of tests has the same name."""
    earlier = sys.modules.pop("agents", None)
    (here / "agents.py").write_text(AGENTS)
    (here / "skill.md").write_text("# Manners\n")
    rows = (
        json.dumps({"id": f"{split}-{n}", "prompt": "ask", "data": {"needs": "ab"[n % 2]}, "split": split})
        for split, size in (("train", 8), ("selection", 10), ("test", 10))
        for n in range(size)
    )
    (here / "tasks.jsonl").write_text("\n".join(rows) + "\n")
    yield here
    sys.modules.pop("agents", None)
    if earlier is not None:
        sys.modules["agents"] = earlier


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run in a simulated world."""
    folder = tmp_path_factory.mktemp("runs") / "binary"
    world = World.named("binary")
    student, teacher = SimulatedStudent(world), SimulatedTeacher(world)
    budget, settings = Budget(rollouts=1000), TrainSettings(seed=0)
    train(world.skill, world.tasks(test=True), student, teacher, budget, settings, folder)
    return folder
