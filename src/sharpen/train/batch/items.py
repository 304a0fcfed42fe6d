"""What a step chooses from: edits, suggestions or whole skills, each with the support it has.

Items are plain JSON, as the teacher writes them and as run folders keep them; the numbers on them (support,
source, level) are ours and are never taken from a model's word alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sharpen.errors import EditError
from sharpen.evaluate import Proposal
from sharpen.skills import Edit

Item = Mapping[str, Any]
Kind = Literal["edits", "suggestions", "candidates"]
LISTS: dict[Kind, str] = {
    "edits": "edits",
    "suggestions": "revise_suggestions",
    "candidates": "skill_candidates",
}
"""Under which name answers and run folders hold the items of each kind."""
ESSENCE = {"suggestions": "instruction", "candidates": "new_skill"}
"""The field without which an item says nothing."""


def items_of(kind: Kind, answer: Proposal, *, support: int, source: str) -> tuple[Item, ...]:
    """The items of one reflection; none has more support than the attempts it was drawn from."""
    raw: Iterable[Any] = (
        (edit.to_json() for edit in answer.edits) if kind == "edits" else answer.data.get(LISTS[kind]) or ()
    )
    found = []
    for item in raw:
        if isinstance(item, Mapping) and says_something(kind, item):
            stated = item.get("support_count", support)
            count = min(max(1, stated), support) if type(stated) is int else support
            found.append({**item, "support_count": count, "source_type": source, "merge_level": 0})
    return tuple(found)


def says_something(kind: Kind, item: Item) -> bool:
    if kind == "edits":
        try:
            Edit.from_json(item)
        except EditError:
            return False
        return True
    value = item.get(ESSENCE[kind])
    return isinstance(value, str) and bool(value.strip())


def essence(kind: Kind, item: Item) -> object:
    """Equal for items that say the same in other white space."""
    if kind == "edits":
        return Edit.from_json(item).key
    return " ".join(str(item.get(ESSENCE[kind])).split())


def united(items: Sequence[Item], *, level: int) -> dict[str, Any]:
    """What several items amount to in numbers: support adds up, a failure among them makes it a failure's."""
    return {
        "support_count": sum(int(item.get("support_count", 1)) for item in items),
        "source_type": "failure" if any(i.get("source_type") == "failure" for i in items) else "success",
        "merge_level": level,
    }


def edits_of(items: Iterable[Item]) -> list[Edit]:
    return [Edit.from_json(item) for item in items]
