"""Skills as people type them: paths that stand for several, and a name and description for one without.

What trained or found skills lack is typed, never guessed: clients choose a skill by its description.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli.texts import is_run
from sharpen.errors import UsageError
from sharpen.skills import Frontmatter, Skill
from sharpen.skills.folder import SKILL_FILE
from sharpen.skills.frontmatter import violations

Name = Annotated[str | None, typer.Option("--name", help="The skill's name, which is its folder's, too.")]
Description = Annotated[
    str | None, typer.Option("--description", help="What the skill does and when to use it.")
]
TYPED = {
    "name-missing": "it has no name; give one with --name",
    "description-missing": "it has no description; say what it does and when to use it with --description",
}
"""What is missing and can be typed, by the rule that misses it."""


def skill_paths(path: Path) -> Iterator[Path]:
    """Each path that is meant: of a folder of skills its skills, of a pattern that the shell did not resolve
    what it matches.
    """
    if not path.exists() and glob.has_magic(str(path)):
        found = [Path(name) for name in sorted(glob.glob(str(path)))]  # noqa: PTH207  # absolute ones, too
        if not found:
            raise UsageError(f"nothing matches {path}")
        for one in found:
            yield from skill_paths(one)
        return
    inside = sorted(entry.parent for entry in path.glob(f"*/{SKILL_FILE}")) if path.is_dir() else []
    if inside and not (path / SKILL_FILE).is_file() and not is_run(path):
        yield from inside
    else:
        yield path


def home_of(path: Path) -> Path:
    """For a SKILL.md its folder: the files beside it belong to the skill."""
    return path.parent if path.name == SKILL_FILE and path.is_file() else path


def dressed(skill: Skill, path: Path, name: str | None, description: str | None, *, to_be: str) -> Skill:
    """The skill under freshly written frontmatter, with what was typed in place of what it had.

    UsageError when it cannot be what is asked for (`to_be`: exported, installed), with what to type.
    """
    front = skill.frontmatter or Frontmatter()
    front = replace(front, name=name or front.name, description=description or front.description)
    broken = [TYPED.get(one.rule, one.message) for one in violations(front)]
    if broken:
        raise UsageError(f"{path} cannot be {to_be}: {'; '.join(broken)}")
    return skill.with_frontmatter(front)
