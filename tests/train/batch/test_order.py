"""Who answers first changes nothing: not the minibatches, not the merges, not the gate, not the spend."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

import sharpen
from clock import run_virtual
from sharpen import BatchSettings, Budget, Edit, Rollout, Skill, Task, TrainResult, TrainSettings
from sharpen.simulate import uniform
from sharpen.types import Advice, Json

from .classroom import START, Master, Pupil, classroom


class LatePupil(Pupil):
    """Takes its time, and in one attempt of ten measures nothing."""

    def __init__(self, salt: int) -> None:
        super().__init__()
        self.salt = salt

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        await asyncio.sleep(uniform(self.salt, task.id, skill.digest, trial))
        if uniform("outage", task.id, skill.digest, trial) < 0.1:
            return Rollout.failed_to_run(task, reason="server busy")
        return await super().attempt(task, skill, trial=trial)


class LateMaster(Master):
    """The same for a teacher that merges and ranks."""

    def __init__(self, salt: int) -> None:
        super().__init__(
            merge=lambda skill, evidence, material: {
                "items": [{**item, "sources": [i]} for i, item in enumerate(material["items"])],
                "reasoning": "",
            },
            rank=lambda skill, evidence, material: {"selected_indices": [0, 1, 2], "reasoning": ""},
            slow_update={"slow_update_content": "Stay calm."},
            meta_skill={"meta_skill_content": "Look twice."},
        )
        self.salt = salt

    async def propose(self, skill: Skill, evidence: Sequence[Rollout], **more: Any) -> list[Edit]:
        await asyncio.sleep(3 * uniform(self.salt, skill.digest, evidence[0].task.id))
        return await super().propose(skill, evidence, **more)

    async def advise(self, matter: str, skill: Skill, evidence: Sequence[Rollout], **more: Any) -> Advice:
        await asyncio.sleep(3 * uniform(self.salt, skill.digest, matter, len(str(more["material"]))))
        return await super().advise(matter, skill, evidence, **more)


def train(salt: int, concurrency: int, budget: Budget, **batch: Any) -> TrainResult:
    settings = TrainSettings(
        loop="batch",
        concurrency=concurrency,
        batch=BatchSettings(
            **{"epochs": 2, "batch_size": 12, "minibatch": 3, "merge_batch": 2, "gate_width": 4, **batch}
        ),
    )
    run = sharpen.atrain(START, classroom(train=24), LatePupil(salt), LateMaster(salt), budget, settings)
    result, _ = run_virtual(run)
    return result


def told(result: TrainResult) -> Json:
    return {"skill": result.skill.text, "history": result.history, "rollouts": result.rollouts}


@pytest.mark.parametrize("budget", [Budget(rollouts=900), Budget(rollouts=170), Budget(calls=260)], ids=str)
@pytest.mark.parametrize("merging", ["model", "auto"])
def test_the_same_whatever_the_order(budget: Budget, merging: str) -> None:
    first = told(train(1, 16, budget, merging=merging, failure_only=False, learning_rate=3))
    assert first["rollouts"] <= (budget.rollouts or budget.calls or 0)
    for salt, concurrency in ((2, 16), (3, 3), (1, 1), (4, 64)):
        again = told(train(salt, concurrency, budget, merging=merging, failure_only=False, learning_rate=3))
        assert again == first, (salt, concurrency)
