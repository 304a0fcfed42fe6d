"""Skills of Codex that are on in one profile only: `[[skills.config]]` tables in the layers that honour them.

Codex reads these tables from its user configuration and from profiles (`NAME.config.toml` beside it), not
from a project. So the skill is switched off in the one and on in the other, whatever the scope it lies in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sharpen.clients import CODEX
from sharpen.errors import UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import EditedSettings
from sharpen.install.settings import Pieced, Syntax, append_toml, cleared, has_table, without_tables
from sharpen.install.toml_tables import OurTable

ARRAY = ("skills", "config")
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def check(profile: str | None) -> None:
    """UsageError when this cannot be a profile's name."""
    if profile is not None and not _NAME.fullmatch(profile):
        raise UsageError(f"{profile!r} is not the name of a Codex profile; use letters, digits, - and _")


def place(draft: Draft) -> None:
    """Plan the tables of the skills that the record will have, and none of others."""
    folder = draft.scope.in_home(CODEX, ".codex")
    wanted: dict[str, dict[str, bool]] = {}
    for name, skill in sorted(draft.record.skills.items()):
        for profile in skill.profiles:
            wanted.setdefault(f"{folder}/config.toml", {})[name] = False
            wanted.setdefault(f"{folder}/{profile}.config.toml", {})[name] = True
    ours = {
        path for path, known in draft.record.settings.items() if path.endswith(".toml") and not known.command
    }
    for path in sorted({*wanted, *ours}):
        _switch(draft, path, wanted.get(path, {}))


def _switch(draft: Draft, path: str, wanted: Mapping[str, bool]) -> None:
    syntax = Syntax(str(draft.scope.at(path)), toml=True)
    known = draft.record.settings.get(path)
    text = draft.text(path)
    ours = _ours({name for name, skill in draft.before.skills.items() if skill.profiles})
    if known:
        clear = cleared(text, known.pieces, lambda it: without_tables(it, ARRAY, ours, syntax), syntax)
        if clear == text and has_table(text, ARRAY, ours, syntax):
            draft.notes.append(
                f"left alone: {draft.scope.shown(path)} still has the skill in an inline list; "
                "take it out by hand"
            )
        text = clear
    pieced = Pieced(text)
    for name, enabled in wanted.items():
        pieced = append_toml(pieced, _table(name, enabled=enabled), syntax)
    created = known.created if known else not draft.exists(path)
    draft.edit(path, pieced.text, EditedSettings(pieced.pieces, created) if wanted else None)


def _ours(names: set[str]) -> OurTable:
    def name_of(row: Mapping[str, Any]) -> str | None:
        name = str(row.get("name"))
        return name if name in names and set(row) == {"name", "enabled"} else None

    return name_of


def _table(name: str, *, enabled: bool) -> str:
    return f"[[skills.config]]\nname = {json.dumps(name)}\nenabled = {str(enabled).lower()}\n"
