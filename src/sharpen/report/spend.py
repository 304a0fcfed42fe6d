"""What the run paid: calls, tokens and money by role, stage and model.

A price that nobody reported is unknown, never zero; a sum of which a part is unknown is a lower bound and
says so. Lost calls are counted apart: they are not charged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sharpen.report.record import RunRecord
from sharpen.types import Usage

STAGES = {
    "search": "search on train",
    "probe": "probes",
    "merge": "merging",
    "rank": "ranking",
    "rate": "edit budgets",
    "rewrite": "rewriting",
    "gate": "gates on selection",
    "consolidate": "the appendix",
    "slow update": "slow updates",
    "meta skill": "meta skill",
    "meta reflect": "meta reflection",
    "final": "final pass on selection",
    "test": "one look at test",
    "eval": "evaluation",
    "": "not noted",
}
"""What calls were for, in the order of a run."""


@dataclass(frozen=True)
class Paid:
    """Calls of one kind. None is unknown; `usd_floor` says that some of them carry no price."""

    role: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    usd_floor: bool = False
    stage: str = ""
    model: str = ""

    @property
    def tokens(self) -> int | None:
        return None if self.input_tokens is None else self.input_tokens + (self.output_tokens or 0)


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
    student: Paid
    teacher: Paid
    lines: tuple[Paid, ...]
    """By role, stage and model, where there is more to tell than the two roles do."""
    phases: tuple[Phase, ...]
    budget: Mapping[str, float]
    """The limits that were set."""


Cost = tuple[str, str, Usage | None]
"""Role, stage and what one call used."""


def spend_of(record: RunRecord) -> Spend:
    attempts, proposals = record.finished_attempts, record.proposals
    student: list[Cost] = [("student", one.stage, one.usage) for one in attempts]
    teacher: list[Cost] = [("teacher", one.stage, one.usage) for one in proposals]
    limits = record.config.get("budget") or {}
    return Spend(
        rollouts=len(attempts),
        calls=len(attempts) + len(proposals),
        errors=sum(one.outcome == "error" for one in attempts),
        lost=record.lost,
        student=_paid("student", [usage for _, _, usage in student]),
        teacher=_paid("teacher", [usage for _, _, usage in teacher]),
        lines=_lines(student + teacher),
        phases=_phases(one.stage for one in attempts),
        budget={name: value for name, value in limits.items() if value is not None},
    )


def _paid(role: str, usages: Sequence[Usage | None], *, stage: str = "", model: str = "") -> Paid:
    used = [usage for usage in usages if usage is not None]
    prices = [usage.usd for usage in used if usage.usd is not None]
    return Paid(
        role=role,
        calls=len(usages),
        input_tokens=sum(usage.input_tokens for usage in used) if used else None,
        output_tokens=sum(usage.output_tokens for usage in used) if used else None,
        usd=sum(prices) if prices else None,
        usd_floor=0 < len(prices) < len(usages),
        stage=stage,
        model=model,
    )


def _lines(costs: Iterable[Cost]) -> tuple[Paid, ...]:
    """One per role, stage and model, in the order of a run; none where nobody reports usage."""
    grouped: dict[tuple[str, str, str], list[Usage | None]] = {}
    for role, stage, usage in costs:
        if usage is not None:
            grouped.setdefault((role, stage, usage.model), []).append(usage)
    order = list(STAGES)
    keys = sorted(grouped, key=lambda k: (k[0], order.index(k[1]) if k[1] in order else len(order), k[2]))
    return tuple(
        _paid(role, grouped[role, stage, model], stage=STAGES.get(stage, stage), model=model)
        for role, stage, model in keys
    )


def _phases(stages: Iterable[str]) -> tuple[Phase, ...]:
    counts: dict[str, int] = {}
    for stage in stages:
        counts[stage] = counts.get(stage, 0) + 1
    known = [stage for stage in STAGES if stage in counts]
    return tuple(Phase(STAGES[stage], counts[stage]) for stage in known)
