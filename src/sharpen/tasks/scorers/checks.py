"""A check per task: what a row of a tasks file says about how its answer is judged.

    "check": "exact"                               compared with the row's answer, as `contains`, `f1` …
    "check": "regex:^[A-Z]{3}$"                    kind and value in one text
    "check": {"number": 3.14, "tolerance": 0.01}   kind, value and options
    "check": "python:my_checks:is_polite"          your own function
    "check": {"command": "pytest -q"}              a shell command in the sandbox
    "check": {"rubric": ["…", "…"]}                criteria, judged by a model

A task's own check wins over the scorer of the command line, which judges the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NamedTuple

from sharpen.errors import SettingsError, TaskError
from sharpen.sandbox import Limits
from sharpen.tasks.extras import require
from sharpen.tasks.scorers.anls import Anls
from sharpen.tasks.scorers.answers import last_number
from sharpen.tasks.scorers.commands import Command
from sharpen.tasks.scorers.functions import Function
from sharpen.tasks.scorers.json_values import SCHEMA_CHECK, JsonEqual, JsonSchema, check_schema
from sharpen.tasks.scorers.judging import Judge
from sharpen.tasks.scorers.mathematics import MATH_CHECK, Mathematics
from sharpen.tasks.scorers.numbers import Number
from sharpen.tasks.scorers.overlap import F1
from sharpen.tasks.scorers.rubric import Rubric, criteria_of
from sharpen.tasks.scorers.words import Contains, Exact, Regex
from sharpen.tasks.scoring import Answer, Scorer
from sharpen.types import Json, Score, Task

Make = Callable[[Json], Scorer]


class Kind(NamedTuple):
    """One kind of check: where its value goes in the task's data, its options, how its scorer is made."""

    subject: str
    make: Make
    options: Mapping[str, type | tuple[type, ...]] = {}
    from_answer: bool = False  # may compare with the row's own answer


def _number(check: Json) -> Scorer:
    return Number(float(check.get("tolerance", 1e-9)), float(check.get("relative", 0.0)))


def _command(check: Json) -> Scorer:
    limits = Limits(seconds=float(check["seconds"])) if "seconds" in check else Limits()
    return Command(limits=limits, reward=check.get("reward"))


def _needs_a_judge(check: Json) -> Scorer:
    raise SettingsError("a rubric is judged by a model; it has no scorer of its own")


_REAL = (int, float)
KINDS: dict[str, Kind] = {
    "exact": Kind("answer", lambda check: Exact(), from_answer=True),
    "contains": Kind("answer", lambda check: Contains(), from_answer=True),
    "regex": Kind("pattern", lambda check: Regex()),
    "number": Kind("answer", _number, {"tolerance": _REAL, "relative": _REAL}, from_answer=True),
    "f1": Kind(
        "answer", lambda check: F1(float(check.get("threshold", 1.0))), {"threshold": _REAL}, from_answer=True
    ),
    "anls": Kind("answer", lambda check: Anls(), from_answer=True),
    "math": Kind("answer", lambda check: Mathematics(), from_answer=True),
    "json": Kind("answer", lambda check: JsonEqual(), from_answer=True),
    "schema": Kind("schema", lambda check: JsonSchema()),
    "python": Kind("function", lambda check: Function(str(check["value"]))),
    "command": Kind("check", _command, {"reward": str, "seconds": _REAL}),
    "rubric": Kind("rubric", _needs_a_judge, {"threshold": _REAL, "reference": str}),
}


# -- reading ---------------------------------------------------------------------------------------------


def read_check(value: object, *, has_answer: bool, where: str) -> dict[str, object]:
    """The check in its one spelling, {"kind", "value"?, options…}; a mistake is named with its place."""
    check = _from_text(value, where) if isinstance(value, str) else _from_object(value, where)
    kind = KINDS[str(check["kind"])]
    if "value" not in check and not (kind.from_answer and has_answer):
        remedy = "give the row an answer, or the check a value" if kind.from_answer else "give it a value"
        raise TaskError(f"{where}: the check {check['kind']!r} has nothing to compare with; {remedy}")
    _checked(check, where)
    return check


def _from_text(text: str, where: str) -> dict[str, object]:
    name, colon, value = text.partition(":")
    check: dict[str, object] = {"kind": _kind(name.strip(), where)}
    return check | ({"value": value.strip()} if colon else {})


