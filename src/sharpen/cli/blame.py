"""`sharpen blame`: for every line the edit that brought it, its evidence, and the gate that let it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpen.cli import options
from sharpen.cli.steps import signed
from sharpen.cli.terminal import print_json, print_table, say
from sharpen.cli.texts import is_run, skillopt_pair, view_of
from sharpen.report import is_skillopt_run, load_skillopt
from sharpen.report.origins import LineOrigin
from sharpen.report.skillopt import skill_versions
from sharpen.report.visible import visible
from sharpen.skills import Edit, Skill, Step, blame
from sharpen.store import Event, SqliteStore

SKILLOPT = (
    "made by SkillOpt: lines are laid to the step after which they stood in the skill; which edit, which "
    "evidence and what effect cannot be known, because SkillOpt does not record them"
)
HEAD = ("line", "text", "from", "evidence", "effect", "let in by")


def command(
    path: Annotated[
        Path, typer.Argument(metavar="SKILL|RUN", help="A run folder; or a skill file or folder.")
    ],
    json: options.Json = False,
) -> None:
    """Say for every line of a skill where it came from.

    A run knows the edit, the task that spoke for it, how it was vetted, which verdict let it in, and the
    effect that gate measured; edits let in together share one. A skill without a run has no history: every
    line is its author's.
    """
    if is_skillopt_run(path):
        say(SKILLOPT)
        rows = list(_of_skillopt(path))
    else:
        rows = list(_of_run(path) if is_run(path) else _of_skill(path))
    if json:
        print_json(rows)
    else:
        print_table(HEAD, map(_cells, rows))
        for step, verdict in sorted({(row["step"], row["verdict"]) for row in rows if row.get("step")}):
            typer.echo(f"gate {step}: {verdict}")


def _of_skill(path: Path) -> Iterator[dict[str, Any]]:
    skill = Skill.read(path)
    for line in blame([Step(skill.text, "start", files=skill.files)]):
        yield {"number": line.number, "text": line.text, "origin": line.origin, "file": line.file}


def _of_skillopt(path: Path) -> Iterator[dict[str, Any]]:
    """Lines laid to the step after which they first stood in the skill; more was not recorded."""
    _, best = skillopt_pair(path)
    until = load_skillopt(path).best_step
    held = [(n, text) for n, text in skill_versions(path) if until is None or n <= until]
    chain = [Step(text, f"step {number}" if number else "start") for number, text in held]
    for line in blame([*chain, Step(best.text, "best_skill.md")]):
        yield {"number": line.number, "text": line.text, "origin": line.origin, "file": line.file}


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
            if event.kind in ("adopt", "vet", "pool") and _brings(edit, line):
                noted = {key: event.data[key] for key in ("task", "stays", "gain") if key in event.data}
                yield {"event": event.number, "kind": event.kind, **noted}


def _brings(proposed: Any, line: LineOrigin) -> bool:
    edit, text = Edit.from_json(proposed), line.text.strip()
    return edit.file == line.file and bool(text) and text in map(str.strip, edit.content.splitlines())


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    gate = f"gate {row['step']}" if row.get("step") else ""
    return (
        f"{visible(row['file'])}:{row['number']}" if row["file"] else f"{row['number']:>4}",
        visible(row["text"]),
        row["origin"],
        _evidence_in_words(row.get("evidence", ())),
        _effect_in_words(row.get("effect")),
        gate,
    )


def _effect_in_words(effect: dict[str, Any] | None) -> str:
    """`+0.250 [+0.100, +0.400] over 24 pairs`; a bundle's is said to be the bundle's."""
    if effect is None:
        return ""
    together = f", {effect['edits']} edits together" if effect["edits"] > 1 else ""
    return f"{signed(effect['difference'])} over {effect['pairs']} pairs{together}"


def _evidence_in_words(noted: Sequence[dict[str, Any]]) -> str:
    """`train-33 (5); vetted +1.00 (14), +0.67 (40)`: in brackets the number of the event."""
    adopted = [f"{one.get('task')} ({one['event']})" for one in noted if one["kind"] == "adopt"]
    vetted = [f"{one.get('gain') or 0:+.2f} ({one['event']})" for one in noted if one["kind"] == "vet"]
    pooled = [f"pooled ({one['event']})" for one in noted if one["kind"] == "pool"]
    words = (", ".join(adopted), f"vetted {', '.join(vetted)}" if vetted else "", ", ".join(pooled))
    return "; ".join(filter(None, words))
