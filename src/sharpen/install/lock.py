"""`skills-lock.json`, the project file in which `npx skills` notes where skills came from.

Ours are noted the same way, as local ones, so that its users see them. The lock of the home folder holds
dates and is that program's own; it is left alone.
"""

from __future__ import annotations

from hashlib import sha256
from unicodedata import combining, normalize

from sharpen.errors import UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import EditedSettings
from sharpen.install.scope import SKILLS
from sharpen.install.settings import Pieced, Syntax, add_json, cleared, without_empty, without_key

PATH = "skills-lock.json"
ALPHABET = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
"""ASCII in the order of Unicode's collation."""


def place(draft: Draft) -> None:
    """Plan the entries of the skills that the record will have."""
    if draft.scope.name == "user":
        return
    known, syntax = draft.record.settings.get(PATH), Syntax(str(draft.scope.at(PATH)))
    if known is None and not draft.record.skills:
        return
    text = draft.text(PATH)
    if known:
        text = cleared(text, known.pieces, lambda given: _without(given, draft, known, syntax), syntax)
    pieced = Pieced(text)
    for name in sorted(draft.record.skills):
        if syntax.parsed(pieced.text) is None:
            pieced = add_json(pieced, ("version",), 1, syntax)
        _refuse_other(pieced.text, name, syntax)
        pieced = add_json(pieced, ("skills", name), _entry(draft, name), syntax)
    created = known.created if known else not draft.exists(PATH)
    ours = EditedSettings(pieced.pieces, created, pieced.made)
    draft.edit(PATH, pieced.text, ours if pieced.pieces else None)


def _without(text: str, draft: Draft, known: EditedSettings, syntax: Syntax) -> str:
    """The text without entries that still say what we wrote, and without what was made for them."""
    for name in draft.before.skills:
        root = syntax.parsed(text)
        source = root.at(("skills", name, "source")) if root else None
        if source and source.value == _source(name):
            text = without_key(text, ("skills", name), syntax)
    text = without_empty(text, known.made, syntax)
    only = syntax.parsed(text)
    made_all = ("version",) in known.made and only is not None and list(only.members) == ["version"]
    return without_key(text, ("version",), syntax) if made_all else text


def _refuse_other(text: str, name: str, syntax: Syntax) -> None:
    root = syntax.parsed(text)
    if root and root.at(("skills", name)):
        raise UsageError(
            f"{syntax.path} has a skill {name} from somewhere else; remove it there, or rename yours"
        )


def _entry(draft: Draft, name: str) -> dict[str, str]:
    return {"source": _source(name), "sourceType": "local", "computedHash": folder_hash(draft, name)}


def _source(name: str) -> str:
    return f"./{SKILLS}/{name}"


def folder_hash(draft: Draft, name: str) -> str:
    """SHA-256 over every path and its bytes, in the order in which `npx skills` puts the paths."""
    total, home = sha256(), f"{SKILLS}/{name}/"
    files = (path.removeprefix(home) for path in draft.record.skills[name].files if path.startswith(home))
    for path in sorted(files, key=collated):
        if "node_modules" not in path.split("/")[:-1]:
            total.update(path.encode())
            total.update(draft.read(home + path) or b"")
    return total.hexdigest()


def collated(path: str) -> tuple[list[tuple[int, str]], list[str], list[bool]]:
    """A sorting key for the order of JavaScript's `localeCompare`: letters, then accents, then capitals.

    Exact for ASCII and for Latin letters with accents; other scripts come after them by code point.
    """
    letters: list[tuple[int, str]] = []
    accents: list[str] = []
    capitals: list[bool] = []
    for letter in normalize("NFD", path):
        if combining(letter) and accents:
            accents[-1] += letter
            continue
        small = letter.lower()
        rank = ALPHABET.find(small)
        letters.append((rank, "") if rank >= 0 else (len(ALPHABET), small))
        accents.append("")
        capitals.append(letter != small)
    return letters, accents, capitals
