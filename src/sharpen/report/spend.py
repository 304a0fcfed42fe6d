"""What the run paid: calls, tokens and money by role, and rollouts by what they were for.

A price that nobody reported is unknown, never zero. Money and tokens of the teacher are known from the
result only, as what the student did not use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sharpen.report.record import RunRecord
from sharpen.types import Usage


@dataclass(frozen=True)
class RoleSpend:
    """One role's calls. None is unknown; `usd_floor` says that some calls carry no price."""

    role: str
    calls: int
    tokens: int | None
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    usd_floor: bool = False


@dataclass(frozen=True)
class Phase:
    """Rollouts by what they were for."""

    name: str
    rollouts: int


@dataclass(frozen=True)
class Spend:
    """All of it. `lost` are calls a killed process had in flight; they are not charged."""

    rollouts: int
    calls: int
    errors: int
    lost: int
    student: RoleSpend
    teacher: RoleSpend
    phases: tuple[Phase, ...]
    budget: Mapping[str, float]
    """The limits that were set."""


def spend_of(record: RunRecord) -> Spend:
    attempts = record.finished_attempts
    student = _student(len(attempts), [one.usage for one in attempts if one.usage])
    teacher = _teacher(record, student)
    limits = record.config.get("budget") or {}
    return Spend(
        rollouts=len(attempts),
        calls=student.calls + teacher.calls,
        errors=sum(one.outcome == "error" for one in attempts),
        lost=record.lost,
        student=student,
        teacher=teacher,
        phases=_phases(record),
        budget={name: value for name, value in limits.items() if value is not None},
    )


def _student(calls: int, used: Sequence[Usage]) -> RoleSpend:
    prices = [usage.usd for usage in used if usage.usd is not None]
    return RoleSpend(
        role="student",
        calls=calls,
        tokens=sum(usage.tokens for usage in used) if used else None,
        input_tokens=sum(usage.input_tokens for usage in used) if used else None,
        output_tokens=sum(usage.output_tokens for usage in used) if used else None,
        usd=sum(prices) if prices else None,
        usd_floor=0 < len(prices) < calls,
    )


def _teacher(record: RunRecord, student: RoleSpend) -> RoleSpend:
    """Calls as of the last event: a ledger's calls that are not rollouts are the teacher's."""
    last: Mapping[str, Any] = record.events[-1].data if record.events else {}
    spent = (record.result or {}).get("spent") or {}
    tokens = int(spent.get("tokens") or 0) - (student.tokens or 0)
    usd = float(spent.get("usd") or 0) - (student.usd or 0)
    return RoleSpend(
        role="teacher",
        calls=int(last.get("calls") or 0) - int(last.get("rollouts") or 0),
        tokens=tokens if tokens > 0 else None,
        input_tokens=None,
        output_tokens=None,
        usd=usd if usd > 1e-9 else None,
    )


def _phases(record: RunRecord) -> tuple[Phase, ...]:
    """Search, gates, final pass and test look; only a finished run knows which task is in which split."""
    if record.result is None:
        return ()
    splits = [record.split_of.get(one.task_id, "train") for one in record.finished_attempts]
    final = _spent_in(record, "final", since="stop")
    phases = (
        Phase("search on train", splits.count("train")),
        Phase("gates on selection", splits.count("selection") - final),
        Phase("final pass on selection", final),
        Phase("one look at test", splits.count("test")),
    )
    return tuple(phase for phase in phases if phase.rollouts > 0)


def _spent_in(record: RunRecord, kind: str, *, since: str) -> int:
    at = {event.kind: int(event.data.get("rollouts") or 0) for event in record.of_kind(kind, since)}
    return at.get(kind, 0) - at.get(since, 0) if kind in at else 0