def _from_object(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, Mapping) or not value:
        raise TaskError(f'{where}: a check is a text like "exact" or an object like {{"regex": "^A"}}')
    names = [name for name in value if name in KINDS]
    if len(names) != 1:
        known = names or [_kind(str(next(iter(value))), where)]
        raise TaskError(f"{where}: a check has one kind, not {' and '.join(known)}")
    kind = KINDS[names[0]]
    for name, option in value.items():
        if name == names[0]:
            continue
        if name not in kind.options:
            near = get_close_matches(name, kind.options, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(kind.options) or 'none'}"
            raise TaskError(f"{where}: the check {names[0]!r} has no option {name!r}; {hint}")
        if isinstance(option, bool) or not isinstance(option, kind.options[name]):
            raise TaskError(f"{where}: the option {name!r} of a check cannot be {option!r}")
    rest = {name: option for name, option in value.items() if name != names[0]}
    given = value[names[0]]
    return {"kind": names[0], **({} if given is None or given is True else {"value": given}), **rest}


def _kind(name: str, where: str) -> str:
    if name in KINDS:
        return name
    near = get_close_matches(name, KINDS, n=1)
    hint = f"; did you mean {near[0]!r}" if near else ""
    raise TaskError(f"{where}: no check is called {name!r}{hint}; there are {', '.join(KINDS)}")


def _checked(check: Json, where: str) -> None:
    """What can be found wrong without an answer."""
    kind, value = check["kind"], check.get("value")
    if kind == "regex":
        try:
            re.compile(str(value))
        except re.error as error:
            raise TaskError(f"{where}: the pattern {value!r} is not a regular expression ({error})") from None
    elif kind == "number" and value is not None and last_number(str(value)) is None:
        raise TaskError(f"{where}: {value!r} is not a number, which the check 'number' needs")
    elif kind == "schema":
        if not isinstance(value, Mapping):
            raise TaskError(f"{where}: the check 'schema' needs a JSON schema, an object")
        check_schema(value, where)
    elif kind == "rubric":
        try:
            criteria_of(value, where)
        except SettingsError as error:
            raise TaskError(str(error)) from None
    elif kind == "command" and not isinstance(value, str):
        raise TaskError(f"{where}: the check 'command' needs a shell command, a text")


# -- judging ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checks:
    """Each task by its own check, tasks without one by `otherwise`."""

    otherwise: Scorer
    judge: Judge | None = None

    @property
    def name(self) -> str:
        judged = "" if self.judge is None else f", {self.judge.model.fingerprint}"
        return f"checks@1({self.otherwise.name}{judged})"

    def asks(self, task: Task) -> bool:
        """Whether a model judges this task."""
        return (own_check(task) or {}).get("kind") == "rubric"

    def score(self, task: Task, answer: Answer) -> Score:
        return self.verdict(task, answer, trial=1)

    def verdict(self, task: Task, answer: Answer, *, trial: int) -> Score:
        """The score; a judge can be asked for its verdict more than once."""
        check = own_check(task)
        if check is None:
            return self.otherwise.score(task, answer)
        scorer, shown = self.scorer_of(task, check), replace(task, data=_data(task, check))
        return (
            scorer.verdict(shown, answer, trial=trial)
            if isinstance(scorer, Rubric)
            else scorer.score(shown, answer)
        )

    def scorer_of(self, task: Task, check: Json) -> Scorer:
        """Who judges this task."""
        if check["kind"] != "rubric":
            return KINDS[str(check["kind"])].make(check)
        if self.judge is None:
            raise SettingsError(
                f"task {task.id!r} is judged by a rubric, which needs a model: name a judge, "
                "for example --judge openai:gpt-5-mini"
            )
        criteria = criteria_of(check.get("value"), f"task {task.id!r}")
        return Rubric(self.judge, criteria, float(check.get("threshold", 1.0)))

    def refuse_unready(self, tasks: Iterable[Task]) -> None:
        """Whatever a check will need is there, or is named now: a package, a function, a judge."""
        for task in tasks:
            check = own_check(task)
            if check is None:
                continue
            scorer = self.scorer_of(task, check)
            if isinstance(scorer, Function):
                _ = scorer.function
            elif isinstance(scorer, JsonSchema):
                require("jsonschema", for_what=SCHEMA_CHECK)
            elif isinstance(scorer, Mathematics):
                require("math_verify", for_what=MATH_CHECK)


def _data(task: Task, check: Json) -> Json:
    """The task's data as the check's scorer reads them."""
    kind = KINDS[str(check["kind"])]
    data = {**task.data, **({kind.subject: check["value"]} if "value" in check else {})}
    data |= {"reference": check["reference"]} if "reference" in check else {}
    if "value" in check and kind.subject == "answer":
        data.pop("answers", None)
    return data


def own_check(task: Task) -> Json | None:
    """The check a task brings, None when it has none."""
    check = task.data.get("check")
    return check if isinstance(check, Mapping) and check.get("kind") in KINDS else None
