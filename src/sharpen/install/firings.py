"""The record of firings as people want it: which rule spoke when, in which session, and whether it came back.

A failure *recurred* when, in a session (or sub-agent) in which a rule had spoken, all conditions of the rule
held again for a call of a later batch. Calls of the batch in which it spoke do not count: their model had
not heard it yet. How the hook process tells batches apart is `sharpen.hook.memory`'s.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sharpen.hook.journal import ERRORS, FIRINGS, folder


@dataclass
class Firing:
    """One time that a rule spoke."""

    at: int
    rule: str
    skill: str
    client: str
    session: str
    agent: str
    cwd: str
    tool: str
    recurred: int = 0
    """Times its failure came back before the rule spoke again or the record ends."""
    same_command: int = 0
    """Of these, the times by the very command it had spoken about."""


@dataclass
class RuleSummary:
    """One rule over all sessions."""

    rule: str
    fired: int
    sessions: int
    recurred: int
    same_command: int
    clients: tuple[str, ...]
    last: int


@dataclass(frozen=True)
class Filter:
    """Which firings are wanted; None for all."""

    project: Path | None = None
    since: datetime | None = None
    rule: str | None = None

    def takes(self, firing: Firing) -> bool:
        return (
            (self.project is None or Path(firing.cwd).is_relative_to(self.project))
            and (self.since is None or firing.at >= self.since.timestamp())
            and self.names(firing.rule)
        )

    def names(self, rule: str) -> bool:
        """Whether SKILL/RULE is wanted, by its whole name or either half of it."""
        return self.rule is None or self.rule in (rule, *rule.split("/"))


def read_firings(wanted: Filter | None = None) -> tuple[list[Firing], list[str]]:
    """The firings, oldest first, and what else there is to tell: unreadable lines, errors of the hook."""
    wanted = wanted or Filter()
    rows, broken = _rows(FIRINGS)
    firings = [firing for firing in _firings(rows) if wanted.takes(firing)]
    return firings, [*_complaints(wanted, broken)]


def summary(firings: Iterable[Firing]) -> list[RuleSummary]:
    """One row per rule, by name."""
    by_rule: dict[str, list[Firing]] = {}
    for firing in firings:
        by_rule.setdefault(firing.rule, []).append(firing)
    return [_row(rule, rows) for rule, rows in sorted(by_rule.items())]


def _firings(rows: Iterable[dict[str, Any]]) -> list[Firing]:
    """Every `fired`, with what the lines after it say about the same rule in the same session."""
    found: list[Firing] = []
    latest: dict[tuple[str, ...], Firing] = {}
    for row in rows:
        firing = _fired(row)
        key = (firing.client, firing.session or firing.cwd, firing.agent, firing.rule)
        before = latest.get(key)
        if before is not None:
            before.recurred += 1
            before.same_command += row.get("same") is True
        if row["what"] == "fired":
            latest[key] = firing
            found.append(firing)
    return found


def _fired(row: dict[str, Any]) -> Firing:
    def text(name: str) -> str:
        return str(row.get(name) or "")

    return Firing(
        row["at"], text("rule"), text("skill"), text("client"), text("session"), text("agent"), text("cwd"),
        text("tool"),
    )  # fmt: skip


def _row(rule: str, rows: list[Firing]) -> RuleSummary:
    return RuleSummary(
        rule,
        fired=len(rows),
        sessions=len({(row.client, row.session or row.cwd, row.agent) for row in rows}),
        recurred=sum(row.recurred for row in rows),
        same_command=sum(row.same_command for row in rows),
        clients=tuple(sorted({row.client for row in rows})),
        last=max(row.at for row in rows),
    )


def _complaints(wanted: Filter, broken: int) -> Iterator[str]:
    """What a user should know beside the firings."""
    if broken:
        yield f"{broken} lines of the record could not be read"
    since = wanted.since.timestamp() if wanted.since else 0
    errors, _ = _rows(ERRORS)
    counts: dict[tuple[str, str, str], int] = {}
    for row in errors:
        key = (str(row.get("rule") or ""), str(row.get("client")), str(row.get("error")))
        if int(row["at"]) >= since and wanted.names(key[0]):
            counts[key] = counts.get(key, 0) + 1
    for (rule, client, error), times in counts.items():
        where = f"the rule {rule}" if rule else f"`sharpen hook {client}`"
        yield f"{where} failed and stayed silent, {times} times: {error}"
    place = Path(folder())
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        yield f"{place} cannot be written: no rule can speak, for nobody would know what was said before"


def _rows(name: str) -> tuple[list[dict[str, Any]], int]:
    """The rows of a file and of the one set aside before it, oldest first; how many lines were none."""
    rows, broken = [], 0
    for path in (Path(folder(), f"{name}.1"), Path(folder(), name)):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        for line in filter(str.strip, lines):
            row = _read(line)
            rows += [row] if row else []
            broken += not row
    return rows, broken


def _read(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    known = isinstance(row, dict) and type(row.get("at")) is int
    return row if known and (row.get("what") in ("fired", "again") or "error" in row) else None
