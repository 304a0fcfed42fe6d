"""The record of firings as people want it: which rule spoke how often, when, and whether it came back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sharpen.hook.memory import folder


@dataclass
class Firing:
    """One line of the record: a rule spoke (`fired`), or was silent when its failure came back (`again`)."""

    at: int
    what: str
    rule: str
    skill: str
    client: str
    session: str
    call: str
    cwd: str
    tool: str


@dataclass
class RuleSummary:
    """One rule over all sessions."""

    rule: str
    fired: int
    sessions: int
    recurred: int
    """Times its failure happened again in a session after it had spoken there."""
    clients: tuple[str, ...]
    last: int


def read_firings(project: Path | None = None) -> tuple[list[Firing], list[str]]:
    """Every firing, oldest first, and what else there is to tell: unreadable lines, errors of the hook."""
    home = Path(folder())
    firings, broken = [], 0
    for line in _lines(home / "firings.jsonl"):
        try:
            firings.append(Firing(**json.loads(line)))
        except (ValueError, TypeError):
            broken += 1
    notes = [f"{broken} lines of the record could not be read"] if broken else []
    errors = _lines(home / "errors.log")
    if errors:
        notes.append(f"the hook failed {len(errors)} times and stayed silent; the last time: {errors[-1]}")
    kept = [one for one in firings if project is None or Path(one.cwd).is_relative_to(project)]
    return kept, notes


def summary(firings: Iterable[Firing]) -> list[RuleSummary]:
    """One row per rule, by name."""
    by_rule: dict[str, list[Firing]] = {}
    for firing in firings:
        by_rule.setdefault(firing.rule, []).append(firing)
    return [_row(rule, rows) for rule, rows in sorted(by_rule.items())]


def _row(rule: str, rows: list[Firing]) -> RuleSummary:
    spoken = [row for row in rows if row.what == "fired"]
    sessions = {(row.client, row.session) for row in spoken}
    # Each firing after a session's first is a recurrence, too: the rule spoke, and the failure came back.
    recurred = len(rows) - len(sessions)
    clients = tuple(sorted({row.client for row in rows}))
    return RuleSummary(rule, len(spoken), len(sessions), recurred, clients, max(row.at for row in rows))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
