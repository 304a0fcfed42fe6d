"""`sharpen traces`: looking at harvested sessions, handing them on, and forgetting them."""

from __future__ import annotations

import json as jsonlib
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from sharpen.cli import options
from sharpen.cli.ages import age, days
from sharpen.cli.terminal import print_facts, print_json, print_table, say, visible
from sharpen.errors import UsageError
from sharpen.traces.archive import Archive, Row
from sharpen.traces.atif import to_json
from sharpen.traces.compaction import compact
from sharpen.traces.messages_out import conversation
from sharpen.traces.sources import SHORT_NAMES

Action = Literal["list", "show", "stats", "export", "forget"]


def command(
    action: Annotated[Action, typer.Argument(help="What to do.")] = "list",
    sessions: Annotated[
        list[str] | None,
        typer.Argument(metavar="SESSION", help="A number of the list, or how its id begins."),
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
        Path | None, typer.Option("--out", "-o", help="export: a file for the JSON lines instead of stdout.")
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
    if sessions and action in ("list", "stats"):
        raise UsageError(f"`sharpen traces {action}` takes no sessions; `sharpen traces show` shows one")
    client = SHORT_NAMES.get(client, client) if client else None
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
                _export(archive, rows, shape, out)
            case "forget":
                gone = _forget(archive, sessions or [], older_than, retention, everything=everything)
                print_json({"forgotten": gone}) if json else typer.echo(f"forgot {gone} sessions")


def _rows(archive: Archive, names: list[str] | None) -> list[Row]:
    if not names:
        raise UsageError("say which session: a number of `sharpen traces list`")
    return [archive.find(name) for name in names]


def _list(rows: list[Row], db: Path, *, json: bool) -> None:
    if json:
        print_json([asdict(row) for row in rows])
        return
    if not rows:
        say(f"{db} has no such sessions; `sharpen traces stats --db {db}` counts what it has")
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


def _outcome(row: Row) -> str:
    return f"{row.verdict} ({row.evidence})" if row.evidence else row.verdict


def _show(archive: Archive, rows: list[Row], tokens: int, *, json: bool) -> None:
    for row in rows:
        trajectory = archive.trajectory(row.number)
        if json:
            print_json(to_json(trajectory))
            continue
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
        typer.echo(f"sessions are kept for {archive.retention_days} days")


def _export(archive: Archive, rows: list[Row], shape: str, out: Path | None) -> None:
    try:
        file = out.open("w", encoding="utf-8") if out else None
    except OSError as error:
        raise UsageError(
            f"--out {out}: it cannot be written ({error.strerror}); name another file"
        ) from error
    there = {(row.client, row.name) for row in rows}
    try:
        for row in rows:
            if shape == "atif" and row.relation == "sub-agent" and (row.client, row.parent) in there:
                continue  # inside the session that started it
            trajectory = archive.trajectory(row.number)
            value = to_json(trajectory) if shape == "atif" else conversation(trajectory)
            typer.echo(jsonlib.dumps(value, ensure_ascii=False), file=file)
    finally:
        if file:
            file.close()
    if out:
        say(f"wrote {out}")


def _forget(
    archive: Archive, names: list[str], older_than: str | None, retention: str | None, *, everything: bool
) -> int:
    if not (names or older_than or retention or everything):
        raise UsageError("say what to forget: SESSION…, --older-than 90d, --retention 90d or --all")
    going = {archive.find(name).number for name in names}
    if everything:
        going |= {row.number for row in archive.rows()}
    if retention is not None:
        archive.retention_days = None if retention == "none" else days(retention, option="--retention")
        older_than = older_than or (None if retention == "none" else retention)
    if older_than is not None:
        limit = datetime.now(UTC) - age(older_than, option="--older-than")
        going |= set(archive.older_than(limit.isoformat()))
    return archive.forget(sorted(going))
