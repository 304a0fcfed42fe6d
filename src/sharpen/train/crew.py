"""Lanes side by side in lockstep: the scheduler behind every concurrent part of the search.

A lane is a generator that yields the calls it wants next and is sent their answers. Each beat collects the
wishes of all lanes in lane order, makes the calls together, and hands the answers back in the same order; a
lane that ends is committed at once and its place is filled. The beat is the only clock a lane can see, so the
outcome cannot depend on which call came back first.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from sharpen.evaluate import Answer, Call, Runner

T = TypeVar("T")
Steps = Generator[list[Call], list[Answer], T]
"""What a lane is: yields calls, receives answers, returns what it found."""


class Crew(Generic[T]):
    """Runs lanes until none is left, or until the budget refuses a call."""

    def __init__(self, runner: Runner, *, width: int) -> None:
        self._runner, self._width = runner, width

    async def work(
        self, next_lane: Callable[[], Steps[T] | None], commit: Callable[[T], None], *, reserve: int
    ) -> bool:
        """True when the lanes ran dry, False when the budget ended them."""
        active: list[tuple[Steps[T], list[Call]]] = []
        while True:
            while len(active) < self._width and (lane := next_lane()) is not None:
                self._advance(lane, None, active, commit)
            if not active:
                return True
            answers = await self._runner.run([call for _, calls in active for call in calls], reserve=reserve)
            if any(answer is None for answer in answers):
                return False
            active = self._hand_back(active, answers, commit)

    def _hand_back(
        self, active: list[tuple[Steps[T], list[Call]]], answers: list[Answer], commit: Callable[[T], None]
    ) -> list[tuple[Steps[T], list[Call]]]:
        still: list[tuple[Steps[T], list[Call]]] = []
        start = 0
        for lane, calls in active:
            share = answers[start : start + len(calls)]
            start += len(calls)
            self._advance(lane, share, still, commit)
        return still

    def _advance(
        self,
        lane: Steps[T],
        answers: list[Answer] | None,
        active: list[tuple[Steps[T], list[Call]]],
        commit: Callable[[T], None],
    ) -> None:
        try:
            calls = next(lane) if answers is None else lane.send(answers)
        except StopIteration as end:
            commit(end.value)
        else:
            active.append((lane, calls))
