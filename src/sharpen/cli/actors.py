"""Students and teachers named on the command line: those that ship, and the user's own as `module:object`.

The module is looked for in the current folder first, then where Python always looks. A class or a function is
called without arguments to make the actor; anything else is taken as it is.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from sharpen.agents import STUDENTS, open_student
from sharpen.errors import UsageError
from sharpen.tasks.scoring import Scorer
from sharpen.tasks.turns import Turns
from sharpen.train.teacher import TEACHERS, open_teacher
from sharpen.types import Student, TaskSet, Teacher

METHODS = {
    "student": ("attempt", "async attempt(task, skill, *, trial)"),
    "teacher": ("propose", "async propose(skill, evidence, *, limit, memory, trial)"),
}


def load_student(
    spec: str, *, scorer: Scorer | str, options: Sequence[str] = (), turns: Turns | None = None
) -> Student:
    """The student that `spec` names; options are KEY=VALUE, `turns` come from a suite that talks back."""
    if spec.partition(":")[0] in STUDENTS:
        return open_student(spec, scorer, dict(map(_option, options)), turns=turns)
    if options:
        raise UsageError(f"--student-option is for students that ship with sharpen, not for {spec}")
    student: Student = load_actor(spec, "student")
    return student


def load_teacher(spec: str, tasks: TaskSet, options: Sequence[str] = ()) -> Teacher:
    """The teacher that `spec` names; the phrasebook takes its examples from the train split."""
    if spec.partition(":")[0] in TEACHERS:
        return open_teacher(spec, options, examples=tasks.train)
    if options:
        raise UsageError(f"--teacher-option is for teachers that ship with sharpen, not for {spec}")
    teacher: Teacher = load_actor(spec, "teacher")
    return teacher


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise UsageError(f"--student-option {text!r} must be KEY=VALUE, for example max_tokens=64")
    return key.strip(), value


def load_actor(spec: str, role: str) -> Any:
    """The student or teacher that `spec` names."""
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        near = get_close_matches(module_name, STUDENTS if role == "student" else TEACHERS, n=1)
        hint = f"; did you mean {near[0]}:MODEL?" if near else ""
        raise UsageError(
            f"--{role} {spec!r} must be the name of one that ships, for example openai:gpt-5-mini, "
            f"or MODULE:OBJECT, for example my_agents:{role.capitalize()}{hint}"
        )
    found: Any = _module(module_name, role)
    for part in name.split("."):
        found = _member(found, part, spec, role)
    method, signature = METHODS[role]
    if isinstance(found, type) or (callable(found) and not hasattr(found, method)):
        found = _made(found, spec, role)
    if not callable(getattr(found, method, None)):
        raise UsageError(f"--{role} {spec}: a {role} needs `{signature}`; {type(found).__name__} has none")
    return found


def _module(name: str, role: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            near = get_close_matches(name, STUDENTS if role == "student" else TEACHERS, n=1)
            hint = f"; did you mean {near[0]}:…?" if near else ""
            raise UsageError(
                f"--{role}: there is no module {name!r} in {here} or among those installed{hint}"
            ) from error
        raise UsageError(f"--{role}: importing {name!r} failed: {error}") from error
    except Exception as error:
        raise UsageError(f"--{role}: importing {name!r} failed: {type(error).__name__}: {error}") from error


def _member(holder: object, name: str, spec: str, role: str) -> Any:
    try:
        return getattr(holder, name)
    except AttributeError as error:
        near = get_close_matches(name, [known for known in dir(holder) if not known.startswith("_")], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"--{role} {spec}: nothing there is called {name!r}{hint}") from error


def _made(maker: Any, spec: str, role: str) -> Any:
    try:
        return maker()
    except Exception as error:
        raise UsageError(f"--{role} {spec}: calling it failed: {type(error).__name__}: {error}") from error
