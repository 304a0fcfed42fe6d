"""Students and teachers named on the command line as `module:object`.

The module is looked for in the current folder first, then where Python always looks. A class or a function is
called without arguments to make the actor; anything else is taken as it is.
"""

from __future__ import annotations

import importlib
import sys
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from sharpen.errors import UsageError

METHODS = {
    "student": ("attempt", "async attempt(task, skill, *, trial)"),
    "teacher": ("propose", "async propose(skill, evidence, *, limit, memory, trial)"),
}


def load_actor(spec: str, role: str) -> Any:
    """The student or teacher that `spec` names."""
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        raise UsageError(
            f"--{role} {spec!r} must be MODULE:OBJECT, for example my_agents:{role.capitalize()}"
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
            raise UsageError(
                f"--{role}: there is no module {name!r} in {here} or among those installed"
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
