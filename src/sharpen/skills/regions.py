"""Protected regions: the parts of a skill that no step edit reaches.

A region runs from its start marker to the next end marker of the same name, both included; one that is never
closed runs to the end of the document. Markers in the frontmatter mean nothing. Everything here works on
positions and splices; whether an edit is sensible is `apply.py`'s business.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from sharpen.errors import SkillError
from sharpen.skills.frontmatter import body_start, opens_frontmatter
from sharpen.skills.markdown import block

if TYPE_CHECKING:
    from sharpen.skills.document import Skill

RegionName = Literal["slow_update", "appendix"]
_START: dict[RegionName, str] = {
    "slow_update": "<!-- SLOW_UPDATE_START -->",
    "appendix": "<!-- APPENDIX_START -->",
}
_END: dict[RegionName, str] = {
    "slow_update": "<!-- SLOW_UPDATE_END -->",
    "appendix": "<!-- APPENDIX_END -->",
}
MARKER = re.compile(r"<!-- (?:SLOW_UPDATE|APPENDIX)_(?:START|END) -->")


class Region(NamedTuple):
    """Characters `start` to `end` of a text, markers included."""

    name: RegionName
    start: int
    end: int
    closed: bool


def find_regions(text: str, *, start: int) -> tuple[Region, ...]:
    """The regions after position `start` (where the body begins), in order, never overlapping."""
    if text.find("_START -->", start) == -1:  # nearly every text, thousands of times per run
        return ()
    regions: list[Region] = []
    while (region := _next_region(text, start)) is not None:
        regions.append(region)
        start = region.end
    return tuple(regions)


def _next_region(text: str, start: int) -> Region | None:
    openings = [(at, name) for name, marker in _START.items() if (at := text.find(marker, start)) != -1]
    if not openings:
        return None
    at, name = min(openings)
    end = text.find(_END[name], at)
    if end == -1:
        return Region(name, at, len(text), closed=False)
    return Region(name, at, end + len(_END[name]), closed=True)


def editable_spans(text: str, regions: tuple[Region, ...], *, start: int) -> list[tuple[int, int]]:
    """What is left of the body between the regions."""
    spans = []
    for region in regions:
        spans.append((start, region.start))
        start = region.end
    spans.append((start, len(text)))
    return spans


def tail_start(text: str, regions: tuple[Region, ...]) -> int:
    """Where the run of regions at the very end begins; the text's length when it does not end in a region."""
    at = len(text)
    for region in reversed(regions):
        if text[region.end : at].strip():
            break
        at = region.start
    return at


def strip_markers(text: str) -> str:
    """Take every marker out, also those that only appear once another one is gone."""
    while "<!-- " in text and (stripped := MARKER.sub("", text)) != text:
        text = stripped
    return text


def region_content(skill: Skill, name: RegionName) -> str | None:
    """What the first region of that name says, without markers and blank edges; None when there is none."""
    for region in find_regions(skill.text, start=skill.body_start):
        if region.name == name:
            end = region.end - (len(_END[name]) if region.closed else 0)
            return skill.text[region.start + len(_START[name]) : end].strip()
    return None


def with_region(skill: Skill, name: RegionName, content: str) -> Skill:
    """The skill with exactly one region of that name: where the first one was, else new at the tail."""
    region_text = f"{_START[name]}\n{strip_markers(content).strip()}\n{_END[name]}"
    regions = find_regions(skill.text, start=skill.body_start)
    own = [region for region in regions if region.name == name]
    if not own:
        return skill.with_text(_add_at_tail(skill, regions, region_text))
    text = skill.text
    for region in reversed(own[1:]):
        text = text[: region.start].rstrip() + "\n" + text[region.end :].lstrip("\r\n")
    first = own[0]
    return skill.with_text(text[: first.start] + region_text + (text[first.end :] or "\n"))


def _add_at_tail(skill: Skill, regions: tuple[Region, ...], added: str) -> str:
    """After everything, except that nothing can follow a region which was never closed."""
    text = skill.text
    cut = regions[-1].start if regions and not regions[-1].closed else len(text)
    body = text[skill.body_start : cut].rstrip()
    head = _spaced(text[: skill.body_start]) + (body + "\n\n" if body else "")
    return head + added + "\n" + ("\n" + text[cut:] if text[cut:] else "")


def _spaced(front: str) -> str:
    """Frontmatter, if any, followed by a blank line."""
    return front and front + ("\n" if front.endswith("\n") else "\n\n")


def rewrite(skill: Skill, new_text: str) -> Skill:
    """The skill with another body; its frontmatter stays, and its regions move to the tail byte for byte.

    Frontmatter, regions and markers inside `new_text` are dropped: a rewrite speaks for the editable text.
    """
    body = block(_without_regions(new_text[body_start(new_text) :]))
    if not body:
        raise SkillError(
            "the rewritten skill has no text of its own; keep the old one or write at least a line"
        )
    if not skill.body_start and opens_frontmatter(body):
        body = "\n" + body  # a rule at the top must not be read as the start of frontmatter
    regions = find_regions(skill.text, start=skill.body_start)
    kept = [skill.text[region.start : region.end] for region in regions]
    text = _spaced(skill.text[: skill.body_start]) + "\n\n".join([body, *kept])
    return skill.with_text(text + "\n" if not regions or regions[-1].closed else text)


def _without_regions(text: str) -> str:
    spans = editable_spans(text, find_regions(text, start=0), start=0)
    return strip_markers("".join(text[start:end] for start, end in spans))
