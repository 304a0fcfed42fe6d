"""The parts of a skill that can be left out one at a time: list items, paragraphs, fences, whole files.

A part is a set of whole lines in one text of the skill. Headings stay, because they only name what follows;
frontmatter and protected regions are no part. What a part is worth is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sharpen.skills.document import Skill, tokens
from sharpen.skills.package import as_text
from sharpen.skills.regions import find_regions

_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_FENCE = re.compile(r"[ \t]*(```|~~~)")


@dataclass(frozen=True)
class Part:
    """Lines of SKILL.md (or of `file`), counted from 1, under the name a report shows."""

    name: str
    lines: tuple[int, ...]
    text: str
    file: str = ""


def parts_of(skill: Skill) -> tuple[Part, ...]:
    """Every block of the editable text, and every text file as one part."""
    lines = skill.text.splitlines(keepends=True)
    free = reachable_lines(skill)
    blocks = [
        Part(_range(numbers), tuple(numbers), "".join(lines[n - 1] for n in numbers).rstrip("\n"))
        for numbers in _blocks(lines)
        if free.issuperset(numbers)
    ]
    return (*blocks, *_file_parts(skill))


def without(skill: Skill, parts: Iterable[Part]) -> Skill:
    """The skill without these lines; a file of which nothing is left goes, too."""
    gone: dict[str, set[int]] = {}
    for part in parts:
        gone.setdefault(part.file, set()).update(part.lines)
    files = dict(skill.files)
    for path in gone.keys() - {""}:
        kept = _without_lines(as_text(files[path]) or "", gone[path])
        files[path] = kept.encode("utf-8")
        if not kept.strip():
            del files[path]
    return Skill(_without_lines(skill.text, gone.get("", set())), files)


def reachable_lines(skill: Skill) -> frozenset[int]:
    """The lines of SKILL.md, counted from 1, that touch neither frontmatter nor a protected region."""
    held = [(0, skill.body_start)]
    held += [(region.start, region.end) for region in find_regions(skill.text, start=skill.body_start)]
    free, at = set(), 0
    for number, line in enumerate(skill.text.splitlines(keepends=True), 1):
        end = at + len(line)
        if not any(start < end and at < stop for start, stop in held):
            free.add(number)
        at = end
    return frozenset(free)


def tokens_of(skill: Skill) -> int:
    """Tokens of SKILL.md and of every text file beside it."""
    return skill.tokens + sum(tokens(as_text(data) or "") for data in skill.files.values())


def _file_parts(skill: Skill) -> Iterator[Part]:
    for path, data in sorted(skill.files.items()):
        text = as_text(data)
        if text is not None and text.strip():
            yield Part(path, tuple(range(1, len(text.splitlines()) + 1)), text, path)


def _blocks(lines: list[str]) -> Iterator[list[int]]:
    """Runs of lines that belong together: an item with what is indented below it, a paragraph, a fence."""
    block: list[int] = []
    fence = ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence:
            block.append(number)
            fence = "" if mark and mark[1] == fence else fence
            continue
        ends = not line.strip() or _HEADING.match(line) or _ITEM.match(line)
        if ends and block:
            yield block
            block = []
        if line.strip() and not _HEADING.match(line):
            block.append(number)
            fence = mark[1] if mark else ""
    if block:
        yield block


def _without_lines(text: str, numbers: set[int]) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(line for number, line in enumerate(lines, 1) if number not in numbers)


def _range(numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return f"line {first}" if first == last else f"lines {first}-{last}"
