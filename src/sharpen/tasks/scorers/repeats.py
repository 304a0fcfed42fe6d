"""A judge asked again: some of the work it judged is kept, so that its agreement with itself can be measured.

A scorer whose verdicts come from a model is wrapped before a run; afterwards `agreement` has a few pieces of
that very work judged again. What the run scored does not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from sharpen.tasks.scorers.judging import Judge
from sharpen.tasks.scorers.rubric import Agreement, self_agreement
from sharpen.tasks.scoring import Answer, Scorer
from sharpen.types import Score, Task

WORKS, VERDICTS = 4, 3
"""Pieces of work that are judged again, and how often each."""


@runtime_checkable
class AskingScorer(Protocol):
    """A scorer that asks a judge about some or all tasks."""

    @property
    def name(self) -> str: ...

    @property
    def judge(self) -> Judge | None: ...

    def asks(self, task: Task) -> bool:
        """Whether the verdict on this task is the judge's."""
        ...

    def score(self, task: Task, answer: Answer) -> Score: ...

    def verdict(self, task: Task, answer: Answer, *, trial: int) -> Score: ...


@dataclass(frozen=True)
class Remembering:
    """The same scorer under the same name; the first work on each task is kept."""

    scorer: AskingScorer
    works: dict[str, tuple[Task, Answer]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.scorer.name

    def score(self, task: Task, answer: Answer) -> Score:
        if self.scorer.asks(task):
            self.works.setdefault(task.id, (task, Answer(answer.text)))
        return self.scorer.score(task, answer)

    def agreement(self) -> Agreement | None:
        """How often the judge repeats itself; None when it judged nothing."""
        chosen = [self.works[name] for name in sorted(self.works)[:WORKS]]
        return self_agreement(self.scorer, chosen, repeats=VERDICTS) if chosen else None

    def close(self) -> None:
        if self.scorer.judge is not None:
            self.scorer.judge.close()


def remembering(scorer: Scorer) -> Scorer:
    """The scorer, wrapped when a judge belongs to it."""
    asks = isinstance(scorer, AskingScorer) and scorer.judge is not None
    return Remembering(scorer) if isinstance(scorer, AskingScorer) and asks else scorer
