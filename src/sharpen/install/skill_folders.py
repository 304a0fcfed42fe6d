"""Skill folders: one real folder in `.agents/skills`, and a link to it for a client that looks elsewhere.

What does not lint is refused, and so is a name that somebody else's skill has: nothing is written over
that is not ours, and nothing of ours that somebody has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from sharpen.clients import Client
from sharpen.errors import UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import InstalledSkill, digest_of_bytes
from sharpen.install.scope import SKILLS
from sharpen.skills import Finding, Skill, lint
from sharpen.skills.folder import SKILL_FILE

REFUSED = ("client-expands-variable", "zero-width-character")
"""Warnings of the linter that are errors here, because a client would change the text or hide some of it."""
LINKS = hasattr(os, "symlink") and os.name == "posix"
"""Elsewhere links need rights that few have; there the folder is copied."""


def place(draft: Draft, skill: Skill, clients: Sequence[Client]) -> None:
    """Plan the skill's folder and its links; UsageError when it may not be installed."""
    name = checked_name(skill, clients, draft.notes)
    owned = draft.record.skills.get(name)
    home = f"{SKILLS}/{name}"
    files = {f"{home}/{path}": data for path, data in contents(skill).items()}
    links = []
    for link in _links(clients, draft, name):
        _refuse_foreign(draft, link, owned)
        if LINKS:
            draft.link(link, os.path.relpath(home, str(PurePosixPath(link).parent)))
            links.append(link)
        else:
            files |= {f"{link}/{path}": data for path, data in contents(skill).items()}
    _refuse_foreign(draft, home, owned)
    _remove_old(draft, owned, files)
    for path, data in files.items():
        draft.write(path, data)
    names = sorted({client.name for client in clients} | set(owned.clients if owned else ()))
    linked = sorted({*links, *(owned.links if owned else ())})
    digests = {path: digest_of_bytes(data) for path, data in files.items()}
    installed = InstalledSkill(skill.digest, tuple(names), digests, tuple(linked))
    draft.record = draft.record.with_skill(name, installed)


def take_away(draft: Draft, name: str) -> None:
    """Plan the removal of a skill of ours."""
    owned = draft.record.skills[name]
    for link in owned.links:
        place = draft.scope.at(link)
        if place.is_symlink() and place.resolve() == draft.scope.at(f"{SKILLS}/{name}").resolve():
            draft.remove(link)
    for path, digest in owned.files.items():
        draft.remove_unless_changed(path, digest)
    draft.record = draft.record.with_skill(name, None)


def contents(skill: Skill) -> dict[str, bytes]:
    """Every file of the skill's folder."""
    return {SKILL_FILE: skill.text.encode(), **skill.files}


def checked_name(skill: Skill, clients: Sequence[Client], notes: list[str]) -> str:
    """The skill's name, if it may be installed; its warnings go into the notes."""
    name = skill.name
    if not name:
        raise UsageError(
            "a skill without a name cannot be installed; `sharpen export --name … --description …` gives one"
        )
    findings = lint(skill, folder_name=name)
    wrong = [one for one in findings if one.level == "error" or one.rule in REFUSED]
    if wrong:
        raise UsageError(f"the skill {name} cannot be installed: {'; '.join(map(_told, wrong))}")
    length = len(skill.description or "")
    for client in clients:
        if length > client.longest_description:
            raise UsageError(
                f"the skill {name} cannot be installed for {client.title}: its description has {length} "
                f"characters and {client.longest_description} are read; shorten it"
            )
    notes.extend(f"warning: {name}: {_told(one)}" for one in findings)
    return name


def catalogue_notes(draft: Draft, clients: Sequence[Client], skills: Sequence[Skill]) -> Iterator[str]:
    """A warning for each client whose list of skills grows beyond what it shows."""
    listed = sum(len(skill.name or "") + len(skill.description or "") for skill in skills)
    new = {skill.name for skill in skills}
    for entry in sorted(draft.scope.at(SKILLS).glob(f"*/{SKILL_FILE}")):
        if entry.parent.name not in new:
            other = Skill.read(entry.parent)
            listed += len(other.name or "") + len(other.description or "")
    for client in clients:
        if client.catalogue is not None and listed > client.catalogue:
            yield (
                f"warning: names and descriptions in {SKILLS} have {listed} characters; {client.title} may "
                f"show {client.catalogue} and cuts the rest"
            )


def _told(finding: Finding) -> str:
    return f"line {finding.line}: {finding.message}" if finding.line else finding.message


def _links(clients: Sequence[Client], draft: Draft, name: str) -> Iterator[str]:
    """Where the folder has to appear besides `.agents/skills`."""
    places = set()
    for client in clients:
        folders = client.skills.user if draft.scope.name == "user" else client.skills.project
        if SKILLS not in folders:
            places.add(folders[0])
    for folder in sorted(places):
        same = draft.scope.at(folder).resolve() == draft.scope.at(SKILLS).resolve()
        if not same:  # some people link the whole folder
            yield f"{folder}/{name}"


def _refuse_foreign(draft: Draft, path: str, owned: InstalledSkill | None) -> None:
    """UsageError when there is something at the path that is not ours as we left it."""
    place = draft.scope.at(path)
    if not os.path.lexists(place):
        return
    copies = {file: digest for file, digest in (owned.files if owned else {}).items() if _below(file, path)}
    if owned is not None and path in owned.links and place.is_symlink():
        return
    if not copies:
        raise UsageError(f"{place} is there already and was not installed by sharpen; rename one of the two")
    for file, digest in copies.items():
        data = draft.read(file)
        if data is not None and digest_of_bytes(data) != digest:
            raise UsageError(
                f"{draft.scope.at(file)} was changed since it was installed; keep your change elsewhere, "
                f"then `sharpen uninstall {PurePosixPath(path).name}` and install again"
            )


def _below(file: str, folder: str) -> bool:
    return file.startswith(f"{folder}/")


def _remove_old(draft: Draft, owned: InstalledSkill | None, files: dict[str, bytes]) -> None:
    """Files of the version before that this one no longer has."""
    for path, digest in owned.files.items() if owned else ():
        if path not in files:
            draft.remove_unless_changed(path, digest)
