"""A check in the user's own code: `module:function`, called with the answer's text and the task.

    def check(answer: str, task: sharpen.Task) -> bool | float | tuple[float, str] | sharpen.Score

The function runs in this process, unconfined: it is the user's own and trusted, unlike what an agent wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sharpen.errors import TaskError
from sharpen.tasks.own_code import load_own
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task


@dataclass(frozen=True)
class Function:
    """The function that `spec` names; the module is looked for in the current folder first."""

    spec: str

    @property
    def name(self) -> str:
        return f"python:{self.spec}@1"

    def score(self, task: Task, answer: Answer) -> Score:
        try:
            found = self.function(answer.text, task)
        except Exception as error:
            raise TaskError(
                f"task {task.id!r}: its check {self.spec} failed: {type(error).__name__}: {error}"
            ) from error
        return _as_score(found, f"task {task.id!r}: its check {self.spec}")

    @cached_property
    def function(self) -> Callable[[str, Task], object]:
        found = load_own(self.spec, what="the check")
        if not callable(found):
            raise TaskError(f"the check python:{self.spec} is no function")
        return found


def _as_score(found: object, what: str) -> Score:
    if isinstance(found, Score):
        return found
    value, feedback = found if isinstance(found, tuple) and len(found) == 2 else (found, "")
    if not isinstance(value, (bool, int, float)) or not isinstance(feedback, str):
        raise TaskError(f"{what} must return true or false, a number from 0 to 1, (number, text) or a Score")
    try:
        return Score(float(value == 1), float(value), feedback)
    except ValueError as error:
        raise TaskError(f"{what}: {error}") from None
