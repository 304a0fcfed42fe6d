"""The scorers that can be asked for by name, and the one that fits a set of tasks."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sharpen.errors import SettingsError
from sharpen.models import Model
from sharpen.tasks.scorers.anls import Anls
from sharpen.tasks.scorers.checks import Checks, own_check
from sharpen.tasks.scorers.choices import Choice
from sharpen.tasks.scorers.commands import Command
from sharpen.tasks.scorers.functions import Function
from sharpen.tasks.scorers.json_values import JsonEqual, JsonSchema
from sharpen.tasks.scorers.judging import Judge, as_judge
from sharpen.tasks.scorers.mathematics import Mathematics
from sharpen.tasks.scorers.numbers import Number
from sharpen.tasks.scorers.overlap import F1
from sharpen.tasks.scorers.words import Contains, Exact, Regex
from sharpen.tasks.scoring import Scorer
from sharpen.types import Task

_ALL: tuple[Scorer, ...] = (
    Exact(),
    Contains(),
    JsonEqual(),
    Command(),
    Regex(),
    Number(),
    F1(),
    Anls(),
    Choice(),
    Mathematics(),
    JsonSchema(),
)
SCORERS: dict[str, Scorer] = {
    **{one.name: one for one in _ALL},
    "checks@1": Checks(Exact()),
}


def scorer_named(name: str) -> Scorer:
    """The scorer of that name; the version may be left out while there is one only."""
    if name.startswith("python:"):
        return Function(name.removeprefix("python:"))
    for known, scorer in SCORERS.items():
        if name in (known, known.partition("@")[0]):
            return scorer
    near = get_close_matches(name, [*SCORERS, *(known.partition("@")[0] for known in SCORERS)], n=1)
    hint = f"; did you mean {near[0]!r}" if near else ""
    raise SettingsError(
        f"no scorer is called {name!r}{hint}; there are {', '.join(SCORERS)} and python:MODULE:FUNCTION"
    )


def scorer_for(tasks: Iterable[Task], scorer: Scorer | str, judge: Model | Judge | None = None) -> Scorer:
    """`scorer`, or one that lets tasks with a check of their own be judged by it; refused when unready."""
    given = scorer_named(scorer) if isinstance(scorer, str) else scorer
    found = list(tasks)
    if not any(own_check(task) for task in found):
        return given
    rest = given.otherwise if isinstance(given, Checks) else given
    checks = Checks(rest, None if judge is None else as_judge(judge))
    checks.refuse_unready(found)
    return checks
