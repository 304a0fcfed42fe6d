"""SkillOpt's adapters as students: scores are theirs, errors are never scores, training with one works."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

import sharpen
from sharpen.agents import AdapterStudent, open_student
from sharpen.errors import SettingsError, TaskError
from sharpen.skills import Edit, Skill
from sharpen.traces import from_json
from sharpen.types import Rollout

from .adapters import RULES

POLITE, PLAIN = "skillopt:agents.adapters:PoliteAdapter", "skillopt:agents.adapters:PlainAdapter"
SKILL = Skill.from_text("# Manners\n- Say please.\n")


def student(name: str, **options: object) -> AdapterStudent:
    found = open_student(name, "exact", options)
    assert isinstance(found, AdapterStudent)
    return found


def attempt(found: AdapterStudent, at: int = 0, split: str = "train") -> Rollout:
    task = getattr(found.tasks, split)[at]
    return asyncio.run(found.attempt(task, SKILL, trial=3))


def test_items_of_the_loader_are_the_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    found = student(POLITE)
    assert [task.id for task in found.tasks.selection] == ["val-0", "val-1", "val-2", "val-3"]
    assert found.tasks.train[1].prompt == "Is train 1 polite?"
    assert found.tasks.train[1].data["needs"] == "b"
    assert capsys.readouterr().out == ""  # what loaders print is no result


def test_an_attempt_is_a_rollout_of_one_item() -> None:
    found = student(POLITE)
    solved, failed = attempt(found), attempt(found, 1)
    assert (solved.outcome, failed.outcome) == ("solved", "failed")
    assert failed.score is not None
    assert failed.score.feedback == "missing: Say thanks."
    adapter = found._adapter
    assert adapter.told == {"use_eval_feedback": True}
    attempt(found, split="test")
    assert adapter.told == {}
    assert [(phase, seed) for phase, seed, _ in adapter.seen] == [("train", 3), ("train", 3), ("eval", 3)]


def test_the_conversation_is_the_trajectory() -> None:
    rollout = attempt(student(POLITE))
    assert rollout.trajectory is not None
    steps = from_json(rollout.trajectory).steps
    assert [step.source for step in steps] == ["agent", "agent", "agent", "system"]
    assert steps[1].tool_calls[0].arguments == {"cmd": "ls"}
    assert steps[1].results[0].content == "notes.txt"
    assert (steps[2].message, steps[2].reasoning_content) == ("open notes", "why not")
    assert steps[2].results[0].content == "it opens"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("dead", "the agent did not run: error: 401"),
        ("late", "the agent did not run: task-timeout-600s"),
        ("odd", "no hard from 0 to 1 but 7"),
        ("error", "the sandbox broke"),
        ("stray", "gave no row for 'train-1' but for train-0; build_env_from_batch must take"),
    ],
)
def test_a_row_that_measured_nothing_is_an_error(how: str, said: str) -> None:
    rollout = attempt(student(POLITE, misbehave=how), 1)
    assert rollout.outcome == "error"
    assert rollout.score is None
    assert said in rollout.error


def test_an_adapter_that_raises_measured_nothing() -> None:
    with pytest.raises(RuntimeError, match="the model is not there"):
        attempt(student(POLITE, misbehave="raise"))


def test_a_plain_adapter_needs_no_loader() -> None:
    found = student(PLAIN)
    assert [len(found.tasks.split(name)) for name in ("train", "selection", "test")] == [3, 3, 3]
    rollout = attempt(found)
    assert rollout.outcome == "failed"  # solved is 1 and nothing else
    assert rollout.score is not None
    assert (rollout.score.hard, rollout.score.soft) == (0.5, 0.25)
    assert rollout.trajectory is None


def test_options_are_the_adapters_own_and_part_of_its_name() -> None:
    few = student(POLITE, limit="2")
    assert len(few.tasks.train) == 2
    assert few.fingerprint != student(POLITE).fingerprint
    with pytest.raises(SettingsError, match="takes no option 'limits'; it takes limit, misbehave"):
        student(POLITE, limits=2)


def test_what_is_no_adapter_is_refused() -> None:
    with pytest.raises(SettingsError, match="is no EnvAdapter of SkillOpt: it has no build_train_env"):
        student("skillopt:agents.adapters:Loader")
    with pytest.raises(SettingsError, match="cannot be loaded: AttributeError"):
        student("skillopt:agents.adapters:Gone")
    with pytest.raises(SettingsError, match="is named MODULE:OBJECT"):
        student("skillopt:adapters")
    with pytest.raises(TaskError, match="does not say which items its train split has"):
        _ = student("skillopt:agents.adapters:Simulator").tasks


class Teacher:
    """Reads what was missing, and says so."""

    fingerprint = "reads feedback"

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        said = {r.score.feedback.removeprefix("missing: ") for r in evidence if r.score and r.score.feedback}
        return [Edit.append(f"- {rule}") for rule in sorted(said)]


def test_a_skill_is_trained_with_an_adapter() -> None:
    found = student(POLITE, limit=8)
    result = sharpen.train(
        skill=Skill.from_text("# Manners\n"),
        tasks=found.tasks,
        student=found,
        teacher=Teacher(),
        budget=sharpen.Budget(rollouts=400),
        settings=sharpen.TrainSettings(seed=1),
    )
    assert all(rule in result.skill.text for rule in RULES.values())
    assert result.test is not None
    assert result.test.mean == 1
