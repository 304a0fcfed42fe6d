"""Apply edits to a skill: one after the other, each with a status and a reason.

Edits reach the editable text only. An edit is located and spliced in; then the new text is compared with
the old one: frontmatter and protected regions must be there byte for byte, or the edit is dropped. Applying
is total: whatever a model proposes ends in a report, never in an exception. How one edit changes one text is
in `splice.py`, which files it may change in `package.py`. Whether an edit helps is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sharpen.skills.document import Skill, is_blank
from sharpen.skills.edits import Edit
from sharpen.skills.frontmatter import body_start, opens_frontmatter
from sharpen.skills.package import edit_file
from sharpen.skills.regions import Region, find_regions
from sharpen.skills.reports import EditReport
from sharpen.skills.splice import Outcome, Text, splice


@dataclass(frozen=True, slots=True)
class Applied:
    """The candidate, one report per edit, and the edits that took effect."""

    skill: Skill
    reports: tuple[EditReport, ...]
    applied: tuple[Edit, ...]
    changed: bool


def apply_edits(
    skill: Skill, edits: Iterable[Edit], *, limit: int | None = None, first_occurrence: bool = False
) -> Applied:
    """Apply the edits in order, at most `limit` of them with effect.

    A target that occurs more than once in the editable text is ambiguous, unless `first_occurrence` asks for
    SkillOpt's behaviour of taking the first.
    """
    current = Text(skill.text, skill.body_start, find_regions(skill.text, start=skill.body_start))
    files = skill.files
    reports: list[EditReport] = []
    applied: list[Edit] = []
    for index, edit in enumerate(edits, 1):
        if limit is not None and len(applied) >= limit:
            outcome = Outcome(None, "skipped_over_budget", f"{limit} edits already took effect")
        elif edit.file != "":
            outcome, files = edit_file(files, edit, first=first_occurrence)
        else:
            outcome, current = _step(current, edit, first=first_occurrence)
        reports.append(EditReport.on(index, edit, status=outcome.status, reason=outcome.reason))
        if outcome.text is not None:
            applied.append(edit)
    changed = current.text != skill.text or (files is not skill.files and files != skill.files)
    candidate = Skill(current.text, files) if changed else skill
    return Applied(candidate, tuple(reports), tuple(applied), changed)


def _step(current: Text, edit: Edit, *, first: bool) -> tuple[Outcome, Text]:
    outcome = splice(current, edit, first=first)
    return (outcome, current) if outcome.text is None else _admit(current, outcome, outcome.text)


def _admit(old: Text, outcome: Outcome, text: str) -> tuple[Outcome, Text]:
    """Take a spliced text over only if nothing protected changed and it can be read back as a skill."""
    if text == old.text:
        return Outcome(None, "skipped_no_change", "the result equals the text before"), old
    start = body_start(text) if old.start else 0
    assert text.startswith(old.text[: old.start]), "an edit reached the frontmatter"
    regions = find_regions(text, start=start)
    if (regions or old.regions) and _protected(text, regions) != _protected(old.text, old.regions):
        reason = "the edit would put together or break a protected region's marker"
        return Outcome(None, "skipped_protected_region", reason), old
    if not start and (opens_frontmatter(text) or is_blank(text)):
        reason = "the result would be empty, or begin with a '---' line, and could not be read as a skill"
        return Outcome(None, "skipped_unreadable_result", reason), old
    return outcome, Text(text, start, regions)


def _protected(text: str, regions: tuple[Region, ...]) -> list[str]:
    return [text[region.start : region.end] for region in regions]
