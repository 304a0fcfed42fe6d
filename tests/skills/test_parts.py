from __future__ import annotations

from hypothesis import given

from sharpen.skills import Skill, parts_of, tokens_of, without
from sharpen.skills.parts import reachable_lines
from sharpen.skills.regions import find_regions

from .strategies import readable_documents

TEXT = """---
name: "a"
---
# Title

Prose over
two lines.

- item
  goes on
- next
## Part
```
- no item

code
```

<!-- SLOW_UPDATE_START -->
- slow
<!-- SLOW_UPDATE_END -->
1. last
"""


def test_parts_are_what_belongs_together() -> None:
    parts = parts_of(Skill.from_text(TEXT, files={"references/b.md": b"x\ny\n", "assets/i.png": b"\xff"}))
    assert [(part.name, part.text) for part in parts] == [
        ("lines 6-7", "Prose over\ntwo lines."),
        ("lines 9-10", "- item\n  goes on"),
        ("line 11", "- next"),
        ("lines 13-17", "```\n- no item\n\ncode\n```"),
        ("line 22", "1. last"),
        ("references/b.md", "x\ny\n"),
    ]
    assert parts[-1].file == "references/b.md"


def test_leaving_parts_out() -> None:
    skill = Skill.from_text("# S\n- a\n- b\n- c\n", files={"references/b.md": b"x\n", "scripts/c": b"y\n"})
    a, _, c, page, _ = parts_of(skill)
    assert without(skill, [a]).text == "# S\n- b\n- c\n"
    assert without(skill, [a, c, page]) == Skill("# S\n- b\n", {"scripts/c": b"y\n"})
    assert without(skill, []) == skill
    assert tokens_of(skill) - tokens_of(without(skill, [page])) == 2


@given(readable_documents)
def test_leaving_out_every_part_keeps_what_is_protected(text: str) -> None:
    skill = Skill.from_text(text)
    parts = parts_of(skill)
    held = [text[region.start : region.end] for region in find_regions(text, start=skill.body_start)]
    left = without(skill, parts)
    assert left.text.startswith(text[: skill.body_start])
    assert [left.text[r.start : r.end] for r in find_regions(left.text, start=skill.body_start)] == held
    lines = [number for part in parts for number in part.lines]
    assert len(lines) == len(set(lines))
    assert reachable_lines(skill).issuperset(lines)
