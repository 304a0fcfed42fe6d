"""A whole training run through a faulty server decides what it decides through a good one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import sharpen
from faults import Fault, FaultServer, Plan, Seen, always, ok, random_faults, status
from models.servers import QUICK
from sharpen.models import Kept, Model, Request, open_model
from sharpen.store import MemoryStore
from sharpen.types import CallLog

RULES = ["Quote every shell variable.", "Run the tests before a commit.", "Name the units."]
TASKS = [sharpen.Task(f"t{n}", data={"rule": RULES[n % 3]}) for n in range(60)]
SPLITS = sharpen.TaskSet(train=TASKS[:20], selection=TASKS[20:40], test=TASKS[40:])
START = sharpen.Skill.from_text("# Work\n")


class Student:
    """Asks the model, which obeys a rule exactly when the skill in the system prompt holds it."""

    fingerprint = "student"

    def __init__(self, model: Model) -> None:
        self.model = model

    async def attempt(self, task: sharpen.Task, skill: sharpen.Skill, *, trial: int) -> sharpen.Rollout:
        rule = task.data["rule"]
        answer = await self.model.complete(
            Request.of(f"{task.id} obey: {rule}", system=skill.text), trial=trial
        )
        return sharpen.Rollout.scored(
            task, hard=int(answer.text == "obeyed"), feedback=rule, usage=answer.usage
        )


class Teacher:
    fingerprint = "teacher"

    async def propose(
        self,
        skill: sharpen.Skill,
        evidence: Sequence[sharpen.Rollout],
        *,
        limit: int,
        memory: str,
        trial: int,
    ) -> list[sharpen.Edit]:
        return [sharpen.Edit.append(f"- {r.score.feedback}") for r in evidence[:limit] if r.score]


def reply(seen: Seen) -> str:
    system, question = (str(message["content"]) for message in seen.body["messages"])
    return "obeyed" if question.partition("obey: ")[2] in system else "forgot"


def trained(plan: Plan, log: CallLog, run_dir: Path | None = None, attempts: int = 8) -> sharpen.TrainResult:
    async def run(server: FaultServer) -> sharpen.TrainResult:
        settings = replace(QUICK, base_url=server.v1, max_attempts=attempts)
        model = Kept(open_model("compatible:m", settings, environ={}), log)
        try:
            return await sharpen.atrain(
                START,
                SPLITS,
                Student(model),
                Teacher(),
                sharpen.Budget(rollouts=600),
                sharpen.TrainSettings(seed=3),
                run_dir,
            )
        finally:
            await model.aclose()

    with FaultServer(plan, reply=reply) as server:
        return asyncio.run(run(server))


def test_thirty_percent_faults_change_no_decision() -> None:
    clean = trained(always(ok()), MemoryStore())
    faulty = trained(random_faults(0.3, seed=11), MemoryStore())
    assert clean.accepted
    assert faulty.skill.digest == clean.skill.digest
    assert faulty.history == clean.history
    assert faulty.rollouts == clean.rollouts


def test_a_server_that_stays_down_ends_the_run_and_the_same_again_goes_on(tmp_path: Path) -> None:
    log, arrived = MemoryStore(), 0

    def dies(seen: Seen) -> Fault:
        nonlocal arrived
        arrived += 1
        return ok() if arrived <= 40 else status(503)

    with pytest.raises(sharpen.ProviderError) as caught:
        trained(dies, log, tmp_path / "run", attempts=2)
    assert caught.value.exit_code == 3
    resumed = trained(always(ok()), log, tmp_path / "run")
    assert resumed.skill.digest == trained(always(ok()), MemoryStore()).skill.digest
