"""Scorers that compare words: exactly, as a part, by a pattern.

What they tell the teacher never holds the right answer itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sharpen.tasks.scorers.answers import right_answers, wanted
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task


@dataclass(frozen=True)
class Exact:
    """Character by character, white space at both ends aside."""

    name: str = "exact@1"

    def score(self, task: Task, answer: Answer) -> Score:
        rights, text = [right.strip() for right in right_answers(task)], answer.text.strip()
        if text in rights:
            return Score(1, 1)
        if not text:
            return Score(0, 0, "the answer is empty")
        if any(right and right in text for right in rights):
            return Score(0, 0.5, "the right answer is there, with other text around it")
        return Score(0, 0, "the answer is wrong")


@dataclass(frozen=True)
class Contains:
    """Somewhere in the answer, as words of their own, in any case."""

    name: str = "contains@1"

    def score(self, task: Task, answer: Answer) -> Score:
        for right in right_answers(task):
            if re.search(rf"(?<!\w){re.escape(right.strip())}(?!\w)", answer.text, re.IGNORECASE):
                return Score(1, 1)
        return Score(0, 0, "the answer does not hold what was asked for")


@dataclass(frozen=True)
class Regex:
    """`data.pattern` is found in the answer; anchor it with ^ and $ when it must be all of it."""

    name: str = "regex@1"

    def score(self, task: Task, answer: Answer) -> Score:
        pattern = str(wanted(task, "pattern"))
        if re.search(pattern, answer.text.strip()):
            return Score(1, 1)
        return Score(0, 0, "the answer does not have the form that was asked for")
