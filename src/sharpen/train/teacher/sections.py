"""The inputs of a question as sections of text: the skill, and the material of whatever is asked about.

Every input has a heading of its own, so that prompts can be written, and rewritten by users, without
placeholders. Long material is cut to the teacher's budget. What is asked stands in the prompts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from sharpen.skills import Skill, tokens
from sharpen.skills.regions import editable_spans, find_regions
from sharpen.traces.compaction import cut, shares

FILE_TOKENS = 1_000
"""Of each file beside the skill's document."""
PAIR_TOKENS = 40
"""Of the words around what is compared."""


def document(skill: Skill) -> str:
    """The skill whole, with the files beside it."""
    return _section("The skill", f"<skill>\n{skill.text}\n</skill>") + "".join(_files(skill))


def editable(skill: Skill) -> str:
    """The skill without frontmatter and protected regions, which a rewrite does not reach."""
    regions = find_regions(skill.text, start=skill.body_start)
    spans = editable_spans(skill.text, regions, start=skill.body_start)
    body = "".join(skill.text[start:end] for start, end in spans).strip()
    return _section("The skill (the part that can be rewritten)", f"<skill>\n{body}\n</skill>")


def section(title: str, text: str) -> str:
    """A heading with its text; nothing when there is no text."""
    return _section(title, text) if text.strip() else ""


def numbered(title: str, items: Sequence[object]) -> str:
    """Items by their numbers from 0, one line of JSON each; never cut, for they are to be chosen among."""
    lines = (f"[{place}] {_json(item)}" for place, item in enumerate(items))
    return _section(title, "\n".join(lines) or "(none)")


def listed(title: str, records: object, *, budget: int) -> str:
    """Records such as the steps of an epoch, the long ones cut, all of them in the budget."""
    found = [_json(record) for record in records] if isinstance(records, (list, tuple)) else []
    rooms = shares([tokens(text) for text in found], budget - len(found))
    whole = "\n".join(cut(text, room) for text, room in zip(found, rooms, strict=True))
    return section(title, cut(whole, budget))


def comparison(found: object, *, budget: int) -> str:
    """The same tasks under two skills, by what became of them."""
    groups: Mapping[str, object] = found if isinstance(found, Mapping) else {}
    pairs = [(name, item) for name, items in groups.items() for item in _list(items)]
    room = budget // max(1, len(pairs))
    text = "\n\n".join(_pair(name, item, room) for name, item in pairs)
    sizes = ", ".join(f"{len(_list(items))} {name}" for name, items in groups.items())
    return _section(
        "The same tasks under the previous and the current skill", cut(f"{sizes}\n\n{text}", budget)
    )


def _pair(name: str, item: object, room: int) -> str:
    if not isinstance(item, Mapping):
        return cut(f"## {name}: {_json(item)}", room)
    head = f"## {name}: task {item.get('id')}"
    sides = [item.get(side) for side in ("before", "after")]
    texts = [str(item.get("prompt", ""))]
    texts += [_json(side) if side is not None else "(not measured)" for side in sides]
    rooms = shares([tokens(text) for text in texts], room - PAIR_TOKENS)
    prompt, before, after = (cut(text, share) for text, share in zip(texts, rooms, strict=True))
    return cut(f"{head}\nprompt: {prompt}\nbefore: {before}\nafter: {after}", room)


def _files(skill: Skill) -> Iterator[str]:
    for path, content in sorted(skill.files.items()):
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = f"({len(content)} bytes that are not text)"
        yield "\n\n" + _section(f"File {path}", cut(text, FILE_TOKENS))


def _section(title: str, text: str) -> str:
    return f"# {title}\n\n{text.strip()}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []
