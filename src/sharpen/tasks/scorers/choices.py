"""A scorer for multiple choice: the label that the answer names, or the words of its option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sharpen.errors import TaskError
from sharpen.tasks.scorers.answers import choice_of, wanted
from sharpen.tasks.scoring import Answer, Scorer
from sharpen.types import Score, Task


@dataclass(frozen=True)
class Choice:
    """`data.choices` maps labels to options, `data.answer` is the right label."""

    name: str = "choice@1"

    def score(self, task: Task, answer: Answer) -> Score:
        choices = wanted(task, "choices")
        if not isinstance(choices, Mapping):
            raise TaskError(f"task {task.id!r}: data.choices must map labels to options")
        named = choice_of(answer.text, {str(label): str(words) for label, words in choices.items()})
        if not named:
            return Score(0, 0, f"the answer names none of the choices {', '.join(map(str, choices))}")
        right = str(wanted(task, "answer"))
        return Score(1, 1) if named.casefold() == right.casefold() else Score(0, 0, f"{named} is wrong")


@dataclass(frozen=True)
class LabelOr:
    """The right label for a choice; anything else is left to the other scorer."""

    other: Scorer
    name: str

    def score(self, task: Task, answer: Answer) -> Score:
        return (Choice() if "choices" in task.data else self.other).score(task, answer)
