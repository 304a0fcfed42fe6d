"""Runs in which something goes wrong: outages, cancelled teachers, early ends, candidates seen before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import sharpen
from sharpen import (
    BatchSettings,
    Budget,
    Edit,
    ModelError,
    ProviderError,
    Rollout,
    Skill,
    Task,
    TrainSettings,
    Usage,
)
from sharpen.evaluate import Proposal
from sharpen.store import SqliteStore
from sharpen.train.batch.items import items_of
from sharpen.train.batch.schedule import edit_budget

from .classroom import KINDS, START, Master, Pupil, classroom, of_kind, rule, train

QUIET: dict[str, Any] = {"slow_update": {"slow_update_content": ""}, "meta_skill": {"meta_skill_content": ""}}


def settings(**batch: Any) -> TrainSettings:
    return TrainSettings(
        loop="batch", batch=BatchSettings(**{"batch_size": 10, "failure_only": True, **batch})
    )


def test_a_run_that_ends_early_leaves_nothing_running(tmp_path: Path) -> None:
    """The first reflection finds the key wrong while others are on their way: they end with the run."""
    finished: list[str] = []

    class Refused(Master):
        async def propose(self, skill: Skill, evidence: Sequence[Rollout], **more: Any) -> list[Edit]:
            if not self.asked["edits"]:
                self.asked["edits"] += 1
                raise ModelError("the key is wrong")
            await asyncio.sleep(0.05)
            finished.append("teacher")
            return []

    async def go() -> None:
        with pytest.raises(ModelError):
            await sharpen.atrain(
                START,
                classroom(),
                Pupil(),
                Refused(),
                Budget(rollouts=500),
                settings(minibatch=2),
                tmp_path / "run",
            )
        assert len(asyncio.all_tasks()) == 1
        await asyncio.sleep(0.1)

    asyncio.run(go(), debug=False)
    assert not finished


def test_tasks_that_cannot_be_measured_are_not_solved() -> None:
    class Broken(Pupil):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if int(task.data["kind"]) == 4 and task.id.startswith("train"):
                return Rollout.failed_to_run(task, reason="no such place")
            return await super().attempt(task, skill, trial=trial)

    result = sharpen.train(
        START,
        classroom(),
        Broken(),
        Master(**QUIET),
        Budget(rollouts=900),
        settings(merging="plain", epochs=3),
    )
    assert result.reason == "epochs"


def test_a_gate_that_could_not_measure_does_not_end_the_run() -> None:
    class Deaf(Pupil):
        """Two of three selection tasks are out of reach."""

        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            split, _, number = task.id.partition("-")
            if split == "selection" and int(number) % 3:
                return Rollout.failed_to_run(task, reason="no such place")
            return await super().attempt(task, skill, trial=trial)

    result = sharpen.train(
        START,
        classroom(),
        Deaf(),
        Master(**QUIET),
        Budget(rollouts=2500),
        settings(merging="plain", epochs=2, gate_width=1),
    )
    assert [step["action"] for step in of_kind(result, "step")].count("skip_no_decision") >= 2
    assert result.reason == "epochs"


def test_going_back_to_an_earlier_version_does_not_unmake_it(tmp_path: Path) -> None:
    """A line that came in is proposed to be taken out again: the candidate equals the starting skill."""

    class Fickle(Master):
        async def propose(self, skill: Skill, evidence: Sequence[Rollout], **more: Any) -> list[Edit]:
            first = rule(0)
            return [Edit.delete(first)] if first in skill.text else [Edit.append(first)]

    run = tmp_path / "run"
    train(Fickle(**QUIET), run_dir=run, merging="plain", epochs=1)
    store = SqliteStore.read(run)
    statuses = [version.status for version in store.versions()]
    store.close()
    assert statuses == ["start", "accepted"]
    assert (run / "skills" / "skill_v0000.md").is_file()


def test_edits_from_the_history_are_checked_for_right_answers() -> None:
    tasks = classroom()
    for task in tasks.train:
        task.data["answer"] = f"secret-{task.id}"  # type: ignore[index]
    leak = Edit.append("- Say secret-train-3.").to_json()
    teacher = Master(**QUIET, meta_reflect={"edits": [leak]})
    result = sharpen.train(
        START,
        tasks,
        Pupil(),
        teacher,
        Budget(rollouts=900),
        settings(epochs=1, merging="plain", meta_reflect=True),
    )
    assert "secret-train-3" not in result.skill.text
    assert any("secret-train-3" in str(entry["edits"]) for entry in of_kind(result, "refused"))


def test_a_teacher_that_lets_a_cancellation_out_is_an_unusable_answer() -> None:
    class Flighty(Master):
        async def propose(self, skill: Skill, evidence: Sequence[Rollout], **more: Any) -> list[Edit]:
            self.asked["edits"] += 1
            if self.asked["edits"] == 2:
                raise asyncio.CancelledError
            return await super().propose(skill, evidence, **more)

    result = train(Flighty(**QUIET), merging="plain", epochs=6)
    assert all(rule(kind) in result.skill.text for kind in range(KINDS))


def test_what_a_failed_call_cost_is_charged() -> None:
    class Costly(Pupil):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if trial == 1 and task.id.startswith("train"):
                error = ProviderError("gone in the middle")
                error.usage = Usage(80, 20)
                raise error
            return await super().attempt(task, skill, trial=trial)

    pupil = Costly()
    result = sharpen.train(
        START, classroom(), pupil, Master(**QUIET), Budget(rollouts=300), settings(merging="plain", epochs=1)
    )
    failed = sum(
        row["trial"] > 1 for step in of_kind(result, "step") for b in step["batches"] for row in b["rows"]
    )
    assert failed
    assert result.spent["tokens"] >= failed * 100


def test_a_stated_support_is_kept_however_small() -> None:
    edits = (Edit("append", content="- a", support_count=1), Edit("append", content="- b", support_count=7))
    found = items_of("edits", Proposal(edits), support=8, source="failure")
    assert [item["support_count"] for item in found] == [1, 7]


def test_a_single_step_may_use_the_whole_edit_budget() -> None:
    assert edit_budget(BatchSettings(), 1, 1) == 4
    assert [edit_budget(BatchSettings(), k, 8) for k in range(1, 9)] == [4, 4, 3, 3, 3, 2, 2, 2]
