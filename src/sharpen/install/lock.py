"""`skills-lock.json`, the project file in which `npx skills` notes where skills came from.

Ours are noted the same way, as local ones, so that its users see them. The lock of the home folder holds
dates and is that program's own; it is left alone.
"""

from __future__ import annotations

from hashlib import sha256

from sharpen.install.draft import Draft
from sharpen.install.record import EditedSettings
from sharpen.install.scope import SKILLS
from sharpen.install.settings import Pieced, add_json, decoded, taken_out

PATH = "skills-lock.json"


def place(draft: Draft) -> None:
    """Plan the entries of the skills that the record will have."""
    if draft.scope.name == "user":
        return
    known = draft.record.settings.get(PATH)
    text = decoded(draft.read(PATH) or b"", PATH)
    clean = taken_out(text, known.pieces) if known else text
    if clean is None:
        draft.notes.append(f"left alone: {PATH} was written anew since")
        return
    created = known.created if known else draft.read(PATH) is None
    pieced = Pieced(clean)
    for name in sorted(draft.record.skills):
        if not clean.strip() and not pieced.pieces:
            pieced = add_json(pieced, ("version",), 1, path=PATH)
        pieced = add_json(pieced, ("skills", name), _entry(draft, name), path=PATH)
    if pieced.pieces:
        draft.edit(PATH, pieced.text, EditedSettings(pieced.pieces, created))
    elif known:
        draft.edit(PATH, pieced.text, None)


def _entry(draft: Draft, name: str) -> dict[str, str]:
    return {"source": f"./{SKILLS}/{name}", "sourceType": "local", "computedHash": folder_hash(draft, name)}


def folder_hash(draft: Draft, name: str) -> str:
    """SHA-256 over every path and its bytes, in the order of the paths."""
    total, home = sha256(), f"{SKILLS}/{name}/"
    for path in sorted(draft.record.skills[name].files):
        if path.startswith(home):
            total.update(path.removeprefix(home).encode())
            total.update(draft.read(path) or b"")
    return total.hexdigest()
