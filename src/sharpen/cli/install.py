"""`sharpen install`: skills and their event rules into the coding agents of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.clients import chosen_clients
from sharpen.cli.terminal import print_json, say
from sharpen.cli.texts import skill_at
from sharpen.errors import UsageError
from sharpen.install import Outcome, Scope, ScopeName, install, write_plugin


def command(
    skills: Annotated[
        list[Path], typer.Argument(metavar="SKILL", help="Skill folders, or run folders (their best skill).")
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
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would be written.")] = False,
    json: options.Json = False,
) -> None:
    """Put skills and their event rules where coding agents look.

    A skill goes to .agents/skills/NAME, with a link for clients that look elsewhere. If it carries event
    rules (events.json), one constant hook command goes into each client's settings; nothing else in them
    changes, and `sharpen uninstall` restores them. Skills that do not lint and names that are taken are
    refused.
    """
    read = [skill_at(path) for path in skills]
    if plugin is not None:
        if to or profile or dry_run:
            raise UsageError(
                "--plugin writes a folder and installs nothing; leave --to, --profile and --dry-run out"
            )
        notes = write_plugin(read, plugin)
        show_outcome(Outcome((("write", str(plugin)),), notes), json=json, dry_run=False)
        return
    clients = chosen_clients(to)
    if profile is not None and "codex" not in [client.name for client in clients]:
        raise UsageError("--profile is about Codex; add it to --to")
    done = install(read, clients, scope=Scope.of(scope), profile=profile, dry_run=dry_run)
    show_outcome(done, json=json, dry_run=dry_run)


def show_outcome(done: Outcome, *, json: bool, dry_run: bool) -> None:
    """Each change on a line of its own; what to know about it on stderr."""
    if json:
        changes = [{"action": action, "path": path} for action, path in done.changes]
        print_json({"dry_run": dry_run, "changes": changes, "notes": list(done.notes)})
        return
    for action, path in done.changes:
        typer.echo(f"{'would ' if dry_run else ''}{action}  {path}")
    for note in done.notes:
        say(note)
    if not done.changes:
        say("nothing to do")
