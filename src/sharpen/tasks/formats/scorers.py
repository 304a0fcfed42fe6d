"""Verifiers of the families: strict about the form, and able to say what was wrong with an answer.

They read the right answer from the task's data and nothing from anywhere else. White space at both ends does
not count; everything else does, because what reads the answer next is a program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from sharpen.tasks.formats.feedback import Fault, Feedback
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

CONTAINED, SHAPED = 0.5, 0.25
"""Soft scores of an answer that holds the right one among other text, and of one that has the form only."""


@dataclass(frozen=True, slots=True)
class ExactScorer:
    """Right is the answer itself, character by character."""

    name: str
    wanted: str  # the form in words
    pattern: str  # the form as a regular expression

    def score(self, task: Task, answer: Answer) -> Score:
        right, text = str(task.data["answer"]), answer.text.strip()
        if text == right:
            return Score(1, 1)
        fault, soft = self._fault(text, right)
        return Score(0, soft, str(Feedback(self.wanted, fault, text)))

    def _fault(self, text: str, right: str) -> tuple[Fault, float]:
        if not text:
            return "nothing", 0.0
        if re.search(rf"(?<!\w){re.escape(right)}(?!\w)", text):
            return "surrounded", CONTAINED
        if re.fullmatch(self.pattern, text):
            return "wrong", SHAPED
        return "misshapen", 0.0


@dataclass(frozen=True, slots=True)
class RecordScorer:
    """Right is one JSON object with exactly the wanted fields and values."""

    name: str
    wanted: str

    def score(self, task: Task, answer: Answer) -> Score:
        right, text = task.data["answer"], answer.text.strip()
        found = _json_object(text)
        if found is None:
            fault: Fault = "not json" if text else "nothing"
            return Score(0, 0, str(Feedback(self.wanted, fault, text)))
        if found == right and all(type(found[key]) is type(right[key]) for key in right):
            return Score(1, 1)
        hits = sum(key in found and found[key] == right[key] for key in right)
        soft = CONTAINED * (1 + hits / max(len(right), len(found))) / 2
        fault = "wrong keys" if found.keys() != right.keys() else "wrong"
        return Score(0, soft, str(Feedback(self.wanted, fault, text)))


def _json_object(text: str) -> Mapping[str, object] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
