"""`sharpen lint`: findings with their reasons; errors make the exit code 1."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.skill_arguments import skill_paths
from sharpen.cli.terminal import print_json, say
from sharpen.errors import UsageError
from sharpen.install import skill_of_rules
from sharpen.skills import Finding, lint, lint_path
from sharpen.skills.folder import SKILL_FILE


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH", help="Skill files, skill folders, folders of skills, or files of event rules."
        ),
    ],
    json: options.Json = False,
) -> None:
    """Look skills over: will clients read them as they are meant?

    Event rules (events.json) are held to what `sharpen install` asks of them, their patterns tried out.
    Exit code: 0 without errors (warnings may be there), 1 with one.
    """
    meant = [path for typed in paths for path in skill_paths(typed)]
    found = [(path, finding) for path in meant for finding in _findings(path)]
    errors = sum(finding.level == "error" for _, finding in found)
    if json:
        print_json([{"path": str(path), **finding._asdict()} for path, finding in found])
    else:
        for path, finding in found:
            typer.echo(_line(path, finding))
        say(f"{len(meant)} looked at: {errors} errors, {len(found) - errors} warnings")
    if errors:
        raise typer.Exit(1)


def _findings(path: Path) -> tuple[Finding, ...]:
    """Of bare rules, once they are right, also what there is to say about the skill they would become."""
    found = lint_path(path)
    bare = path.suffix == ".json" and path.is_file() and not (path.parent / SKILL_FILE).is_file()
    if not bare or any(finding.level == "error" for finding in found):
        return found
    try:
        skill = skill_of_rules(path)
        others = (one for one in lint(skill, folder_name=skill.name) if not one.rule.startswith("event-rule"))
        return found + tuple(one._replace(line=None) for one in others)
    except UsageError as error:
        return (*found, Finding("error", "unreadable", str(error)))


def _line(path: Path, finding: Finding) -> str:
    where = f"{path}:{finding.line}" if finding.line else str(path)
    return f"{where}: {finding.level}: {finding.message} [{finding.rule}]"
