"""A scorer for numbers: within a tolerance of the right one.

The number is the last one in the final answer; thousands separators, signs of money and a per cent sign
are passed over. How far off an answer was is told, the right value is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sharpen.errors import TaskError
from sharpen.tasks.scorers.answers import given_answer, last_number, right_answers
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task


@dataclass(frozen=True)
class Number:
    """`tolerance` is absolute, `relative` a share of the right value; the wider of the two counts."""

    tolerance: float = 1e-9
    relative: float = 0.0

    @property
    def name(self) -> str:
        plain = self == Number()
        return "number@1" if plain else f"number@1({self.tolerance:g}, {self.relative:g})"

    def score(self, task: Task, answer: Answer) -> Score:
        found = last_number(given_answer(answer.text))
        if found is None:
            return Score(0, 0, "there is no number in the answer")
        for right in right_answers(task):
            if math.isclose(found, self._number(task, right), rel_tol=self.relative, abs_tol=self.tolerance):
                return Score(1, 1)
        return Score(0, 0, f"the number {found:g} is not within the tolerance")

    def _number(self, task: Task, right: str) -> float:
        value = last_number(right)
        if value is None:
            raise TaskError(f"task {task.id!r}: its answer {right!r} is not a number, which `number` needs")
        return value
