"""`sharpen install`: skills and their event rules into the coding agents of this machine."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.clients import chosen_clients
from sharpen.cli.terminal import print_json, say
from sharpen.cli.texts import is_run, skill_at
from sharpen.errors import UsageError
from sharpen.install import Change, Outcome, Scope, ScopeName, install, skill_of_rules, write_plugin
from sharpen.skills import Skill
from sharpen.skills.folder import SKILL_FILE


def command(
    skills: Annotated[
        list[Path],
        typer.Argument(
            metavar="SKILL",
            help="Skill folders, folders of skills, run folders (their best skill), or files of event rules.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="CLIENTS", help="codex,claude,gemini,…; without it, those on PATH."),
    ] = None,
    scope: Annotated[
        ScopeName, typer.Option("--scope", help="The project in the current folder, or your home folder.")
    ] = "project",
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="Codex: on in this profile only, off elsewhere."),
    ] = None,
    plugin: Annotated[
        Path | None,
        typer.Option("--plugin", metavar="DIR", help="Write a plugin folder instead, to share the skills."),
    ] = None,
    project: options.InstalledProject = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show what would be written, line by line.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Put skills and their event rules where coding agents look.

    A skill goes to .agents/skills/NAME, with a link for clients that look elsewhere. If it carries event
    rules (events.json), one constant hook command goes into each client's settings; nothing else in them
    changes, and `sharpen uninstall` restores them. Skills that do not lint and names that are taken are
    refused.
    """
    read = [skill for path in skills for skill in skills_at(path)]
    if plugin is not None:
        if to or profile or project or dry_run:
            raise UsageError(
                "--plugin writes a folder and installs nothing; leave --to, --profile, --project "
                "and --dry-run out"
            )
        notes = write_plugin(read, plugin)
        show_outcome(Outcome((Change("write", str(plugin)),), notes), json=json, dry_run=False)
        return
    clients = chosen_clients(to)
    if profile is not None and "codex" not in [client.name for client in clients]:
        raise UsageError("--profile is about Codex; add it to --to")
    place = Scope.of(scope, project=project)
    done = install(read, clients, scope=place, profile=profile, dry_run=dry_run)
    show_outcome(done, json=json, dry_run=dry_run)


def skills_at(path: Path) -> list[Skill]:
    """The skills that a person means by a path, or by a pattern that the shell did not resolve."""
    if not path.exists() and glob.has_magic(str(path)):
        found = [Path(name) for name in sorted(glob.glob(str(path)))]  # noqa: PTH207  # absolute ones, too
        if not found:
            raise UsageError(f"nothing matches {path}")
        return [skill for one in found for skill in skills_at(one)]
    if path.suffix == ".json" and path.is_file():
        return [skill_of_rules(path)]
    inside = sorted(entry.parent for entry in path.glob(f"*/{SKILL_FILE}")) if path.is_dir() else []
    if inside and not (path / SKILL_FILE).is_file() and not is_run(path):
        return [skill for folder in inside for skill in skills_at(folder)]
    skill = skill_at(path)
    home = path.parent if path.name == SKILL_FILE else path
    if (home / SKILL_FILE).is_file() and skill.name and skill.name != home.resolve().name:
        raise UsageError(
            f"{home}: the skill is called {skill.name} and its folder {home.resolve().name}; "
            "rename one of the two"
        )
    return [skill]


def show_outcome(done: Outcome, *, json: bool, dry_run: bool) -> None:
    """Each change on a line of its own; what to know about it on stderr."""
    if json:
        changes = [
            {"action": one.action, "path": one.path, **({"diff": one.diff} if dry_run else {})}
            for one in done.changes
        ]
        print_json({"dry_run": dry_run, "changes": changes, "notes": list(done.notes)})
        return
    for one in done.changes:
        typer.echo(f"{'would ' if dry_run else ''}{one.action}  {one.path}")
        typer.echo(one.diff, nl=False)
    for note in done.notes:
        say(note)
    if not done.changes:
        say("nothing to do")
