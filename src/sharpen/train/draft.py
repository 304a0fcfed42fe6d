"""The draft: the incumbent skill plus edits that look good on train and prove nothing yet.

A draft is kept as a base and a list of changes, each the unit that can be blamed, vetted and taken out
again; its text is what comes of applying them in order. It knows edits and texts, not scores of tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sharpen.skills import Edit, Skill, apply_edits


@dataclass(frozen=True, slots=True)
class Change:
    """One adopted edit, the train task that spoke for it, and how much it seemed to gain there."""

    edit: Edit
    witness: int | None = None
    gain: float = 0.0
    vetted: bool = False
    barren: int = 0
    """Fruitless lanes before it was found."""


@dataclass(frozen=True)
class Draft:
    """Immutable: every change makes another draft."""

    base: Skill
    changes: tuple[Change, ...] = ()
    _after: Mapping[int, Skill] = field(default_factory=dict, compare=False, repr=False)
    """The skill after the first so many changes, where each of them is known to have had an effect."""

    @cached_property
    def skill(self) -> Skill:
        if not self.changes:
            return self.base
        known = self._after.get(len(self.changes))
        return known or apply_edits(self.base, [change.edit for change in self.changes]).skill

    def plus(self, changes: Iterable[Change]) -> Draft | None:
        """With these changes too; None when none of them changes the text."""
        draft = self
        for change in changes:
            draft = draft._plus_one(change) or draft
        return None if draft is self or draft.skill.digest == self.skill.digest else draft

    def _plus_one(self, change: Change) -> Draft | None:
        """Undoing an earlier change takes that change out instead of stacking a second one on it."""
        if change.edit.op == "delete":
            for k, earlier in enumerate(self.changes):
                if earlier.edit.op == "append" and earlier.edit.content.strip() == change.edit.target.strip():
                    return self.without(k)
        applied = apply_edits(self.skill, [change.edit])
        if not applied.changed:
            return None
        n = len(self.changes)
        after = {**self._after, n + 1: applied.skill} if not n or n in self._after else {}
        return Draft(self.base, (*self.changes, change), after)

    def without(self, k: int) -> Draft | None:
        """Without one change; None when another change builds on it or nothing would differ."""
        start = max((n for n in self._after if n <= k), default=0)
        between, beyond = self.changes[start:k], self.changes[k + 1 :]
        applied = apply_edits(
            self._after.get(start, self.base), [change.edit for change in (*between, *beyond)]
        )
        if not all(report.took_effect for report in applied.reports):
            return None
        if applied.skill.digest == self.skill.digest:
            return None
        rest = self.changes[:k] + beyond
        return Draft(self.base, rest, {**_up_to(start, self._after), len(rest): applied.skill})

    def marked(self, vetted: Iterable[int]) -> Draft:
        """The same text with these changes noted as vetted."""
        wanted = set(vetted)
        changes = tuple(replace(c, vetted=True) if k in wanted else c for k, c in enumerate(self.changes))
        return Draft(self.base, changes, self._after)

    def index_of(self, edit: Edit) -> int | None:
        return self._places.get(edit.key)

    @cached_property
    def _places(self) -> dict[object, int]:
        return {change.edit.key: k for k, change in enumerate(self.changes)}


def _up_to(n: int, after: Mapping[int, Skill]) -> dict[int, Skill]:
    return {k: skill for k, skill in after.items() if k <= n}
