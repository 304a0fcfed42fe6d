"""`sharpen export`: a skill as a folder that clients load, or the reasons why they would not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.skill_arguments import Description, Name, dressed, home_of
from sharpen.cli.terminal import print_json, say
from sharpen.cli.texts import skill_at
from sharpen.errors import UsageError
from sharpen.skills import Finding, Skill, lint
from sharpen.skills.folder import SKILL_FILE


def command(
    path: Annotated[
        Path,
        typer.Argument(metavar="RUN|SKILL", help="A run folder (its best skill), a skill file or folder."),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="The folder of skills to put it in.")],
    name: Name = None,
    description: Description = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a skill that is there already.")] = False,
    json: options.Json = False,
) -> None:
    """Write a skill as a folder that clients load.

    The folder is DIR/NAME (or DIR itself when it has that name) with SKILL.md and the skill's files. It
    follows the Agent Skills standard; what does not is refused with what to do about it. Only the skill is
    written: nothing a teacher kept for itself.
    """
    given = skill_at(home_of(path))
    skill = dressed(given, path, name, description, to_be="exported")
    folder = to if to.resolve().name == skill.name else to / str(skill.name)
    findings = lint(skill, folder_name=folder.resolve().name)
    _refuse_errors(path, findings, shift=_first_line(skill) - _first_line(given))
    _refuse_others(folder, force=force)
    skill.write(folder)
    left = _left_alone(folder, skill)
    for text in (*(f"warning: {one.message} [{one.rule}]" for one in findings), *left):
        say(text)
    if json:
        warnings = [finding._asdict() for finding in findings]
        print_json({"folder": str(folder), "digest": skill.digest, "warnings": warnings})
    else:
        typer.echo(str(folder))


def _refuse_errors(path: Path, findings: tuple[Finding, ...], *, shift: int) -> None:
    """`shift` is by how many lines the frontmatter written here moves the body of the skill given."""
    wrong = [
        f"line {one.line - shift}: {one.message}" if one.line else one.message
        for one in findings
        if one.level == "error"
    ]
    if wrong:
        raise UsageError(f"{path} cannot be exported: {'; '.join(wrong)}")


def _first_line(skill: Skill) -> int:
    """How many line ends stand before the body's first words."""
    blank = len(skill.body) - len(skill.body.lstrip("\r\n\ufeff"))
    return skill.text.count("\n", 0, skill.body_start + blank)


def _refuse_others(folder: Path, *, force: bool) -> None:
    if force or not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    what = "a skill" if (folder / SKILL_FILE).is_file() else "something else"
    raise UsageError(f"{folder} holds {what} already; choose another --to or --name, or add --force")


def _left_alone(folder: Path, skill: Skill) -> list[str]:
    """Files of an earlier skill in the same folder: named, because clients would find them, not removed."""
    own = {SKILL_FILE, *skill.files}
    there = sorted(found.relative_to(folder).as_posix() for found in folder.rglob("*") if found.is_file())
    return [f"left alone: {folder / name} is no part of the skill" for name in there if name not in own]
