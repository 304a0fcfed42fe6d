"""`sharpen hook`: which rules spoke, and whether it helped. A client's own call never gets here.

`sharpen hook CLIENT` is what clients start after a tool call; `sharpen.hook.run` answers it before the
command line is loaded. Here is only the record for people.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.ages import moment
from sharpen.cli.terminal import print_json, print_table, say
from sharpen.errors import UsageError
from sharpen.hook.answer import CLIENTS, SHORT_NAMES
from sharpen.hook.run import LOG
from sharpen.install.firings import Filter, read_firings, summary

TIMES = ("at", "last")
HEADS = {"same_command": "same"}
SHORT = 8
"""Characters of a session's id that tell it from others; `--json` has all of them."""


def command(
    action: Annotated[str, typer.Argument(metavar="log", help="The record; CLIENT is what agents start.")],
    project: Annotated[
        Path | None, typer.Option("--project", metavar="DIR", help="Only sessions in this folder or below.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="AGE", help="Only what happened since then: 30d, a date.")
    ] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", metavar="NAME", help="Only this rule, or the rules of this skill.")
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="Every firing instead of one line per rule.")] = False,
    json: options.Json = False,
) -> None:
    """Show which event rules spoke, when, and whether the failure came back.

    `recurred` counts how often a rule's failure happened again in the same session after the rule had
    spoken, `same` (in JSON `same_command`) how often by the very same command. What went wrong in the hook
    is told on stderr. `sharpen hook CLIENT` itself is started by coding agents and answers them on standard
    output.
    """
    if action != LOG:
        raise UsageError(_not_for_people(action))
    wanted = Filter(
        project=project.expanduser().resolve() if project else None,
        since=moment(since, option="--since") if since else None,
        rule=rule,
    )
    firings, complaints = read_firings(wanted)
    rows = [vars(firing) for firing in firings] if each else [vars(row) for row in summary(firings)]
    for complaint in complaints:
        say(complaint)
    if json:
        print_json(rows)
    elif not rows:
        say("no rule has spoken yet" if wanted == Filter() else "no rule has spoken that fits")
    else:
        _print_for_people(rows)


def _print_for_people(rows: list[dict[str, object]]) -> None:
    """Without what is empty everywhere, and without the skill, which a rule's name begins with."""
    names = [name for name in rows[0] if name != "skill" and any(row[name] != "" for row in rows)]
    cells = [[_cell(name, row[name]) for name in names] for row in rows]
    print_table(
        [HEADS.get(name, name) for name in names],
        cells,
        right=[at for at, name in enumerate(names) if isinstance(rows[0][name], int) and name not in TIMES],
        cut=[at for at, name in enumerate(names) if name in ("rule", "cwd")],
    )


def _not_for_people(typed: str) -> str:
    if typed in CLIENTS or typed in SHORT_NAMES:
        what = f"`sharpen hook {typed}` is started by a coding agent, which pipes an event into it"
    else:
        what = f"no client is called {typed}; known are {', '.join(CLIENTS)}"
    return f"{what}. What its rules have done is told by `sharpen hook log`"


def _cell(name: str, value: object) -> str:
    if name in TIMES and isinstance(value, int):
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M")
    if name in ("session", "agent"):
        return str(value)[:SHORT]
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
