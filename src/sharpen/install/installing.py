"""The two front doors, `install` and `uninstall`: plan everything, then do it, or only say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sharpen.clients import Client
from sharpen.errors import UsageError
from sharpen.install import codex_profile, hooks, lock, skill_folders
from sharpen.install.draft import Draft
from sharpen.install.scope import Scope
from sharpen.skills import Skill


@dataclass(frozen=True)
class Outcome:
    """What was done, or would be: (action, path) in order, and what to know about it."""

    changes: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def install(
    skills: Sequence[Skill],
    clients: Sequence[Client],
    *,
    scope: Scope,
    profile: str | None = None,
    dry_run: bool = False,
) -> Outcome:
    """Put the skills, and the event rules they carry, where these clients look.

    Installing again changes nothing. `profile` switches the skills on in this profile of Codex only.
    UsageError when a skill may not be installed or a name is taken; then nothing was written.
    """
    draft = Draft(scope)
    for skill in skills:
        skill_folders.place(draft, skill, clients)
    draft.notes.extend(skill_folders.catalogue_notes(draft, clients, skills))
    hooks.place(draft)
    lock.place(draft)
    codex_profile.place(draft, [str(skill.name) for skill in skills], profile)
    return _done(draft, dry_run=dry_run)


def uninstall(names: Sequence[str], *, scope: Scope, dry_run: bool = False) -> Outcome:
    """Take the named skills out again, or all of them when none is named."""
    draft = Draft(scope)
    unknown = [name for name in names if name not in draft.record.skills]
    if unknown:
        there = ", ".join(draft.record.skills) or "none"
        raise UsageError(f"not installed by sharpen in this scope: {', '.join(unknown)} (there are: {there})")
    for name in names or tuple(draft.record.skills):
        skill_folders.take_away(draft, name)
        codex_profile.take_away(draft, name)
    hooks.place(draft)
    lock.place(draft)
    return _done(draft, dry_run=dry_run)


def _done(draft: Draft, *, dry_run: bool) -> Outcome:
    if not dry_run:
        draft.apply()
    return Outcome(tuple((one.action, one.path) for one in draft.changes), tuple(draft.notes))
