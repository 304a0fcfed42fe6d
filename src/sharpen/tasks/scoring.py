"""What an attempt left behind, and the one question a scorer answers about it.

A scorer is named `name@version`; its name is part of the student's fingerprint, because a score under another
rule is another measurement. This module knows no model and runs nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from sharpen.types import Score, Task


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's last words and, for agents that work in one, its work folder as they left it."""

    text: str
    folder: Path | None = None


@runtime_checkable
class Scorer(Protocol):
    """Judges one answer. Deterministic; may run code, but only in the sandbox."""

    @property
    def name(self) -> str: ...

    def score(self, task: Task, answer: Answer) -> Score: ...


async def judged(scorer: Scorer, task: Task, answer: Answer) -> Score:
    """The score, worked out beside the event loop: a scorer may take its time."""
    return await asyncio.to_thread(scorer.score, task, answer)
