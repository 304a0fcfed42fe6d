"""Runs that the report's tests look at: simulated worlds, and a small office with hostile texts in it.

The office is a student that solves a task when the skill says what the task needs, and a teacher that
proposes the missing sentence. It reports usage, has ids and skill texts that try to break out of a page, and
needs no randomness.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import sharpen
from sharpen import Edit, Rollout, Skill, Task, TaskSet, Usage
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World

HOSTILE_SKILL = """# Office <script>alert("start")</script>

</style></pre><img src=https://example.com/x onerror=alert(1)> {{ 7 * 7 }} {% raw %}
Escape \x1b[31mred\x1b[0m and half an emoji \ud83d.
Answer in one sentence.
"""
NEEDS = (
    "Name the invoice number.",
    "Give the total with its currency & tax.",
    'Quote the <b>due date</b> as "YYYY-MM-DD".',
    "Say who must approve it.",
)
REPLACED = "Answer in one sentence."
HOSTILE_ID = 'task "7" onmouseover=alert(1) <i>'


class OfficeStudent:
    """Solves a task when the skill holds the sentence the task needs and no `Beware` line."""

    fingerprint = "office-student <1>"

    def __init__(
        self, *, priced: bool = True, dies_after: int | None = None, outages: Sequence[str] = ()
    ) -> None:
        self._priced, self._left, self._outages = priced, dies_after, outages

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise KeyboardInterrupt
        usage = Usage(input_tokens=200, output_tokens=20, usd=0.001 if self._priced else None)
        if task.id in self._outages:
            return Rollout.failed_to_run(task, reason="no answer", usage=usage)
        solved = task.data["need"] in skill.text and "Beware" not in skill.text
        feedback = "" if solved else f"missing: {task.data['need']}"
        return Rollout.scored(task, hard=float(solved), feedback=feedback, usage=usage)


class OfficeTeacher:
    """Proposes what the feedback asks for; at its first question a line that hurts."""

    def __init__(self) -> None:
        self._asked = 0

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        self._asked += 1
        if self._asked == 1:
            return [Edit.append("Beware of <script>alert('edit')</script> everything.")]
        needs = sorted({r.score.feedback.removeprefix("missing: ") for r in evidence if r.score})
        replace = REPLACED in skill.text
        first = Edit.replace(REPLACED, f"Answer in two short sentences. {needs[0]}")
        return [first if replace else Edit.append(needs[0])][:limit]


def office_tasks() -> TaskSet:
    def split(name: str, count: int) -> list[Task]:
        return [Task(f"{name}-{i}", "?", {"need": NEEDS[i % len(NEEDS)]}) for i in range(count)]

    train, selection = split("train", 12), split("selection", 16)
    train[0] = Task(HOSTILE_ID, "?", {"need": NEEDS[0]})
    selection[0] = Task(f"held {HOSTILE_ID}", "?", {"need": NEEDS[0]})
    return TaskSet(train=train, selection=selection, test=split("test", 8))


def train_office(run_dir: Path, *, student: OfficeStudent | None = None, **settings: object) -> None:
    sharpen.train(
        Skill.from_text(HOSTILE_SKILL), office_tasks(), student or OfficeStudent(), OfficeTeacher(),
        sharpen.Budget(rollouts=400), sharpen.TrainSettings(seed=1, **settings), run_dir,  # type: ignore[arg-type]
    )  # fmt: skip


def train_world(name: str, run_dir: Path, *, rollouts: int = 1200, **settings: object) -> None:
    world = World.named(name, seed=1)
    sharpen.train(
        world.skill, world.tasks(test=True), SimulatedStudent(world), SimulatedTeacher(world),
        sharpen.Budget(rollouts=rollouts), sharpen.TrainSettings(seed=1, **settings), run_dir,  # type: ignore[arg-type]
    )  # fmt: skip


KILLED = """
import os, signal, sys
import sharpen
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World

class Dying(SimulatedStudent):
    async def attempt(self, task, skill, *, trial):
        if self.calls >= int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().attempt(task, skill, trial=trial)

world = World.named("slip.1", seed=1)
sharpen.train(
    world.skill, world.tasks(test=True), Dying(world), SimulatedTeacher(world), sharpen.Budget(rollouts=1200),
    sharpen.TrainSettings(seed=1, loop="batch", gate="strict"), sys.argv[1],
)
"""


def kill_run(run_dir: Path, *, after: int) -> None:
    """A run whose process is killed, as by `kill -9`, after so many attempts."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", KILLED, str(run_dir), str(after)], env=environment, check=False)
