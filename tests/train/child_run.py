"""A training run in a process of its own, to be killed. Started by tests; not collected.

child_run.py SCENARIO FOLDER LOG

Prints "ready" before the folder is opened and the result as one line of JSON at the end. Every call is noted
in LOG when it begins and right before its answer is returned, one line each, written at once:
`begin|end attempt SKILL TASK TRIAL` or `begin|end proposal QUESTION - TRIAL`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sharpen
from sharpen import Budget, Edit, Rollout, SharpenError, Skill, Task, TrainResult, TrainSettings
from sharpen.evaluate import Question
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, Spec, World, uniform
from sharpen.train import BatchSettings

CONCURRENCY = 4
SECONDS = 0.004
"""Longest attempt; a teacher takes twice as long."""
CRISP = Spec(slip=0.1, errors=0.05, bundle=2, rules=6, traps=6, train=24, selection=10, test=10)
"""A small noisy world in which lanes, vetting and the gate have work to do."""
DIFFUSE = Spec(diffuse=1.0, blind=True, neutral=0.3, rules=8, traps=8, train=24, selection=16)
"""A small world in which the group test and the pooled phase have."""


@dataclass(frozen=True)
class Scenario:
    """What is trained. It takes about a second when nobody interrupts it."""

    spec: Spec
    rollouts: int
    loop: str = "draft"

    def world(self) -> World:
        return World(self.spec, seed=1)

    def train(
        self,
        folder: Path | None,
        student: SimulatedStudent | None = None,
        teacher: SimulatedTeacher | None = None,
    ) -> TrainResult:
        world = self.world()
        return sharpen.train(
            world.skill,
            world.tasks(test=not self.spec.diffuse),
            student or SimulatedStudent(world),
            teacher or SimulatedTeacher(world),
            Budget(rollouts=self.rollouts),
            TrainSettings(
                seed=1,
                loop="batch" if self.loop == "batch" else "draft",
                lanes=3,
                batch=BatchSettings(batch_size=16),
                concurrency=CONCURRENCY,
            ),
            folder,
        )


SCENARIOS = {
    "draft": Scenario(CRISP, 400),
    "batch": Scenario(CRISP, 400, loop="batch"),
    "pooled": Scenario(DIFFUSE, 700),
}


class Log:
    """Lines that are in the file when `note` returns, whatever happens to the process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(self, *words: object) -> None:
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


class LoggedStudent(SimulatedStudent):
    """Takes real time and notes its attempts."""

    def __init__(self, world: World, log: Log) -> None:
        super().__init__(world)
        self._log = log

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        key = ("attempt", skill.digest, task.id, trial)
        self._log.note("begin", *key)
        await asyncio.sleep(SECONDS * uniform(os.getpid(), *key))
        rollout = await super().attempt(task, skill, trial=trial)
        self._log.note("end", *key)
        return rollout


class LoggedTeacher(SimulatedTeacher):
    """The same for proposals."""

    def __init__(self, world: World, log: Log) -> None:
        super().__init__(world)
        self._log = log

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        key = ("proposal", Question(skill, tuple(evidence), limit, memory).digest, "-", trial)
        self._log.note("begin", *key)
        await asyncio.sleep(2 * SECONDS * uniform(os.getpid(), *key))
        edits = await super().propose(skill, evidence, limit=limit, memory=memory, trial=trial)
        self._log.note("end", *key)
        return edits


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(name: str, folder: str, log_path: str) -> None:
    scenario, log = SCENARIOS[name], Log(Path(log_path))
    world = scenario.world()
    say("ready")
    result = scenario.train(Path(folder), LoggedStudent(world, log), LoggedTeacher(world, log))
    say(json.dumps(result.as_json()))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SharpenError as error:
        say(f"{type(error).__name__}: {error}")
        sys.exit(error.exit_code)
