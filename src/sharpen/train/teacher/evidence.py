"""Attempts as a teacher reads them: the task, what the student did, what the verifier said and expected.

All attempts of one question share one budget of tokens. Short ones are told whole, and what they leave is
divided among the long ones; no part of an attempt can crowd out the others. Right answers are marked as what
must not be quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sharpen.evaluate.leaks import gold_of
from sharpen.skills import tokens
from sharpen.traces.compaction import compact, cut, shares
from sharpen.types import Rollout, Task

WHOLE = 1_000_000_000
"""A budget that nothing reaches."""
DONE = "What the student did"
NOT_TO_QUOTE = "Expected answer (only for you: no rule may quote it or hint at it)"


def told(evidence: Sequence[Rollout], *, budget: int, show_reference: bool) -> str:
    """The attempts, numbered from 1, in at most `budget` tokens."""
    blocks = [_Block(number, rollout, show_reference) for number, rollout in enumerate(evidence, 1)]
    rooms = shares([block.tokens for block in blocks], budget - len(blocks))  # a line break between two
    return cut("\n\n".join(block.cut_to(room) for block, room in zip(blocks, rooms, strict=True)), budget)


def failures_first(evidence: Sequence[Rollout]) -> tuple[Rollout, ...]:
    """Failed attempts before the others, else in the order given."""
    return tuple(sorted(evidence, key=lambda rollout: rollout.outcome != "failed"))


def said_of(rollout: Rollout, *, budget: int) -> str:
    """What the student did, without the task's prompt, which whoever asks shows beside it."""
    if rollout.trajectory is None:
        return "(not recorded)"
    return compact(rollout.trajectory, budget, known=rollout.task.prompt) or "(it said nothing)"


def feedback_of(rollout: Rollout) -> str:
    return rollout.error if rollout.score is None else rollout.score.feedback


class _Block:
    """One attempt: a headline and its parts."""

    def __init__(self, number: int, rollout: Rollout, show_reference: bool) -> None:
        self._rollout = rollout
        self._head = f"## Attempt {number}: {_headline(rollout)}"
        self._parts = {
            "Task": _prompt(rollout.task),
            DONE: said_of(rollout, budget=WHOLE),
            "Verifier": feedback_of(rollout),
            NOT_TO_QUOTE: " | ".join(gold_of(rollout.task)) if show_reference else "",
        }
        self._parts = {name: text for name, text in self._parts.items() if text.strip()}

    @cached_property
    def tokens(self) -> int:
        return tokens(self._text(list(self._parts.values())))

    def cut_to(self, room: int) -> str:
        if self.tokens <= room:
            return self._text(list(self._parts.values()))
        bare = tokens(self._text([""] * len(self._parts))) + len(self._parts)
        rooms = shares([tokens(text) for text in self._parts.values()], room - bare)
        pairs = zip(self._parts, rooms, strict=True)
        return cut(self._text([self._cut(name, share) for name, share in pairs]), room)

    def _cut(self, name: str, room: int) -> str:
        if tokens(self._parts[name]) <= room:
            return self._parts[name]
        if name == DONE:
            return said_of(self._rollout, budget=room)
        return cut(self._parts[name], room)

    def _text(self, texts: Sequence[str]) -> str:
        parts = (f"### {name}\n{text}" for name, text in zip(self._parts, texts, strict=True))
        return "\n".join((self._head, *parts))


def _headline(rollout: Rollout) -> str:
    score = rollout.score
    how = "could not be measured" if score is None else f"{rollout.outcome} (score {score.soft:.2f})"
    return f"task {rollout.task.id}, {how}"


def _prompt(task: Task) -> str:
    pictures = task.data.get("images")
    count = len(pictures) if isinstance(pictures, (list, tuple)) else 0
    return task.prompt + (f"\n({count} pictures, not shown here)" if count else "")
