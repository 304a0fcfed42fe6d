"""Skill folders: one real folder in `.agents/skills`, and a link to it for a client that looks elsewhere.

What does not lint is refused, and so is a name that somebody else's skill has: nothing is written over
that is not ours, and nothing of ours that somebody has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sharpen.clients import Client
from sharpen.errors import SkillError, UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import InstalledSkill, digest_of_bytes
from sharpen.install.scope import SKILLS
from sharpen.skills import Finding, Skill, lint
from sharpen.skills.folder import SKILL_FILE

REFUSED = ("client-expands-variable", "zero-width-character")
"""Warnings of the linter that are errors here, because a client would change the text or hide some of it."""
LINKS = hasattr(os, "symlink") and os.name == "posix"
"""Elsewhere links need rights that few have; there the folder is copied."""


def place(
    draft: Draft, skill: Skill, clients: Sequence[Client], *, profile: str | None = None, links: bool = LINKS
) -> None:
    """Plan the skill's folder and its links; UsageError when it may not be installed."""
    name = checked_name(skill, clients, draft.notes)
    owned = draft.record.skills.get(name)
    _refuse_twice(draft, name)
    home = f"{SKILLS}/{name}"
    files = {f"{home}/{path}": data for path, data in contents(skill).items()}
    linked: list[str] = []
    for link in _links(clients, draft, name):
        _refuse_foreign(draft, link, owned)
        if _is_link(link, owned, links):
            draft.link(link, _target(draft, link, home))
            linked.append(link)
        else:
            files |= {f"{link}/{path}": data for path, data in contents(skill).items()}
    _refuse_foreign(draft, home, owned)
    _remove_old(draft, owned, files)
    for path, data in files.items():
        draft.write(path, data)
    before = owned or InstalledSkill("", (), {})
    installed = InstalledSkill(
        skill.digest,
        _joined(before.clients, (client.name for client in clients)),
        {path: digest_of_bytes(data) for path, data in files.items()},
        _joined(before.links, linked),
        _joined(before.profiles, (profile,) if profile else ()),
    )
    draft.record = draft.record.with_skill(name, installed)


def _is_link(link: str, owned: InstalledSkill | None, links: bool) -> bool:
    """As it is, if it is ours already; else as links can be made here."""
    if owned and link in owned.links:
        return True
    return links and not any(_below(file, link) for file in (owned.files if owned else ()))


def _joined(before: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*before, *new}))


def _target(draft: Draft, link: str, home: str) -> str:
    """The way from the link to the folder. What counts is where the link lies: its folder may be a link."""
    real = os.path.realpath(draft.scope.at(link).parent)
    return os.path.relpath(os.path.realpath(draft.scope.at(home)), real)


def _refuse_twice(draft: Draft, name: str) -> None:
    if any(change.path.startswith(f"{SKILLS}/{name}/") for change in draft.changes):
        raise UsageError(f"two of the skills are called {name}; rename one, or install only one of them")


def take_away(draft: Draft, name: str) -> None:
    """Plan the removal of a skill of ours."""
    owned = draft.record.skills[name]
    for link in owned.links:
        if _leads_to(draft, draft.scope.at(link)):
            draft.remove(link)
    for path, digest in owned.files.items():
        draft.remove_unless_changed(path, digest)
    draft.record = draft.record.with_skill(name, None)


def contents(skill: Skill) -> dict[str, bytes]:
    """Every file of the skill's folder; UsageError for a name that not every system can write."""
    for path in skill.files:
        if not path.isprintable() or not _encodes(path):
            raise UsageError(f"the skill {skill.name} has a file {path!r}; rename it to plain letters")
    return {SKILL_FILE: skill.text.encode(), **skill.files}


def _encodes(path: str) -> bool:
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def checked_name(skill: Skill, clients: Sequence[Client], notes: list[str]) -> str:
    """The skill's name, if it may be installed; its warnings go into the notes."""
    name = skill.name
    if not name:
        raise UsageError(
            "a skill without a name cannot be installed; give it one, and a description, in its frontmatter"
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
    new = {skill.name for skill in skills}
    there = draft.scope.at(SKILLS).glob(f"*/{SKILL_FILE}")
    others = (skill for entry in there if entry.parent.name not in new for skill in _readable(entry))
    listed = sum(len(skill.name or "") + len(skill.description or "") for skill in (*skills, *others))
    for client in clients:
        if client.catalogue is not None and listed > client.catalogue:
            yield (
                f"warning: names and descriptions in {SKILLS} have {listed} characters; {client.title} may "
                f"show {client.catalogue} and cuts the rest"
            )


def _readable(entry: Path) -> Iterator[Skill]:
    """The skill of a SKILL.md, perhaps somebody else's; one that cannot be read is listed by no client."""
    try:
        yield Skill.read(entry)
    except SkillError:
        return


def _told(finding: Finding) -> str:
    return f"line {finding.line}: {finding.message}" if finding.line else finding.message


def _links(clients: Sequence[Client], draft: Draft, name: str) -> Iterator[str]:
    """Where the folder has to appear besides `.agents/skills`."""
    places = set()
    for client in clients:
        folders = client.skills.project
        if draft.scope.name == "user":
            folders = tuple(draft.scope.in_home(client, folder) for folder in client.skills.user)
        if SKILLS not in folders:
            places.add(folders[0])
    for folder in sorted(places):
        same = draft.scope.at(folder).resolve() == draft.scope.at(SKILLS).resolve()
        if not same:  # some people link the whole folder
            yield f"{folder}/{name}"


def _refuse_foreign(draft: Draft, path: str, owned: InstalledSkill | None) -> None:
    """UsageError when there is something at the path that is not ours as we left it."""
    place = draft.scope.at(path)
    copies = {file: digest for file, digest in (owned.files if owned else {}).items() if _below(file, path)}
    if owned is not None and path in owned.links and _leads_to(draft, place):
        return
    there = _same_name(place) if not copies else None
    if there and not (there == place and path == f"{SKILLS}/{place.name}" and _is_hollow(there)):
        raise UsageError(f"{there} is there already and was not installed by sharpen; rename one of the two")
    for file, digest in copies.items():
        data = draft.read(file)
        if data is not None and digest_of_bytes(data) != digest:
            raise UsageError(
                f"{draft.scope.at(file)} was changed since it was installed; move or remove it, "
                "then install again"
            )


def _same_name(place: Path) -> Path | None:
    """What has this name, also where letter case does not count: a project travels to such machines."""
    try:
        there = sorted(place.parent.iterdir())
    except OSError:
        return None
    return next((one for one in there if one.name.casefold() == place.name.casefold()), None)


def _is_hollow(place: Path) -> bool:
    """Whether there are folders and nothing in them: what is left when a changed file was moved away."""
    return place.is_dir() and not place.is_symlink() and all(one.is_dir() for one in place.rglob("*"))


def _leads_to(draft: Draft, place: Path) -> bool:
    """Whether there is a link to our folder, or nothing any more."""
    ours = draft.scope.at(f"{SKILLS}/{place.name}")
    return not os.path.lexists(place) or (
        place.is_symlink() and os.path.realpath(place) == os.path.realpath(ours)
    )


def _below(file: str, folder: str) -> bool:
    return file.startswith(f"{folder}/")


def _remove_old(draft: Draft, owned: InstalledSkill | None, files: dict[str, bytes]) -> None:
    """Files of the version before that this one no longer has."""
    for path, digest in owned.files.items() if owned else ():
        if path not in files:
            draft.remove_unless_changed(path, digest)
