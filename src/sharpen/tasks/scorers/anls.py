"""ANLS, the score of document questions: how close the answer's spelling is to the nearest right one.

One minus the edit distance over the longer length, and 0 when that falls under one half (Biten et al. 2019,
section 4). Case and runs of white space do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

from sharpen.tasks.scorers.answers import final_answer, right_answers
from sharpen.tasks.scorers.overlap import best
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

SOLVED = 0.999
"""From here on an answer counts as right."""


def edit_distance(one: str, other: str) -> int:
    """Insertions, deletions and substitutions from one text to the other (Levenshtein)."""
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, theirs in enumerate(other, 1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != theirs)))
        above = line
    return above[-1]


def anls(found: str, right: str, threshold: float = 0.5) -> float:
    """The similarity of two spellings, 0 under the threshold."""
    ours, theirs = (" ".join(text.lower().split()) for text in (found, right))
    longer = max(len(ours), len(theirs))
    similarity = 1.0 if longer == 0 else 1 - edit_distance(ours, theirs) / longer
    return similarity if similarity >= threshold else 0.0


@dataclass(frozen=True)
class Anls:
    """Soft is ANLS over the right answers; solved when it is 1."""

    name: str = "anls@1"

    def score(self, task: Task, answer: Answer) -> Score:
        found = final_answer(answer.text)
        soft = best(found, right_answers(task), anls)
        if soft >= SOLVED:
            return Score(1, 1)
        said = "is spelled almost right" if soft else "is far from the right one"
        return Score(0, soft, f"the answer {said}" if found else "the answer is empty")
