"""Code of the user's own, named MODULE:OBJECT; the module is looked for in the current folder first."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from sharpen.errors import SettingsError


def load_own(spec: str, *, what: str) -> object:
    """The object that `spec` names; `what` says in a complaint what it was wanted as."""
    module, _, name = spec.partition(":")
    if not module or not name:
        raise SettingsError(f"{what} is named MODULE:OBJECT, not {spec!r}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise SettingsError(f"{what} {spec} cannot be loaded: {type(error).__name__}: {error}") from error
    return found
