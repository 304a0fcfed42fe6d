"""`sharpen traces`: looking at harvested sessions, handing them on, and forgetting them."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

import typer

from sharpen.cli import options
from sharpen.cli.ages import age, days
from sharpen.cli.terminal import print_facts, print_json, print_table, say, visible
from sharpen.errors import UsageError
from sharpen.report.sentences import plural
from sharpen.traces.archive import OWNER_ONLY, Archive, Row
from sharpen.traces.atif import to_json
from sharpen.traces.compaction import compact
from sharpen.traces.messages_out import conversation
from sharpen.traces.sources import SHORT_NAMES

Action = Literal["list", "show", "stats", "export", "forget"]
TAKEN_BY: dict[str, tuple[Action, ...]] = {
    "sessions": ("show", "export", "forget"),
    "client": ("list", "export"),
    "verdict": ("list", "export"),
    "limit": ("list",),
    "tokens": ("show",),
    "shape": ("export",),
    "out": ("export",),
    "older_than": ("forget",),
    "retention": ("forget",),
    "everything": ("forget",),
}
"""Which actions take what; the help of each option says the same."""


def command(
    context: typer.Context,
    action: Annotated[Action, typer.Argument(help="What to do.")] = "list",
    sessions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SESSION", help="A number of the list, or how its id begins (4 characters at least)."
        ),
    ] = None,
    db: Annotated[Path, typer.Option("--db", metavar="DB", help="Where harvest kept them.")] = Path(
        "traces.db"
    ),
    client: Annotated[
        str | None, typer.Option("--client", help="list, export: only sessions of this client.")
    ] = None,
    verdict: Annotated[
        Literal["solved", "failed", "unknown"] | None,
        typer.Option("--outcome", help="list, export: only sessions that came out so."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="list: the newest so many.")] = 50,
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="show: the most tokens to print.")] = 4000,
    shape: Annotated[
        Literal["atif", "messages"], typer.Option("--as", help="export: ATIF, or chat messages for training.")
    ] = "atif",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="export: a file for the JSON lines; - for stdout, the default."),
    ] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="forget: sessions older than 90d, say.")
    ] = None,
    retention: Annotated[
        str | None,
        typer.Option(
            "--retention", metavar="AGE", help="forget: from now on at every harvest, too; `none` ends it."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="forget: all of them.")] = False,
    json: options.Json = False,
) -> None:
    """List, show, count, export or forget harvested sessions.

    What is forgotten is overwritten in the file and does not come back with the next harvest.
    """
    _refuse_strangers(context, action)
    if sessions and (client or verdict):
        raise UsageError("name sessions, or choose them with --client and --outcome, not both")
    client = SHORT_NAMES.get(client.lower(), client) if client else None
    with Archive.open(db) as archive:
        match action:
            case "list":
                _list(archive.rows(client=client, verdict=verdict, limit=limit), db, json=json)
            case "show":
                _show(archive, _rows(archive, sessions), tokens, json=json)
            case "stats":
                _stats(archive, json=json)
            case "export":
                rows = _rows(archive, sessions) if sessions else archive.rows(client=client, verdict=verdict)
                if not rows:
                    say(_none_such(db))
                _export(archive, _outermost(archive, rows) if shape == "atif" else rows, shape, out)
            case "forget":
                named = _rows(archive, sessions) if sessions else []
                gone = _forget(archive, named, older_than, retention, everything=everything)
                if json:
                    print_json({"forgotten": gone, "retention_days": archive.retention_days})
                    return
                _print_forgotten(named, gone)
                if retention:
                    typer.echo(_kept_for(archive.retention_days))


def _refuse_strangers(context: typer.Context, action: Action) -> None:
    """What was typed for another action would be left unheard."""
    for parameter in context.command.params:
        taken_by = TAKEN_BY.get(parameter.name or "", (action,))
        source = context.get_parameter_source(parameter.name or "")
        if action not in taken_by and source is not None and source.name == "COMMANDLINE":
            what = parameter.opts[0] if parameter.param_type_name == "option" else "sessions"
            others = ", ".join(f"`sharpen traces {other}`" for other in taken_by)
            raise UsageError(f"`sharpen traces {action}` takes no {what}; it is for {others}")


def _rows(archive: Archive, names: list[str] | None) -> list[Row]:
    if not names:
        raise UsageError("say which session: a number of `sharpen traces list`")
    return [archive.find(name) for name in names]


def _list(rows: list[Row], db: Path, *, json: bool) -> None:
    if json:
        print_json([asdict(row) for row in rows])
        return
    if not rows:
        say(_none_such(db))
        return
    print_table(
        ("no.", "client", "started", "steps", "failures", "outcome", "project", "about"),
        [
            (
                str(row.number),
                row.client,
                row.started[:10],
                str(row.steps),
                str(row.failures),
                row.verdict,
                re.split(r"[\\/]", row.project)[-1],
                row.title,
            )
            for row in rows
        ],
        right=(0, 3, 4),
        cut=(7,),
    )


def _none_such(db: Path) -> str:
    return f"{db} has no such sessions; `sharpen traces stats --db {db}` counts what it has"


def _kept_for(days: int | None) -> str:
    return "sessions are kept " + ("until forgotten" if days is None else f"for {plural(days, 'day')}")


def _outcome(row: Row) -> str:
    return f"{row.verdict} ({row.evidence})" if row.evidence else row.verdict


def _show(archive: Archive, rows: list[Row], tokens: int, *, json: bool) -> None:
    if json:
        told = [to_json(archive.trajectory(row.number)) for row in rows]
        print_json(told[0] if len(told) == 1 else told)
        return
    for row in rows:
        trajectory = archive.trajectory(row.number)
        taken = ", ".join(f"{count} {kind}" for kind, count in row.redactions.items()) or "nothing"
        facts = (
            ("session", row.name),
            ("client", row.client),
            ("model", row.model),
            ("project", row.project),
            ("started", row.started),
            ("steps", str(row.steps)),
            ("outcome", _outcome(row)),
            ("taken out", taken),
        )
        print_facts(facts)
        typer.echo(f"\n{visible(compact(trajectory, tokens))}\n")


def _stats(archive: Archive, *, json: bool) -> None:
    counts = archive.counts()
    if json:
        print_json({"clients": counts, "retention_days": archive.retention_days})
        return
    names = ("client", "sessions", "steps", "failures", "corrections", "solved", "failed", "unknown")
    print_table(names, [[str(row[name]) for name in names] for row in counts], right=range(1, len(names)))
    if archive.retention_days is not None:
        typer.echo(_kept_for(archive.retention_days))


def _export(archive: Archive, rows: list[Row], shape: str, out: Path | None) -> None:
    if out is None or str(out) == "-":
        for line in _exported(archive, rows, shape):
            typer.echo(line)
        return
    try:
        out.touch(OWNER_ONLY)
        with out.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in _exported(archive, rows, shape))
    except OSError as error:
        raise UsageError(
            f"--out {out}: it cannot be written ({error.strerror}); name another file"
        ) from error
    say(f"wrote {plural(len(rows), 'session')} to {out}")


def _outermost(archive: Archive, rows: list[Row]) -> list[Row]:
    """All but those that are inside another one of them."""
    below = {row.number: archive.below(row.number) for row in rows}
    inside = {inner for number, found in below.items() for inner in found if number not in found}
    return [row for row in rows if row.number not in inside]


def _exported(archive: Archive, rows: list[Row], shape: str) -> Iterator[str]:
    for row in rows:
        trajectory = archive.trajectory(row.number)
        value = to_json(trajectory) if shape == "atif" else conversation(trajectory)
        yield jsonlib.dumps(value, ensure_ascii=False)


def _forget(
    archive: Archive, named: list[Row], older_than: str | None, retention: str | None, *, everything: bool
) -> int:
    if not (named or older_than or retention or everything):
        raise UsageError("say what to forget: SESSION…, --older-than 90d, --retention 90d or --all")
    going = {row.number for row in named}
    if everything:
        going |= {row.number for row in archive.rows()}
    kept = None if retention in (None, "none") else days(retention, option="--retention")
    limits = [timedelta(days=kept)] if kept else []
    if older_than is not None:
        limits.append(age(older_than, option="--older-than"))
    if limits:
        going |= set(archive.older_than((datetime.now(UTC) - min(limits)).isoformat()))
    if retention is not None:
        archive.retention_days = kept
    return archive.forget(sorted(going))


def _print_forgotten(named: list[Row], count: int) -> None:
    """Those that were named, by what they were; of the others, how many."""
    for row in named:
        typer.echo(visible(f"forgot {row.number}: {row.client} {row.name} {row.title}".rstrip()))
    if count != len(named) or not named:
        typer.echo(f"forgot {plural(count, 'session')}{' in all' if named else ''}")
