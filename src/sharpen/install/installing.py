"""The two front doors, `install` and `uninstall`: plan everything, then do it, or only say it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from sharpen.clients import Client
from sharpen.errors import UsageError
from sharpen.install import codex_profile, hooks, lock, skill_folders
from sharpen.install.draft import Change, Draft
from sharpen.install.placing import LinkRefusedError
from sharpen.install.scope import Scope
from sharpen.skills import Skill


@dataclass(frozen=True)
class Outcome:
    """What was done, or would be, in order, and what to know about it."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()


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
    UsageError when a skill may not be installed or a name is taken, StoreError when the disk refuses; then
    nothing was changed.
    """
    codex_profile.check(profile)
    scope.refuse_shared()
    with nullcontext() if dry_run else scope.locked():
        try:
            return _done(
                _planned(skills, clients, scope, profile, links=skill_folders.LINKS), dry_run=dry_run
            )
        except LinkRefusedError:
            return _done(_planned(skills, clients, scope, profile, links=False), dry_run=dry_run)


def _planned(
    skills: Sequence[Skill], clients: Sequence[Client], scope: Scope, profile: str | None, *, links: bool
) -> Draft:
    draft = Draft(scope)
    if top := scope.repository:
        draft.notes.append(
            f"this is for {scope.root}; its git project begins at {top}: --project names another"
        )
    for skill in skills:
        skill_folders.place(draft, skill, clients, profile=profile, links=links)
    draft.notes.extend(skill_folders.catalogue_notes(draft, clients, skills))
    _place_settings(draft)
    return draft


def uninstall(names: Sequence[str], *, scope: Scope, dry_run: bool = False) -> Outcome:
    """Take the named skills out again, or all of them when none is named."""
    with nullcontext() if dry_run else scope.locked():
        draft = Draft(scope)
        unknown = [name for name in names if name not in draft.record.skills]
        if unknown:
            there = ", ".join(draft.record.skills) or "none"
            raise UsageError(
                f"not installed by sharpen in {scope.root}: {', '.join(unknown)} (there are: {there})"
            )
        for name in dict.fromkeys(names or draft.record.skills):
            skill_folders.take_away(draft, name)
        _place_settings(draft)
        return _done(draft, dry_run=dry_run)


def _place_settings(draft: Draft) -> None:
    """Everything that follows from the skills which the record will have."""
    hooks.place(draft)
    lock.place(draft)
    codex_profile.place(draft)


def _done(draft: Draft, *, dry_run: bool) -> Outcome:
    changes = tuple(draft.told(diffs=dry_run))
    if kept := [draft.scope.shown(path) for path in draft.backed_up]:
        draft.notes.append(f"as they were, {', '.join(kept)} are kept in {draft.scope.backups}")
    if not dry_run:
        draft.apply()
    return Outcome(changes, tuple(draft.notes))
