"""The chosen items into a candidate: edits applied, a skill rewritten from suggestions, or a whole new one.

Whatever the teacher writes, protected regions and frontmatter are carried over byte for byte: edits cannot
reach them, and a rewrite is only ever spliced in between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sharpen.errors import SkillError
from sharpen.evaluate import Proposal, Question
from sharpen.skills import Skill, apply_edits, region_content, rewrite, with_region
from sharpen.train.batch.items import Kind, edits_of
from sharpen.train.batch.merging import Pool
from sharpen.train.draft import Change
from sharpen.train.means import Means
from sharpen.train.settings import UpdateMode

KINDS: dict[UpdateMode, Kind] = {
    "patch": "edits",
    "rewrite_from_suggestions": "suggestions",
    "full_rewrite_minibatch": "candidates",
}
"""What reflections of each mode bring."""


@dataclass(frozen=True)
class Update:
    """A candidate and how it came about; `skill` is None when nothing came of it."""

    skill: Skill | None
    changes: tuple[Change, ...] = ()
    record: dict[str, Any] = field(default_factory=dict)

    def with_skill(self, skill: Skill) -> Update:
        return replace(self, skill=skill)


class Updating:
    """Makes candidates in the mode of the run."""

    def __init__(self, means: Means) -> None:
        self._means, self._batch = means, means.settings.batch

    async def candidate(self, chosen: Pool, skill: Skill, *, memory: str) -> Update:
        if self._batch.mode == "patch":
            return self._patched(chosen, skill)
        if self._batch.mode == "full_rewrite_minibatch":
            return self._replaced(chosen, skill)
        return await self._rewritten(chosen, skill, memory)

    def _patched(self, chosen: Pool, skill: Skill) -> Update:
        applied = apply_edits(skill, edits_of(chosen.items), first_occurrence=self._batch.first_match)
        if not applied.changed:
            return Update(None)
        return Update(applied.skill, tuple(Change(edit) for edit in applied.applied))

    def _replaced(self, chosen: Pool, skill: Skill) -> Update:
        """The first whole skill that can be used."""
        for item in chosen.items:
            new = _spliced(skill, str(item["new_skill"]))
            if new is not None:
                return Update(new, record=dict(item))
        return Update(None)

    async def _rewritten(self, chosen: Pool, skill: Skill, memory: str) -> Update:
        material = {"suggestions": [dict(item) for item in chosen.items]}
        question = Question(skill, (), len(chosen.items), memory, matter="rewrite", material=material)
        (answer,) = await self._means.runner.run([question], reserve=self._means.plan.search)
        if not isinstance(answer, Proposal) or answer.error:
            return Update(None)
        new = _spliced(skill, str(answer.data.get("new_skill") or ""))
        return Update(new, record=dict(answer.data))


def _spliced(skill: Skill, text: str) -> Skill | None:
    """The skill with this text between its protected regions; None when there is no text, or no change."""
    try:
        new = rewrite(skill, text)
    except SkillError:
        return None
    return new if new.digest != skill.digest else None


def with_notes(skill: Skill, notes: Sequence[str]) -> Skill:
    """The skill with these lapses added to its appendix, each once."""
    held = notes_of(skill)
    fresh = [note for note in dict.fromkeys(" ".join(note.split()) for note in notes) if note not in held]
    return with_region(skill, "appendix", _bullets([*held, *fresh])) if fresh else skill


def with_only(skill: Skill, notes: Sequence[str]) -> Skill:
    """The skill with an appendix of exactly these notes."""
    return with_region(skill, "appendix", _bullets(notes))


def notes_of(skill: Skill) -> list[str]:
    """The lines of the appendix, without their bullets."""
    text = region_content(skill, "appendix") or ""
    return [line.removeprefix("- ").strip() for line in text.splitlines() if line.strip()]


def _bullets(notes: Sequence[str]) -> str:
    return "\n".join(f"- {note}" for note in notes)
