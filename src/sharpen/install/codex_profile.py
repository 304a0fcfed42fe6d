"""Skills of Codex that are on in one profile only: `[[skills.config]]` tables in the layers that honour them.

Codex reads these tables from its user configuration and from profiles (`NAME.config.toml` beside it), not
from a project. So the skill is switched off in the one and on in the other, whatever the scope it lies in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from sharpen.errors import UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import EditedSettings
from sharpen.install.settings import Pieced, append_toml, decoded, taken_out

CONFIGURATION = "~/.codex/config.toml"
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def place(draft: Draft, skills: Sequence[str], profile: str | None) -> None:
    """Plan the tables; without a profile there is nothing to do."""
    if profile is None:
        return
    if not _NAME.fullmatch(profile):
        raise UsageError(f"{profile!r} is not the name of a Codex profile; use letters, digits, - and _")
    for path, enabled in ((CONFIGURATION, False), (f"~/.codex/{profile}.config.toml", True)):
        known = draft.record.settings.get(path)
        pieced = Pieced(decoded(draft.read(path) or b"", path), known.pieces if known else ())
        created = known.created if known else draft.read(path) is None
        for name in skills:
            table = _table(name, enabled=enabled)
            if not any(table in one.piece for one in pieced.pieces):
                pieced = append_toml(pieced, table, path=path)
        draft.edit(path, pieced.text, EditedSettings(pieced.pieces, created))


def take_away(draft: Draft, name: str) -> None:
    """Plan the removal of the skill's tables from every file that has them."""
    for path, known in list(draft.record.settings.items()):
        ours = tuple(one for one in known.pieces if f"name = {json.dumps(name)}\n" in one.piece)
        if not path.endswith("config.toml") or not ours:
            continue
        clean = taken_out(decoded(draft.read(path) or b"", path), ours)
        if clean is None:
            draft.notes.append(
                f"left alone: {path} was written anew since; remove the table of {name} by hand"
            )
            continue
        rest = tuple(one for one in known.pieces if one not in ours)
        draft.edit(path, clean, EditedSettings(rest, known.created) if rest else None)


def _table(name: str, *, enabled: bool) -> str:
    return f"[[skills.config]]\nname = {json.dumps(name)}\nenabled = {str(enabled).lower()}\n"
