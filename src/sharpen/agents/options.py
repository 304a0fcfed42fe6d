"""Options of whoever is opened by name, typed or as text: settings records take them, the rest is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar

from sharpen.errors import SettingsError

Settings = TypeVar("Settings")


def take(kind: type[Settings], given: dict[str, object]) -> Settings:
    """A settings record from the options that are its fields; those are taken out of `given`."""
    mine = _names(kind) & given.keys()
    try:
        return kind(**{name: typed(given.pop(name)) for name in mine})
    except TypeError as error:
        raise SettingsError(f"the options {', '.join(sorted(mine))} do not fit: {error}") from None


def typed(value: object) -> Any:
    """Text from a command line as JSON spells it, else as it is: 64, 0.2, true, ["\\n"], http://…"""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return tuple(found) if isinstance(found, list) else found


def refuse(left: Iterable[str], *kinds: type, who: str) -> None:
    """An option that nobody took is a mistake; the nearest known one is named."""
    known = sorted({name for kind in kinds for name in _names(kind)})
    for name in sorted(left):
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
        raise SettingsError(f"{who} has no option {name!r}{hint}")


def _names(kind: type) -> set[str]:
    return {field.name for field in fields(kind)}
