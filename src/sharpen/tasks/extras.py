"""Packages that only some suites and checks need, loaded when they are used.

Each belongs to an extra of sharpen; where it is missing, one sentence says what needs it and how to get it.
`require` only looks whether a package is there, so that a run can be refused before anything is paid.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from sharpen.errors import SettingsError

EXTRAS = {
    "alfworld": "alfworld",
    "jsonschema": "schema",
    "math_verify": "suites",
    "openpyxl": "suites",
    "pyarrow": "suites",
    "pytest": "suites",
    "swebench": "swebench",
    "textworld": "alfworld",
}
"""Which extra brings which module."""


def require(module: str, *, for_what: str) -> None:
    """Refuses, with the command that helps, when the module is not installed."""
    if importlib.util.find_spec(module) is None:
        raise SettingsError(
            f"{for_what} needs the package {module.replace('_', '-')}, which is not installed: "
            f"pip install 'sharpen[{EXTRAS[module]}]'"
        )


def load(module: str, *, for_what: str, part: str = "") -> ModuleType:
    """The module, or its submodule `part`; a missing package is refused as `require` does."""
    require(module, for_what=for_what)
    return importlib.import_module(f"{module}.{part}" if part else module)
