"""A scorer for mathematical answers: equal as mathematics, not as text.

The package math-verify decides, in a process of its own that is ended when it takes too long: an
adversarial or merely long expression can keep a computer algebra system busy for hours.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from sharpen.tasks.extras import require
from sharpen.tasks.scorers.answers import given_answer, right_answers
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

MATH_CHECK = "comparing mathematical answers"
_PROGRAM = """
import json, sys
from math_verify import parse, verify
right, found = json.load(sys.stdin)
def read(text):
    return parse(text if "$" in text or "\\\\boxed" in text else f"${text}$", parsing_timeout=None)
rights, found = [read(one) for one in right], read(found)
print(json.dumps(any(verify(one, found, timeout_seconds=None) for one in rights)))
"""


def equal_as_mathematics(found: str, rights: tuple[str, ...], *, seconds: float = 20.0) -> bool | None:
    """None when it could not be decided in time."""
    require("math_verify", for_what=MATH_CHECK)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-W", "ignore", "-c", _PROGRAM],
            input=json.dumps([list(rights), found]),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return bool(json.loads(done.stdout)) if done.returncode == 0 else None


@dataclass(frozen=True)
class Mathematics:
    """Equal as text once signs of layout are gone, or equal as mathematics."""

    name: str = "math@1"
    seconds: float = 20.0

    def score(self, task: Task, answer: Answer) -> Score:
        found, rights = given_answer(answer.text), right_answers(task)
        if not found:
            return Score(0, 0, "the answer is empty")
        if _plain(found) in map(_plain, rights):
            return Score(1, 1)
        same = equal_as_mathematics(found, rights, seconds=self.seconds)
        if same is None:
            return Score(0, 0, "the answer could not be read as mathematics")
        return Score(1, 1) if same else Score(0, 0, "the answer is not equal to the right one")


def _plain(text: str) -> str:
    for mark in ("$", "\\mathrm", "\\text", "{", "}", "\\,", "\\ ", "~"):
        text = text.replace(mark, " " if mark in ("\\,", "\\ ", "~") else "")
    return " ".join(text.split()).casefold()
