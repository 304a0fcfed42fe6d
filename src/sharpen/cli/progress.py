"""A bar on stderr while attempts are made; nothing when stderr is no terminal or quiet was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sharpen.cli.terminal import console
from sharpen.skills import Skill
from sharpen.types import CallLog, Rollout, Student, Task


class Bar:
    """Attempts made out of those allowed; `total` is None when they are not limited."""

    def __init__(self, total: int | None, *, quiet: bool = False) -> None:
        self.console = console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("attempts"),
            TimeElapsedColumn(),
            TextColumn("at most"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=self.console,
            transient=True,
            disable=quiet or not self.console.is_terminal,
        )
        self._job = self._progress.add_task("", total=total)

    def start(self) -> None:
        self._progress.start()

    def stop(self) -> None:
        self._progress.stop()

    def at(self, attempts: int, doing: str) -> None:
        self._progress.update(self._job, completed=attempts, description=doing)

    def watch(self, student: Student) -> Student:
        """The same student, seen by the bar; one without a fingerprint is left alone: its class names it."""
        named = isinstance(getattr(student, "fingerprint", None), str)
        shown = named and not self._progress.disable
        return _Watched(student, lambda: self._progress.advance(self._job)) if shown else student


@contextmanager
def attempts_bar(total: int, *, quiet: bool) -> Iterator[Callable[[Student], Student]]:
    """A bar for as long as the block runs; yields what makes a student move it."""
    bar = Bar(total, quiet=quiet)
    bar.start()
    try:
        yield bar.watch
    finally:
        bar.stop()


class _Watched:
    """A student that says when it has finished an attempt."""

    def __init__(self, student: Any, finished: Callable[[], None]) -> None:
        self._student, self._finished, self.fingerprint = student, finished, student.fingerprint
        self.worst_case = getattr(student, "worst_case", None)

    def keep_calls_in(self, log: CallLog) -> Student:
        keep = getattr(self._student, "keep_calls_in", None)
        return _Watched(keep(log), self._finished) if keep else self

    async def aclose(self) -> None:
        close = getattr(self._student, "aclose", None)
        if close:
            await close()

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        rollout: Rollout = await self._student.attempt(task, skill, trial=trial)
        self._finished()
        return rollout
