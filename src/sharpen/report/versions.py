"""The skills a run offered to its gate, under the short names that every part of a report uses.

`start` is the skill the run began with, `v1`, `v2` … are the accepted ones in their order, and `c3` is the
candidate that step 3 rejected. What was rejected at the end of an epoch is counted by itself: `s1` the first
slow update, `m1` the first meta reflection. A name belongs to a text: offered twice, it keeps its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sharpen.errors import EditError
from sharpen.report.record import RunRecord, read_estimate
from sharpen.skills import Edit, Skill, apply_edits, tokens
from sharpen.types import Estimate, Json

EditKey = tuple[str, str, str, str]
VersionKind = Literal["start", "accepted", "rejected", "offered"]


@dataclass(frozen=True)
class EditView:
    """One edit, and the task that spoke for it where one is known."""

    op: str
    target: str
    content: str
    witness: str | None = None
    support: int = 1
    file: str = ""
    """The file it changes; empty is SKILL.md."""
    took_effect: bool = True

    @property
    def key(self) -> EditKey:
        return self.op, self.target, self.content, self.file


@dataclass(frozen=True)
class StepView:
    """One gate decision with everything needed to check it by hand."""

    number: int
    """The how-manieth decision of the run."""
    version: str
    parent: str
    candidate: str
    """The candidate's digest."""
    accepted: bool
    decision: str
    reason: str
    gate: str
    pairs: int
    wins: int
    ties: int
    losses: int
    difference: Estimate | None
    evidence: float | None
    needed: float | None
    edits: tuple[EditView, ...]
    rollouts: int
    """Rollouts the run had spent when this was decided."""
    of: str = "step"
    """What the candidate came from: a step, or what happened at the end of an epoch."""
    step: int | None = None
    """The number of the step it came from; None for anything else."""

    @property
    def place(self) -> str:
        """Where in the run it was decided."""
        return str(self.step) if self.step is not None else self.of.replace("_", " ")


@dataclass(frozen=True)
class VersionView:
    """One skill text, where it came from, and what was measured of it."""

    label: str
    digest: str
    parent: str | None
    kind: VersionKind
    step: int | None
    text: str
    lines: int
    tokens: int
    edits: tuple[EditView, ...]
    gate: Estimate | None
    """All attempts that gates made of it on the selection split."""
    final: Estimate | None
    test: Estimate | None


def steps_of(record: RunRecord) -> tuple[StepView, ...]:
    """The gate decisions in order."""
    labels = labels_of(record)
    return tuple(
        _step(number, data, labels=labels, train_ids=record.train_ids)
        for number, data in enumerate(_decisions(record), 1)
    )


def labels_of(record: RunRecord) -> dict[str, str]:
    """The short name of every digest."""
    labels = {record.start: "start"} if record.start else {}
    gates = list(enumerate(_decisions(record), 1))
    accepted = [str(data.get("candidate")) for _, data in gates if _verdict(data).get("decision") == "better"]
    fresh = (digest for digest in dict.fromkeys(accepted) if digest not in labels)
    labels |= {digest: f"v{number}" for number, digest in enumerate(list(fresh), 1)}
    counts: dict[str, int] = {}
    for number, data in gates:
        of, candidate = _of(data), str(data.get("candidate"))
        counts[of] = counts.get(of, 0) + 1
        label = f"c{data.get('step') or number}" if of == "step" else f"{of[0]}{counts[of]}"
        labels.setdefault(candidate, label)
    for digest in record.versions:
        labels.setdefault(digest, digest[:7])
    return labels


def versions_of(record: RunRecord, steps: Sequence[StepView]) -> tuple[VersionView, ...]:
    """The start, then the candidates in the order in which they were first offered."""
    labels = labels_of(record)
    decided = {step.candidate: step for step in reversed(steps)}
    decided |= {step.candidate: step for step in steps if step.accepted}
    order = dict.fromkeys([record.start, *(step.candidate for step in steps), *record.versions])
    return tuple(
        _version(record, digest, label=labels[digest], step=decided.get(digest))
        for digest in order
        if digest in record.versions
    )


