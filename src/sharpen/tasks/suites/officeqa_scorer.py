"""The tolerance scorer of OfficeQA, after the rules of its authors' `reward.py`.

Numbers are compared as they are written: "543 million" matches "543", not "543000000". One right number
must be met by some number of the answer, several must all be met; years are passed over unless a year is
asked for. Words beside the numbers (a month, a name) must be there too. Answers without numbers are
compared as text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sharpen.errors import SettingsError
from sharpen.tasks.scorers.answers import right_answers
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

_TAG = re.compile(r"<(FINAL_ANSWER|answer)>\s*(.*?)\s*</\1>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+\.?\d*%?")
_UNITS = re.compile(
    r"\b(?:trillions?|billions?|millions?|thousands?|hundreds?|percent|percentage)\b", re.IGNORECASE
)
_ASIDE = re.compile(r"\([^)]*\)")


def matches(right: str, found: str, tolerance: float) -> bool:
    """Whether an answer meets the right one."""
    wanted, given = _numbers(right), _numbers(found)
    if not wanted or not given:
        return _as_text(right) in _as_text(found)
    if not _words_agree(right, found):
        return False
    years_count = any(map(_is_year, wanted)) or (len(wanted) == 1 and bool(_words(right)))
    usable = [number for number in given if years_count or not _is_year(number)]
    return all(any(_close(number, goal, tolerance) for number in usable) for goal in wanted)


def _numbers(text: str) -> list[float]:
    plain = text.replace("\N{MINUS SIGN}", "-").replace(",", "")
    return [float(match[0].rstrip("%")) for match in _NUMBER.finditer(plain)]


def _close(number: float, goal: float, tolerance: float) -> bool:
    return number == 0 if goal == 0 else abs(goal - number) / abs(goal) <= tolerance


def _is_year(number: float) -> bool:
    return 1900 <= number <= 2100 and number == int(number)


def _words(text: str) -> str:
    """What is left without numbers, units and punctuation; a single letter is nothing."""
    bare = _NUMBER.sub("", text.replace("\N{MINUS SIGN}", "-").lower()).replace(",", "")
    left = " ".join(re.sub(r"[^\w\s]", " ", _UNITS.sub("", bare)).split())
    return left if len(left) >= 2 else ""


def _words_agree(right: str, found: str) -> bool:
    ours, theirs = _words(right), _words(found)
    return not ours or (bool(theirs) and (ours in theirs or theirs in ours))


def _as_text(text: str) -> str:
    return _ASIDE.sub("", text.strip().lower().strip('"').strip("'")).strip()


@dataclass(frozen=True)
class Tolerance:
    """Right within a share of the right value: 0 is exact, the authors report from 0 to 0.05."""

    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance <= 1:
            raise SettingsError(f"the tolerance of officeqa must lie in 0..1, not {self.tolerance!r}")

    @property
    def name(self) -> str:
        return "officeqa@1" if self.tolerance == 0 else f"officeqa@1({self.tolerance:g})"

    def score(self, task: Task, answer: Answer) -> Score:
        tags = _TAG.findall(answer.text)
        found = str(tags[0][1]) if tags else answer.text
        if not found.strip():
            return Score(0, 0, "the answer is empty")
        if any(matches(right, found, self.tolerance) for right in right_answers(task)):
            return Score(1, 1)
        return Score(0, 0, "the answer does not meet the right one within the tolerance")
