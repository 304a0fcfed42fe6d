"""Two wordings of one rule: each is superfluous beside the other, and yet not both may go."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import sharpen

WORDINGS = ("Answer with the year alone.", "Give only the year, nothing else.")


class EitherWillDo:
    """Solves a task when the skill holds one of the wordings, and slips in one attempt of nine."""

    async def attempt(self, task: sharpen.Task, skill: sharpen.Skill, *, trial: int) -> sharpen.Rollout:
        slips = (int(task.id) * 7 + trial * 5) % 9 == 0
        knows = any(wording in skill.text for wording in WORDINGS)
        return sharpen.Rollout.scored(task, hard=int(knows and not slips), feedback="too long")


class TwoMinds:
    """Half of the tasks make it say the rule one way, half the other."""

    async def propose(
        self,
        skill: sharpen.Skill,
        evidence: Sequence[sharpen.Rollout],
        *,
        limit: int,
        memory: Sequence[str],
        trial: int,
    ) -> list[sharpen.Edit]:
        return [sharpen.Edit.append(f"- {WORDINGS[int(evidence[0].task.id) % 2]}")]


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("seed", range(8))
def test_one_of_two_wordings_stays(seed: int, lanes: int) -> None:
    tasks = [sharpen.Task(str(n)) for n in range(60)]
    splits = sharpen.TaskSet(train=tasks[:16], selection=tasks[16:36], test=tasks[36:])
    settings = sharpen.TrainSettings(seed=seed, lanes=lanes)
    start = sharpen.Skill.from_text("# Years\n")
    result = sharpen.train(
        start, splits, EitherWillDo(), TwoMinds(), sharpen.Budget(rollouts=400), settings=settings
    )
    assert result.accepted
    assert any(wording in result.skill.text for wording in WORDINGS)
