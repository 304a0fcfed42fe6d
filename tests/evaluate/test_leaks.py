"""Edits that quote right answers are refused, whoever proposes them; rules that name labels are not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import sharpen
from sharpen import Budget, Edit, Rollout, Skill, Task, TaskSet
from sharpen.evaluate.leaks import Leaks, gold_of

SKILL = Skill.from_text("# Cities\n\nThe capital of France is Paris.\n")


def task(number: int, **data: object) -> Task:
    return Task(f"t{number}", f"Question {number}", data)


CITIES = [task(1, answer="Reykjavik"), task(2, answers=["Lake Ohrid", "Ohrid"]), task(3, answer="Paris")]
CITIES += [task(4, answer="北京清华大学"), task(5, answer="Café Müller")]


@pytest.mark.parametrize(
    ("data", "gold"),
    [
        ({"answer": "x"}, ("x",)),
        ({"answers": ["x", "y", "x"]}, ("x", "y")),
        ({"answer": 1931}, ("1931",)),
        ({"answer": {"b": 1, "a": "x"}}, ('{"a":"x","b":1}',)),
        ({"check": {"kind": "number", "value": 3.25}}, ("3.25",)),
        ({"check": {"kind": "regex", "value": "^a"}}, ()),
        ({"question": "x"}, ()),
        ({"answer": None}, ()),
    ],
)
def test_where_right_answers_are(data: dict[str, object], gold: tuple[str, ...]) -> None:
    assert gold_of(task(1, **data)) == gold


@pytest.mark.parametrize(
    ("content", "leaks"),
    [
        ("- The answer to question 1 is Reykjavik.", "t1"),
        ("- If asked for the lake, say LAKE  OHRID!", "t2"),
        ("- Reykjavikers are not meant.", None),
        ("- Answer with the name of the city alone.", None),
        ("- Paris is in the skill already.", None),
        ("- 答案是北京清华大学。", "t4"),
        ("- Meet at the Cafe\u0301 Mu\u0308ller.", "t5"),
    ],
)
def test_quotations_are_found_by_whole_words(content: str, leaks: str | None) -> None:
    found = Leaks(CITIES).in_edits([Edit.append(content)], SKILL)
    assert [leak.task for leak in found] == ([leaks] if leaks else [])
    assert all(repr(leaks) in Leaks.reason(leak.task) for leak in found)


def test_labels_and_short_answers_are_ordinary_words() -> None:
    labelled = [task(n, answer="spam" if n % 2 else "harmless") for n in range(10)]
    assert not Leaks(labelled).in_edits([Edit.append("- Say spam or harmless.")], SKILL)
    short = [task(1, answer="12"), task(2, answer="yes")]
    assert not Leaks(short).in_edits([Edit.append("- Say yes, or 12.")], SKILL)


class Student:
    """Solves a task when the skill holds its answer."""

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        return Rollout.scored(task, hard=int(str(task.data["answer"]) in skill.text), feedback="wrong")


class Quoting:
    """Proposes the answer itself, and a rule that says nothing about it."""

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        quoted = [Edit.append(f"- {r.task.prompt}: {r.task.data['answer']}") for r in evidence]
        return [*quoted, Edit.append("- Read the question.")][:limit]


@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_a_quoting_teacher_gets_nothing_in_and_the_run_says_so(loop: str) -> None:
    tasks = [task(n, answer=f"secret-{n:03d}") for n in range(40)]
    splits = TaskSet(train=tasks[:12], selection=tasks[12:24], test=tasks[24:])
    heard: list[str] = []
    settings = sharpen.TrainSettings(loop=loop, on_event=lambda kind, data: heard.append(kind))  # type: ignore[arg-type]
    result = sharpen.train(SKILL, splits, Student(), Quoting(), Budget(rollouts=200), settings)
    refused = [edit for entry in result.history if entry["kind"] == "refused" for edit in entry["edits"]]
    assert refused
    assert all("quotes the right answer of task" in edit["reason"] for edit in refused)
    assert "refused" in heard
    assert not any(
        "secret-" in str(entry.get("edits")) for entry in result.history if entry["kind"] != "refused"
    )
    assert not result.accepted


def test_what_was_refused_is_told_to_the_teacher() -> None:
    told: list[str] = []

    class Listening(Quoting):
        async def propose(
            self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
        ) -> list[Edit]:
            told.append(memory)
            return await super().propose(skill, evidence, limit=limit, memory=memory, trial=trial)

    tasks = [task(n, answer=f"secret-{n:03d}") for n in range(40)]
    splits = TaskSet(train=tasks[:12], selection=tasks[12:24], test=tasks[24:])
    sharpen.train(SKILL, splits, Student(), Listening(), Budget(rollouts=200))
    assert any("quotes the right answer of task" in memory for memory in told)


def test_a_teacher_may_declare_that_it_quotes() -> None:
    class Declared(Quoting):
        quotes_answers = True

    tasks = [task(n, answer=f"secret-{n:03d}") for n in range(40)]
    splits = TaskSet(train=tasks[:12], selection=tasks[12:24], test=tasks[24:])
    result = sharpen.train(SKILL, splits, Student(), Declared(), Budget(rollouts=200))
    assert not [entry for entry in result.history if entry["kind"] == "refused"]
