"""The edits that did not make it, each with the reason: the gate refused, fresh attempts or the task did.

An edit that quotes an answer is refused before anybody tries it.

The same edit dropped on several tasks is one entry that names them all, because a run may drop hundreds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sharpen.report.record import RunRecord
from sharpen.report.search import group_verdict
from sharpen.report.versions import EditKey, EditView, StepView, edits_of
from sharpen.store import Event

RefusalKind = Literal["gate", "leak", "group", "vetted out", "dropped"]
_KINDS: dict[str, RefusalKind] = {"group": "group", "vet": "vetted out", "drop": "dropped"}
_Key = tuple[RefusalKind, tuple[EditKey, ...]]


@dataclass(frozen=True)
class Refusal:
    """Edits that went together and did not get in."""

    kind: RefusalKind
    edits: tuple[EditView, ...]
    reason: str
    tasks: tuple[str, ...] = ()
    times: int = 1
    step: int | None = None
    """The gate decision that refused them."""
    place: str = ""
    """Where in the run that was."""
    accepted_in: str | None = None
    """The version that holds these very edits all the same: another task spoke for them."""


def refusals_of(record: RunRecord, steps: Sequence[StepView]) -> tuple[Refusal, ...]:
    """The gate's first, then the leak check's, what was of no help as a group, vetted out, dropped."""
    home = {edit.key: step.version for step in reversed(steps) if step.accepted for edit in step.edits}
    refusals = [
        *_by_gate(steps),
        *_by_leak_check(record),
        *(found for kind in _KINDS for found in _by_event(record, kind)),
    ]
    return tuple(_with_home(refusal, home) for refusal in refusals)


def _with_home(refusal: Refusal, home: Mapping[EditKey, str]) -> Refusal:
    homes = [home.get(edit.key) for edit in refusal.edits]
    return replace(refusal, accepted_in=homes[0]) if homes and None not in homes else refusal


def _by_gate(steps: Sequence[StepView]) -> Iterator[Refusal]:
    for step in steps:
        if not step.accepted:
            reason = f"{step.decision}: {step.reason}"
            yield Refusal("gate", step.edits, reason, step=step.number, place=step.place)


def _by_leak_check(record: RunRecord) -> list[Refusal]:
    """The same edit, refused again for the same reason, is one entry."""
    grouped: dict[tuple[EditKey, str], list[Refusal]] = {}
    for event in record.of_kind("refused"):
        for told in event.data.get("edits") or ():
            (edit,), reason = (
                edits_of([told], record.train_ids),
                str(told.get("reason") or "it quotes an answer"),
            )
            grouped.setdefault((edit.key, reason), []).append(Refusal("leak", (edit,), reason))
    return [_together(same) for same in grouped.values()]


def _by_event(record: RunRecord, kind: str) -> list[Refusal]:
    grouped: dict[_Key, list[Refusal]] = {}
    for event in record.of_kind(kind):
        if not (event.data.get("stays") or event.data.get("helps")):
            refusal = _refusal(record, event)
            grouped.setdefault(_key(refusal), []).append(refusal)
    return [_together(same) for same in grouped.values()]


def _refusal(record: RunRecord, event: Event) -> Refusal:
    edits = edits_of(event.data.get("edits"), record.train_ids)
    task = event.data.get("task") or next((edit.witness for edit in edits if edit.witness), None)
    return Refusal(_KINDS[event.kind], edits, _reason(event), (str(task),) if task else ())


def _reason(event: Event) -> str:
    if event.data.get("reason"):
        return str(event.data["reason"])
    if event.kind == "group":
        return group_verdict(event.data)
    if event.kind == "drop":
        return "no clear gain on the task it was proposed for"
    gain = event.data.get("gain")
    found = f"; gain there {gain:+.2f}" if isinstance(gain, (int, float)) else ""
    return f"fresh attempts with and without it showed no need for it{found}"


def _key(refusal: Refusal) -> _Key:
    return refusal.kind, tuple(edit.key for edit in refusal.edits)


def _together(same: Sequence[Refusal]) -> Refusal:
    first = same[0]
    tasks = tuple(dict.fromkeys(task for refusal in same for task in refusal.tasks))
    return Refusal(first.kind, first.edits, same[-1].reason, tasks, len(same))
