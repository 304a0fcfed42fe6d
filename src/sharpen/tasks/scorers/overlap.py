"""Token overlap as SQuAD measures it: exact match and F1 after normalisation.

Lower case, no punctuation, no English articles, single spaces (Rajpurkar et al. 2016). The best of several
right answers counts. The functions are shared by the suites whose scores rest on them.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sharpen.tasks.scorers.answers import final_answer, right_answers
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: str) -> str:
    """The text as SQuAD compares it."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def token_f1(found: str, right: str, normal: Callable[[str], str] = normalised) -> float:
    """The harmonic mean of precision and recall over tokens, counted with repetition."""
    ours, theirs = normal(found).split(), normal(right).split()
    if not ours or not theirs:
        return float(ours == theirs)
    common = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * common / (len(ours) + len(theirs))


def best(found: str, rights: Iterable[str], measure: Callable[[str, str], float]) -> float:
    """The highest value over several right answers."""
    return max((measure(found, right) for right in rights), default=0.0)


@dataclass(frozen=True)
class F1:
    """Solved when F1 reaches the threshold; soft is F1 itself. At 1 this is exact match of tokens."""

    threshold: float = 1.0

    @property
    def name(self) -> str:
        return "f1@1" if self.threshold == 1 else f"f1@1({self.threshold:g})"

    def score(self, task: Task, answer: Answer) -> Score:
        found = final_answer(answer.text)
        soft = best(found, right_answers(task), token_f1)
        if soft >= self.threshold:
            return Score(1, soft)
        said = (
            "shares no word with the right one" if soft == 0 else f"overlaps with the right one by {soft:.2f}"
        )
        return Score(0, soft, f"the answer {said}" if found else "the answer is empty")


@dataclass(frozen=True)
class TokenMatch:
    """Solved when the normalised texts are the same; soft is F1. What many benchmarks report as EM and F1."""

    name: str
    normal: Callable[[str], str] = normalised

    def score(self, task: Task, answer: Answer) -> Score:
        found, rights = final_answer(answer.text), right_answers(task)
        if not found:
            return Score(0, 0, "the answer is empty")
        if self.normal(found) in map(self.normal, rights):
            return Score(1, 1)
        soft = best(found, rights, lambda ours, theirs: token_f1(ours, theirs, self.normal))
        said = (
            "shares no word with the right one" if soft == 0 else f"overlaps with the right one by {soft:.2f}"
        )
        return Score(0, soft, f"the answer {said}")