def accepted_chain(record: RunRecord, steps: Iterable[StepView]) -> list[str]:
    """Digests from the starting skill to the best accepted one."""
    chain = [record.start, *(step.candidate for step in steps if step.accepted)]
    return [digest for digest in chain if digest in record.versions]


def edits_of(entries: object, train_ids: Mapping[int, str]) -> tuple[EditView, ...]:
    """Edits as events and versions keep them: flat, or under `edit` with the report beside."""
    found = entries if isinstance(entries, (list, tuple)) else ()
    return tuple(_edit(entry, train_ids) for entry in found if isinstance(entry, Mapping))


def edit_by_edit(skill: Skill, edits: Iterable[EditView]) -> Iterator[tuple[EditView, Skill]]:
    """Each edit with the skill after it; an edit that cannot be applied changes nothing."""
    for edit in edits:
        fields = {"op": edit.op, "target": edit.target, "content": edit.content, "file": edit.file}
        try:
            change = Edit.from_json(fields)
        except EditError:
            yield edit, skill
            continue
        skill = apply_edits(skill, [change]).skill
        yield edit, skill


def _verdict(data: Json) -> Json:
    return data.get("verdict") or {}


def _decisions(record: RunRecord) -> Iterator[Json]:
    """What each gate event says; a slow update that was let in without a gate is told as if by one."""
    for event in record.of_kind("gate", "slow_update"):
        if event.kind == "gate":
            yield event.data
        elif event.data.get("action") == "force_accept":
            parent, verdict = (
                event.data.get("current"),
                {"decision": "better", "reason": "let in without a gate"},
            )
            yield {**event.data, "of": "slow_update", "parent": parent, "verdict": verdict}


def _of(data: Json) -> str:
    return str(data.get("of") or "step")


def _step(number: int, data: Json, *, labels: Mapping[str, str], train_ids: Mapping[int, str]) -> StepView:
    verdict, candidate, parent = _verdict(data), str(data.get("candidate")), str(data.get("parent"))
    return StepView(
        number=number,
        version=labels.get(candidate, candidate[:7]),
        parent=labels.get(parent, parent[:7]),
        candidate=candidate,
        accepted=verdict.get("decision") == "better",
        decision=str(verdict.get("decision", "not recorded")),
        reason=str(verdict.get("reason", "")),
        gate=str(verdict.get("gate", "")),
        pairs=int(verdict.get("pairs") or 0),
        wins=int(verdict.get("wins") or 0),
        ties=int(verdict.get("ties") or 0),
        losses=int(verdict.get("losses") or 0),
        difference=read_estimate(verdict.get("difference")),
        evidence=verdict.get("evidence"),
        needed=verdict.get("needed"),
        edits=edits_of(data.get("edits"), train_ids),
        rollouts=int(data.get("rollouts") or 0),
        of=_of(data),
        step=int(data.get("step") or number) if _of(data) == "step" else None,
    )


def _version(record: RunRecord, digest: str, *, label: str, step: StepView | None) -> VersionView:
    version = record.versions[digest]
    kind: VersionKind = "offered"
    if digest == record.start:
        kind = "start"
    elif step is not None:
        kind = "accepted" if step.accepted else "rejected"
    return VersionView(
        label=label,
        digest=digest,
        parent=step.parent if step and kind != "start" else None,
        kind=kind,
        step=step.number if step and kind != "start" else None,
        text=version.text,
        lines=len(version.text.splitlines()),
        tokens=tokens(version.text),
        edits=step.edits if step else edits_of(version.edits, record.train_ids),
        gate=record.measured(digest, "selection", "gate"),
        final=record.measured(digest, "selection", "final"),
        test=record.measured(digest, "test", "test"),
    )


def _edit(entry: Json, train_ids: Mapping[int, str]) -> EditView:
    edit, witness = entry.get("edit") or entry, entry.get("witness")
    if isinstance(witness, int):
        witness = train_ids.get(witness)
    return EditView(
        op=str(edit.get("op") or ""),
        target=str(edit.get("target") or ""),
        content=str(edit.get("content") or ""),
        witness=None if witness is None else str(witness),
        support=int(edit.get("support_count") or 1),
        file=str(edit.get("file") or ""),
        took_effect=str(entry.get("status") or "applied").startswith("applied"),
    )
