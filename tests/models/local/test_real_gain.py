"""The smallest real training there is: a real model, a held-out gain, the same skill every time."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

import sharpen
from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.models import open_model
from sharpen.tasks.formats import FAMILIES, Sizes
from sharpen.train.teacher import PhrasebookTeacher

REPEATS = 2 if os.environ.get("SHARPEN_TEST_FULL") == "1" else 1


async def trained(name: str, sizes: Sizes, rollouts: int) -> sharpen.TrainResult:
    family = FAMILIES[name]
    tasks = family.tasks(0, sizes)
    model = open_model("local:smollm2")
    settings = ChatSettings(max_tokens=family.max_tokens, temperature=0.0)
    try:
        return await sharpen.atrain(
            family.skill,
            tasks,
            ChatStudent(model, family.scorer, settings),
            PhrasebookTeacher(tasks.train),
            sharpen.Budget(rollouts=rollouts),
            sharpen.TrainSettings(),
        )
    finally:
        await model.aclose()


@pytest.mark.slow
def test_a_real_model_gains_on_tasks_it_never_saw(real_cache: Path) -> None:
    results = [
        asyncio.run(trained("year", Sizes(train=6, selection=8, test=10), rollouts=62))
        for _ in range(REPEATS)
    ]
    for result in results:
        assert result.accepted
        assert result.gain is not None
        assert result.gain.low > 0
    assert len({result.skill.digest for result in results}) == 1
