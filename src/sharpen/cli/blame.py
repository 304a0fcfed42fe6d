"""`sharpen blame`: for every line the edit that brought it, its evidence, and the gate that let it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpen.cli import options
from sharpen.cli.terminal import print_json, print_table
from sharpen.cli.texts import is_run, view_of
from sharpen.report.origins import LineOrigin
from sharpen.report.visible import visible
from sharpen.skills import Edit, Skill
from sharpen.store import Event, SqliteStore

HEAD = ("line", "text", "from", "evidence", "let in by")


def command(
    path: Annotated[
        Path, typer.Argument(metavar="SKILL|RUN", help="A run folder; or a skill file or folder.")
    ],
    json: options.Json = False,
) -> None:
    """Say for every line of a skill where it came from.

    A run knows the edit, the task that spoke for it, how it was vetted and which verdict let it in. A skill
    without a run has no history: every line is its author's.
    """
    rows = list(_of_run(path) if is_run(path) else _of_skill(path))
    if json:
        print_json(rows)
    else:
        print_table(HEAD, map(_cells, rows), right=(0,))
        for step, verdict in sorted({(row["step"], row["verdict"]) for row in rows if row.get("step")}):
            typer.echo(f"gate {step}: {verdict}")


def _of_skill(path: Path) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(Skill.read(path).text.splitlines(), 1):
        yield {"number": number, "text": text, "origin": "start"}


def _of_run(path: Path) -> Iterator[dict[str, Any]]:
    with closing(SqliteStore.read(path)) as store:
        events = store.events()
    for line in view_of(path).blame:
        yield {**asdict(line), "evidence": list(_evidence(line, events))}


def _evidence(line: LineOrigin, events: list[Event]) -> Iterator[dict[str, Any]]:
    """What the run noted about the line's edit before the gate."""
    if not line.op:
        return
    for event in events:
        for edit in event.data.get("edits") or ():
            if event.kind in ("adopt", "vet", "pool") and _brings(edit, line.text):
                noted = {key: event.data[key] for key in ("task", "stays", "gain") if key in event.data}
                yield {"event": event.number, "kind": event.kind, **noted}


def _brings(edit: Any, text: str) -> bool:
    content = Edit.from_json(edit).content
    return bool(text.strip()) and text.strip() in (line.strip() for line in content.splitlines())


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    gate = f"gate {row['step']}" if row.get("step") else ""
    return (
        str(row["number"]),
        visible(row["text"]),
        row["origin"],
        _evidence_in_words(row.get("evidence", ())),
        gate,
    )


def _evidence_in_words(noted: Sequence[dict[str, Any]]) -> str:
    """`train-33 (5); vetted +1.00 (14), +0.67 (40)`: in brackets the number of the event."""
    adopted = [f"{one.get('task')} ({one['event']})" for one in noted if one["kind"] == "adopt"]
    vetted = [f"{one.get('gain') or 0:+.2f} ({one['event']})" for one in noted if one["kind"] == "vet"]
    pooled = [f"pooled ({one['event']})" for one in noted if one["kind"] == "pool"]
    words = (", ".join(adopted), f"vetted {', '.join(vetted)}" if vetted else "", ", ".join(pooled))
    return "; ".join(filter(None, words))
