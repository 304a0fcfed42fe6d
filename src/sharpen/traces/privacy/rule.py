"""What a rule is: a pattern that leads to a find, and a check that may refuse it or widen it.

The pattern has three parts (what leads, what goes, what follows), in the syntax that Python's engine and RE2
share. The check sees the bytes around the find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Span = tuple[int, int]
Check = Callable[[bytes, int, int, int], Span | None]
"""Data, where the lead begins, where the value begins and ends; the span that goes, or None.
An empty span says where to look on."""

NEAR = 80
"""Bytes before a find that a check looks at."""
FAR = 400
"""Bytes in which a closing quote or the command of a line is looked for."""


@dataclass(frozen=True)
class Rule:
    kind: str
    value: str
    lead: str = ""
    tail: str = ""
    any_case: bool = False
    begins_word: bool = False
    check: Check | None = None

    @property
    def flags(self) -> str:
        """How the engines take its pattern; a dot is any sign, line ends among them."""
        return "is" if self.any_case else "s"

    def span(self, data: bytes, lead: int, start: int, end: int) -> Span | None:
        """What has to go of this find; None when it only looks like one."""
        return self.check(data, lead, start, end) if self.check else (start, end)
