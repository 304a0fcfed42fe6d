"""Suites by name: those that ship, those that installed packages bring, and one straight from a module.

A package adds suites by an entry point in the group `sharpen.suites` that names a Suite. A broken one
does not hide the others: it is named when it is asked for.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from sharpen.errors import SettingsError
from sharpen.tasks.own_code import load_own
from sharpen.tasks.suites.alfworld import ALFWORLD
from sharpen.tasks.suites.babyvision import BABYVISION
from sharpen.tasks.suites.docvqa import DOCVQA
from sharpen.tasks.suites.livemathematicianbench import LIVEMATHEMATICIANBENCH
from sharpen.tasks.suites.mathverse import MATHVERSE
from sharpen.tasks.suites.mmrb import MMRB
from sharpen.tasks.suites.officeqa import OFFICEQA
from sharpen.tasks.suites.sealqa import SEALQA
from sharpen.tasks.suites.searchqa import SEARCHQA
from sharpen.tasks.suites.spreadsheetbench import SPREADSHEETBENCH
from sharpen.tasks.suites.suite import Suite
from sharpen.tasks.suites.swebench import SWEBENCH

GROUP = "sharpen.suites"
SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        SEARCHQA,
        SPREADSHEETBENCH,
        ALFWORLD,
        DOCVQA,
        OFFICEQA,
        SEALQA,
        BABYVISION,
        LIVEMATHEMATICIANBENCH,
        MATHVERSE,
        MMRB,
        SWEBENCH,
    )
}
"""Those that ship."""


def suite_names() -> tuple[str, ...]:
    """Every name that can be asked for; nothing is imported for it."""
    return tuple(dict.fromkeys([*SUITES, *sorted(_installed())]))


def suite_named(name: str) -> Suite:
    """The suite of that name, or the object that MODULE:OBJECT names."""
    if ":" in name:
        return _checked(load_own(name, what="the suite"), name)
    if name in SUITES:
        return SUITES[name]
    installed = _installed()
    if name in installed:
        return _loaded(installed[name])
    known = suite_names()
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}" if near else ""
    raise SettingsError(f"no suite is called {name!r}{hint}; there are {', '.join(known)}")


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(point: EntryPoint) -> Suite:
    try:
        found: object = point.load()
    except Exception as error:
        raise SettingsError(
            f"the suite {point.name!r} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return _checked(found, point.value)


def _checked(found: object, name: str) -> Suite:
    if not isinstance(found, Suite):
        raise SettingsError(f"{name} is no sharpen.tasks.suites.Suite but a {type(found).__name__}")
    return found
