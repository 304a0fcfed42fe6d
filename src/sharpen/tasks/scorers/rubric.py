"""Scorers that ask a model: a rubric's criteria one by one, or whether an answer says what is right.

A judge is a measuring instrument with an error of its own; `self_agreement` measures how often it repeats
its own verdict on the same work. A score from a judge that disagrees with itself needs that many more
tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import fmean
from typing import Protocol

from sharpen.errors import SettingsError
from sharpen.models import Model
from sharpen.tasks.prompting import filled, packaged
from sharpen.tasks.scorers.answers import right_answers
from sharpen.tasks.scorers.judging import Judge, as_judge
from sharpen.tasks.scoring import Answer
from sharpen.types import Json, Score, Task

HERE = "sharpen.tasks.scorers"
_CRITERIA: Json = {
    "type": "object",
    "properties": {
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"evidence": {"type": "string"}, "met": {"type": "boolean"}},
                "required": ["evidence", "met"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["criteria"],
    "additionalProperties": False,
}
_GRADES = ("correct", "incorrect", "not_attempted")
_GRADE: Json = {
    "type": "object",
    "properties": {"evidence": {"type": "string"}, "grade": {"type": "string", "enum": list(_GRADES)}},
    "required": ["evidence", "grade"],
    "additionalProperties": False,
}


class Judged(Protocol):
    """A scorer that can be asked the same again."""

    def verdict(self, task: Task, answer: Answer, *, trial: int) -> Score: ...


class _ByModel:
    """What scorers that ask a model have in common."""

    model: Model | Judge

    @cached_property
    def judge(self) -> Judge:
        return as_judge(self.model)

    def asks(self, task: Task) -> bool:
        return True

    def score(self, task: Task, answer: Answer) -> Score:
        return self.verdict(task, answer, trial=1)

    def verdict(self, task: Task, answer: Answer, *, trial: int) -> Score:
        raise NotImplementedError


@dataclass(frozen=True)
class Rubric(_ByModel):
    """Criteria of its own or the task's `data.rubric`; soft is the share met, solved from `threshold` on."""

    model: Model | Judge
    criteria: tuple[str, ...] = ()
    threshold: float = 1.0

    @property
    def name(self) -> str:
        return f"rubric@1({self.judge.model.fingerprint}, {self.threshold:g})"

    def verdict(self, task: Task, answer: Answer, *, trial: int) -> Score:
        criteria = self.criteria or criteria_of(task.data.get("rubric"), f"task {task.id!r}")
        prompt = filled(
            packaged(HERE, "prompts/rubric.md"),
            task=task.prompt,
            reference=str(task.data.get("reference") or task.data.get("answer") or "(none)"),
            criteria="\n".join(f"{number}. {text}" for number, text in enumerate(criteria, 1)),
            answer=answer.text,
        )
        found = self.judge.ask(prompt, _CRITERIA, lambda value: _met(value, len(criteria)), trial=trial)
        missed = [
            f"not met: {text} ({evidence})"
            for text, (met, evidence) in zip(criteria, found, strict=True)
            if not met
        ]
        soft = 1 - len(missed) / len(criteria)
        return Score(float(soft >= self.threshold), soft, "\n".join(missed))


@dataclass(frozen=True)
class Graded(_ByModel):
    """Correct, incorrect or not attempted, decided by a model against the right answer."""

    model: Model | Judge
    label: str = "graded"

    @property
    def name(self) -> str:
        return f"{self.label}@1({self.judge.model.fingerprint})"

    def verdict(self, task: Task, answer: Answer, *, trial: int) -> Score:
        if not answer.text.strip():
            return Score(0, 0, "the answer is empty")
        prompt = filled(
            packaged(HERE, "prompts/grade.md"),
            question=str(task.data.get("question", task.prompt)),
            right=" | ".join(right_answers(task)),
            answer=answer.text,
        )
        grade = self.judge.ask(prompt, _GRADE, _graded, trial=trial)
        if grade == "correct":
            return Score(1, 1)
        return Score(
            0, 0, "no answer was attempted" if grade == "not_attempted" else "the answer is incorrect"
        )


def criteria_of(value: object, where: str) -> tuple[str, ...]:
    """A rubric as its criteria: one text, or a list of them."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, (list, tuple)) or not found:
        raise SettingsError(f"{where}: a rubric is a text or a list of texts, one per criterion")
    if not all(isinstance(one, str) and one.strip() for one in found):
        raise SettingsError(f"{where}: every criterion of a rubric must be a text that is not empty")
    return tuple(found)


def _met(value: object, count: int) -> list[tuple[bool, str]]:
    entries = value["criteria"] if isinstance(value, Mapping) else None
    if not isinstance(entries, list) or len(entries) != count:
        raise ValueError(f"there must be exactly {count} entries in 'criteria'")
    found = [(entry["met"], str(entry.get("evidence", ""))) for entry in entries]
    if not all(isinstance(met, bool) for met, _ in found):
        raise ValueError("'met' must be true or false")
    return found


def _graded(value: object) -> str:
    grade = value["grade"] if isinstance(value, Mapping) else None
    if grade not in _GRADES:
        raise ValueError(f"'grade' must be one of {', '.join(_GRADES)}")
    return str(grade)


# -- how far a judge can be trusted --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two verdicts on the same work agreed on `solved`, and how far apart the soft scores lay."""

    share: float
    soft_gap: float
    works: int
    repeats: int

    def __str__(self) -> str:
        return (
            f"the judge repeated its own verdict {self.share:.0%} of the time "
            f"({self.works} pieces of work, {self.repeats} verdicts each; "
            f"soft scores {self.soft_gap:.3f} apart)"
        )


def self_agreement(scorer: Judged, works: Sequence[tuple[Task, Answer]], *, repeats: int = 5) -> Agreement:
    """Judges each piece of work `repeats` times and compares all pairs of its verdicts."""
    if repeats < 2 or not works:
        raise SettingsError("agreement needs at least two verdicts on at least one piece of work")
    same, gaps = [], []
    for task, answer in works:
        verdicts = [scorer.verdict(task, answer, trial=trial) for trial in range(1, repeats + 1)]
        pairs = list(combinations(verdicts, 2))
        same.append(fmean(one.hard == other.hard for one, other in pairs))
        gaps.append(fmean(abs(one.soft - other.soft) for one, other in pairs))
    return Agreement(fmean(same), fmean(gaps), len(works), repeats)
