"""A quiz of forty questions of four kinds, in SearchQA's format: enough for epochs, merging and ranking."""

from __future__ import annotations

import json
from pathlib import Path

from loopback import Exercise, Say
from loopback.school import rule

from .suites import CONFIGS

KINDS = ("amber", "birch", "cedar", "late")
CONFIG = CONFIGS / "searchqa" / "default.yaml"


def write_quiz(path: Path, count: int = 40) -> list[Exercise]:
    """Writes the questions and says what the school has to know about them."""
    rows = [{"id": f"q{n}", "question": f"riddle {n}?", "answers": [_answer(n)]} for n in range(count)]
    path.write_text(json.dumps(rows))
    return [
        Exercise(f"q{n}", f"riddle {n}?", KINDS[n % len(KINDS)], (Say(f"<answer>{_answer(n)}</answer>"),))
        for n in range(count)
    ]


def _answer(number: int) -> str:
    return f"solution number {number}"


def rules_in(skill: str) -> set[str]:
    return {kind for kind in KINDS if rule(kind) in skill}
