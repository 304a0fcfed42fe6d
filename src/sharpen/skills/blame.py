"""Blame: for every line of a skill and of its files, the step that brought it in.

The chain of texts is given; where it comes from, and what an origin means, is the caller's to know. Lines are
compared step by step, so a line keeps its oldest origin for as long as nobody changes it. A file that is not
UTF-8 has no lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from sharpen.skills.package import as_text


@dataclass(frozen=True)
class Step:
    """A text in the chain, and what brought it about: the edits, the evidence, the evaluation."""

    text: str
    origin: str
    detail: Mapping[str, object] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class BlameLine:
    """Line `number` (from 1) of the last text, with the origin and detail of step number `step` (from 0).

    `file` is the file the line stands in; empty for the text itself.
    """

    number: int
    text: str
    origin: str
    detail: Mapping[str, object]
    step: int
    file: str = ""


def blame(steps: Sequence[Step]) -> tuple[BlameLine, ...]:
    """One BlameLine per line of the last step's text and files; the first step is the starting skill."""
    found = _owned([step.text for step in steps], steps, "")
    for path in sorted(steps[-1].files) if steps else ():
        found += _owned([as_text(step.files.get(path, b"")) or "" for step in steps], steps, path)
    return tuple(found)


def _owned(texts: Sequence[str], steps: Sequence[Step], file: str) -> list[BlameLine]:
    """The lines of the last of the texts, each with the step that brought it in."""
    lines: list[str] = []
    owners: list[int] = []
    for number, text in enumerate(texts):
        new = text.splitlines()
        owners = _inherit(owners, lines, new, number)
        lines = new
    return [
        BlameLine(at, text, steps[owner].origin, steps[owner].detail, owner, file)
        for at, (text, owner) in enumerate(zip(lines, owners, strict=True), 1)
    ]


def _inherit(owners: list[int], old: list[str], new: list[str], step: int) -> list[int]:
    """The owners of the new lines. Equal ends are set aside first, because most steps add a line or two."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    middle = _inherit_middle(
        owners[head : len(old) - tail], old[head : len(old) - tail], new[head : len(new) - tail], step
    )
    return owners[:head] + middle + owners[len(old) - tail :]


def _inherit_middle(owners: list[int], old: list[str], new: list[str], step: int) -> list[int]:
    inherited = [step] * len(new)
    if not old or not new:
        return inherited
    for old_at, new_at, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        inherited[new_at : new_at + size] = owners[old_at : old_at + size]
    return inherited
