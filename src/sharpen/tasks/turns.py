"""Tasks that answer back: a world that reacts to a command, a program that is run and shown to its author.

A suite offers `Turns`; a student talks with the `Dialogue` it opens until that is over, and what is then to
be judged goes to the same scorer as any other answer. This module knows no model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sharpen.tasks.scoring import Answer
from sharpen.types import Task


class Dialogue(Protocol):
    """One attempt at one task. May block; is used from one thread at a time."""

    def begin(self) -> str:
        """What the student is told after the task's prompt; may be empty."""
        ...

    def reply(self, said: str) -> str | None:
        """What comes back; None when it is over."""
        ...

    def answer(self) -> Answer:
        """What is to be judged."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Turns:
    """How a suite's tasks are talked with. The name, with its version, is part of a student's fingerprint."""

    name: str
    most: int  # answers of the student in one attempt
    open: Callable[[Task], Dialogue]
