"""`sharpen install`: skills and their event rules into the coding agents of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.clients import chosen_clients
from sharpen.cli.skill_arguments import Description, Name, dressed, home_of, skill_paths
from sharpen.cli.terminal import print_json, say
from sharpen.cli.texts import skill_at
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
    name: Name = None,
    description: Description = None,
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
    refused. A run's best skill often has no name yet: give it one with --name and --description.
    """
    paths = [path for typed in skills for path in skill_paths(typed)]
    if (name or description) and len(paths) > 1:
        raise UsageError(
            f"--name and --description are for one skill, not for {len(paths)}; install it alone"
        )
    read = [_skill_at(path, name, description) for path in paths]
    if plugin is not None:
        if to or profile or project or dry_run or scope != "project":
            raise UsageError(
                "--plugin writes a folder and installs nothing; leave --to, --scope, --profile, --project "
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


def _skill_at(path: Path, name: str | None, description: str | None) -> Skill:
    """The skill as it is, byte for byte, unless it gets a name or a description."""
    if path.suffix == ".json" and path.is_file():
        skill = skill_of_rules(path)
    else:
        path = home_of(path)
        skill = skill_at(path)
        named = skill.name if (path / SKILL_FILE).is_file() and not name else None
        if named and named != path.resolve().name:
            raise UsageError(
                f"{path}: the skill is called {named} and its folder {path.resolve().name}; "
                "rename one of the two"
            )
    if name or description or not (skill.name and skill.description):
        return dressed(skill, path, name, description, to_be="installed")
    return skill


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
        remark = f"  ({one.remark})" if one.remark else ""
        typer.echo(f"{'would ' if dry_run else ''}{one.action}  {one.path}{remark}")
        typer.echo(one.diff, nl=False)
    for note in done.notes:
        say(note)
    if not done.changes:
        say("nothing to do")
