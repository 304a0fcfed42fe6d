"""One edit to a skill: the unit a teacher proposes, a gate judges and blame names.

The JSON shape is SkillOpt's, so that patches can be exchanged; the one key of ours, `file`, is left out of
edits to SKILL.md. This module knows what an edit is and when two edits say the same; how an edit changes a
text is `apply.py`'s business, and which files may be named `package.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeGuard, get_args

from sharpen.errors import EditError
from sharpen.skills.folder import SKILL_FILE

Op = Literal["append", "insert_after", "replace", "delete"]
OPS: tuple[Op, ...] = get_args(Op)
EditKey = tuple[str, str, str] | tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Edit:
    """A proposed change. Which of `target` and `content` count depends on the op."""

    op: Op
    target: str = ""  # an exact piece of the skill's text
    content: str = ""
    support_count: int = 1  # how many attempts speak for the edit
    source_type: str = ""  # SkillOpt: "failure" or "success", the kind of attempts the edit was drawn from
    merge_level: int = 0  # how many rounds of merging the edit has been through
    file: str = ""  # a file in the skill's folder, such as "references/units.md"; empty is SKILL.md

    @classmethod
    def append(cls, content: str, *, file: str = "") -> Edit:
        return cls("append", "", content, file=file)

    @classmethod
    def insert_after(cls, target: str, content: str, *, file: str = "") -> Edit:
        return cls("insert_after", target, content, file=file)

    @classmethod
    def replace(cls, target: str, content: str, *, file: str = "") -> Edit:
        return cls("replace", target, content, file=file)

    @classmethod
    def delete(cls, target: str, *, file: str = "") -> Edit:
        return cls("delete", target, file=file)

    @classmethod
    def from_json(cls, value: object) -> Edit:
        """Read an edit out of a model's answer or a file; EditError says what is wrong with it."""
        if not isinstance(value, Mapping):
            raise EditError(f"an edit must be a JSON object, not {type(value).__name__}")
        op = value.get("op")
        if not _is_op(op):
            raise EditError(f"unknown op {_short(op)}; an edit's op is one of {', '.join(OPS)}")
        file = _string(value, "file")
        return cls(
            op=op,
            target=_string(value, "target"),
            content=_string(value, "content"),
            support_count=_count(value, "support_count", default=1),
            source_type=_string(value, "source_type"),
            merge_level=_count(value, "merge_level", default=0),
            file="" if file == SKILL_FILE else file,  # the name a model knows the document by
        )

    def to_json(self) -> dict[str, object]:
        """SkillOpt's JSON; `from_json` reads it back to an equal edit."""
        entry: dict[str, object] = {
            "op": self.op,
            "target": self.target,
            "content": self.content,
            "support_count": self.support_count,
            "source_type": self.source_type,
            "merge_level": self.merge_level,
        }
        return {**entry, "file": self.file} if self.file else entry

    @property
    def key(self) -> EditKey:
        """Equal for edits to the same file that differ in white space or in a field their op does not use."""
        key = _key(self.op, self.target, self.content)
        return (*key, self.file) if self.file else key


def dedupe(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """One edit per key, in order of first appearance; the support of the others is added to the first."""
    kept: dict[EditKey, Edit] = {}
    for edit in edits:
        first = kept.get(edit.key)
        kept[edit.key] = (
            edit if first is None else replace(first, support_count=first.support_count + edit.support_count)
        )
    return tuple(kept.values())


@lru_cache(maxsize=4096)  # loops ask for the same few keys again and again
def _key(op: Op, target: str, content: str) -> tuple[str, str, str]:
    return (op, "" if op == "append" else _squeeze(target), "" if op == "delete" else _squeeze(content))


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _is_op(value: object) -> TypeGuard[Op]:
    return isinstance(value, str) and value in OPS


def _string(value: Mapping[str, object], field: str) -> str:
    found = value.get(field, "")
    if not isinstance(found, str):
        raise EditError(f"an edit's {field} must be a string, not {_short(found)}; leave it out if unused")
    return found


def _count(value: Mapping[str, object], field: str, *, default: int) -> int:
    found = value.get(field, default)
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise EditError(f"an edit's {field} must be a whole number from 0, not {_short(found)}")
    return found


def _short(value: object) -> str:
    return "null" if value is None else repr(value)[:60]
