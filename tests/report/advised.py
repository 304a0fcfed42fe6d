"""A batch run with a scripted adviser: two epochs, a slow update, a meta skill."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import sharpen
from sharpen import Edit, Rollout, Skill, Task, TaskSet, Usage
from sharpen.train.settings import BatchSettings
from sharpen.types import Advice, Json

NEEDS = tuple(f"Mind rule {number}." for number in range(4))
GUIDANCE = "Keep every rule in mind at once."


class OfficeClerk:
    """Solves a task when the skill names its rule; tells what it did in ATIF."""

    fingerprint = "office-clerk"

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        solved = task.data["need"] in skill.text
        steps = [
            {"step_id": 1, "source": "user", "message": task.prompt},
            {"step_id": 2, "source": "agent", "message": "done" if solved else "no idea"},
        ]
        return Rollout.scored(
            task,
            hard=float(solved),
            feedback="" if solved else f"missing: {task.data['need']}",
            usage=Usage(input_tokens=100, output_tokens=10, usd=0.001, model="test:student"),
            trajectory={
                "schema_version": "ATIF-v1.8",
                "agent": {"name": "clerk", "version": "1"},
                "steps": steps,
            },
        )


class ScriptedAdviser:
    """One missing rule at a time; guidance and notes at the end of an epoch."""

    fingerprint = "scripted-adviser"

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        said = {rollout.score.feedback for rollout in evidence if rollout.score and rollout.score.feedback}
        return [Edit.append(feedback.removeprefix("missing: ")) for feedback in sorted(said)][:1]

    async def advise(
        self,
        matter: str,
        skill: Skill,
        evidence: Sequence[Rollout],
        *,
        material: Json,
        limit: int,
        memory: str,
        trial: int,
    ) -> Advice:
        answers: dict[str, Json] = {
            "slow update": {"slow_update_content": GUIDANCE, "reasoning": "they were minded one by one"},
            "meta skill": {"meta_skill_content": "One rule per edit works.", "reasoning": "it did"},
        }
        usage = Usage(input_tokens=500, output_tokens=50, usd=0.01, model="test:teacher")
        return Advice(answers.get(matter, {}), usage)


def train_advised(run_dir: Path, *, gated: bool = True) -> None:
    """Two epochs of two steps; tasks whose ids are no file names."""

    def split(name: str, count: int) -> list[Task]:
        return [Task(f"{name}/{n}", "Do it.", {"need": NEEDS[n % len(NEEDS)]}) for n in range(count)]

    tasks = TaskSet(train=split("train", 16), selection=split("selection", 12), test=split("test", 8))
    batch = BatchSettings(epochs=2, batch_size=8, slow_update_gated=gated)
    sharpen.train(
        Skill.from_text("# Office\n"), tasks, OfficeClerk(), ScriptedAdviser(), sharpen.Budget(rollouts=2000),
        sharpen.TrainSettings(seed=1, loop="batch", gate="strict", batch=batch), run_dir,
    )  # fmt: skip
