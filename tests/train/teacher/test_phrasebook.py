"""The built-in teacher: deterministic, general, and never one that gives an answer away."""

from __future__ import annotations

import asyncio

import pytest

import sharpen
from sharpen import Edit, Rollout, Skill, Task
from sharpen.tasks.formats import FAMILIES, Feedback, Sizes
from sharpen.train.teacher import PhrasebookTeacher
from sharpen.types import Teacher

TASKS = FAMILIES["year"].tasks(0, Sizes(train=8, selection=8, test=1))
SKILL = Skill.from_text("# Questions\n")


def failed(task: Task, fault: str = "surrounded", feedback: str | None = None) -> Rollout:
    said = f"wanted: a purple number\nfault: {fault}\nsaw: hm" if feedback is None else feedback
    return Rollout.scored(task, hard=0, feedback=said)


def proposed(
    *evidence: Rollout, skill: Skill = SKILL, memory: str = "", trial: int = 1, limit: int = 4
) -> list[Edit]:
    teacher = PhrasebookTeacher(TASKS.train)
    return asyncio.run(teacher.propose(skill, evidence, limit=limit, memory=memory, trial=trial))


def everything_said(evidence: Rollout) -> list[str]:
    """Ask until nothing new comes, refusing each line."""
    lines: list[str] = []
    while edits := proposed(evidence, memory="\n".join(lines)):
        lines += [edit.content for edit in edits]
    return lines


def test_it_is_a_teacher_without_cost() -> None:
    assert isinstance(PhrasebookTeacher(), Teacher)
    edits = proposed(failed(TASKS.train[0]))
    assert edits.usage.calls == 0  # type: ignore[attr-defined]
    assert edits.usage.tokens == 0  # type: ignore[attr-defined]


def test_the_same_question_gets_the_same_edits() -> None:
    assert proposed(failed(TASKS.train[0])) == proposed(failed(TASKS.train[0]))


def test_another_trial_or_task_begins_elsewhere() -> None:
    first = {proposed(failed(TASKS.train[0]), trial=trial)[0].content for trial in range(1, 9)}
    others = {proposed(failed(task))[0].content for task in TASKS.train}
    assert len(first) > 1
    assert len(others) > 1


def test_rules_are_made_of_what_the_verifier_wants() -> None:
    lines = everything_said(failed(TASKS.train[0]))
    assert any("a purple number" in line for line in lines)
    assert len(set(lines)) == len(lines) > 4


def test_no_example_gives_the_failed_task_away() -> None:
    for task in TASKS.train:
        lines = everything_said(failed(task))
        assert any(line.startswith("- Example: Q:") for line in lines)
        assert not any(str(task.data["answer"]) in line for line in lines)


def test_examples_come_from_other_evidence_too() -> None:
    one, other = TASKS.selection[:2]
    teacher = PhrasebookTeacher()
    lines: list[str] = []
    while edits := asyncio.run(
        teacher.propose(SKILL, [failed(one), failed(other)], limit=4, memory="\n".join(lines), trial=1)
    ):
        lines += [edit.content for edit in edits]
    assert any(str(other.data["answer"]) in line for line in lines)


def test_what_the_skill_says_already_is_not_proposed() -> None:
    known = everything_said(failed(TASKS.train[0]))
    assert proposed(failed(TASKS.train[0]), skill=Skill.from_text("\n".join(known))) == []


def test_an_answer_the_verifier_never_saw_is_helped_by_the_tasks_own_words() -> None:
    (edit,) = proposed(failed(TASKS.train[1], feedback="the answer was cut off at 8 tokens"))
    assert edit.content.startswith("- ")


@pytest.mark.parametrize("feedback", ["", "no", "wanted: x", "fault: surrounded"])
def test_feedback_in_other_words_gets_no_edit(feedback: str) -> None:
    assert proposed(failed(Task("t", "?"), feedback=feedback)) == []


def test_errors_and_solved_tasks_teach_nothing() -> None:
    broken = Rollout.failed_to_run(TASKS.train[0], reason="down")
    solved = Rollout.scored(TASKS.train[0], hard=1)
    assert proposed(broken, solved) == []


def test_never_more_than_asked_for() -> None:
    assert len(proposed(*(failed(task) for task in TASKS.train), limit=2)) <= 2


def test_every_fault_has_a_remedy() -> None:
    for fault in ("nothing", "surrounded", "misshapen", "wrong", "not json", "wrong keys"):
        assert Feedback.parse(f"wanted: x\nfault: {fault}") is not None
        assert proposed(failed(TASKS.train[0], fault))


def test_other_examples_are_another_teacher() -> None:
    assert PhrasebookTeacher(TASKS.train).fingerprint != PhrasebookTeacher().fingerprint
    assert PhrasebookTeacher(TASKS.train).fingerprint == PhrasebookTeacher(TASKS.train).fingerprint


class Pedant:
    """A student that does as told once a rule names the form, and chatters until then."""

    fingerprint = "pedant"

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        obeys = "Answer with only exactly four digits." in skill.text
        if obeys:
            return Rollout.scored(task, hard=1)
        return failed(task, feedback=str(Feedback("exactly four digits", "surrounded", "It was 1931.")))


def test_a_training_run_finds_the_line_that_works() -> None:
    tasks = FAMILIES["year"].tasks(0, Sizes(train=10, selection=10, test=10))
    result = sharpen.train(
        FAMILIES["year"].skill,
        tasks,
        Pedant(),
        PhrasebookTeacher(tasks.train),
        sharpen.Budget(rollouts=150),
        sharpen.TrainSettings(seed=1),
    )
    assert result.accepted
    assert "- Answer with only exactly four digits." in result.skill.text
    assert result.gain is not None
    assert result.gain.mean == 1.0
