"""A batch run epoch by epoch: what each step rolled out, proposed and used, and how the epoch ended.

Made from the loop's own events; what a gate said of a candidate is in the step's verdict. A run of the other
loop has no epochs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sharpen.report.record import RunRecord
from sharpen.report.versions import StepView
from sharpen.store.step_records import payload
from sharpen.types import Estimate, Json

ENDS = ("slow_update", "meta_reflect", "meta_skill")


@dataclass(frozen=True)
class TrainingStep:
    """One step: a batch rolled out, reflected on, merged, cut to the edit budget, and put to the gate."""

    number: int
    epoch: int
    action: str
    mode: str
    train: float | None
    """The mean score of the batch."""
    attempts: int
    failure_patches: int
    success_patches: int
    dropped: int
    """Reflections whose answer could not be used."""
    merged: int
    used: int
    edit_budget: int | None
    """Most edits the step might use; None without a limit."""
    version: str
    """The candidate's name; empty when there was none."""
    score: Estimate | None
    """What gates measured of the candidate on the selection split."""
    gate: StepView | None


@dataclass(frozen=True)
class EpochEndView:
    """A slow update, a meta reflection or a meta skill: what was written, and what became of it."""

    kind: str
    action: str
    content: str
    version: str
    compared: Mapping[str, int]
    """Tasks under the previous and the current epoch's skill, by what changed."""
    score: Estimate | None
    gate: StepView | None


@dataclass(frozen=True)
class EpochView:
    """The steps of an epoch, and its end in the order of events."""

    number: int
    steps: tuple[TrainingStep, ...]
    ends: tuple[EpochEndView, ...]


def epochs_of(
    record: RunRecord, *, steps: Sequence[StepView], labels: Mapping[str, str]
) -> tuple[EpochView, ...]:
    """In order; an epoch is there as soon as its first step is over."""
    gates = {(step.of, step.candidate): step for step in reversed(steps)}
    found: dict[int, tuple[list[TrainingStep], list[EpochEndView]]] = {}
    if not any(record.of_kind("step")):
        return ()
    for event in record.of_kind("step", *ENDS):
        own_steps, ends = found.setdefault(int(event.data.get("epoch") or 0), ([], []))
        candidate = str(event.data.get("candidate") or "")
        gate, label = gates.get((event.kind, candidate)), labels.get(candidate, candidate[:7])
        score = record.measured(candidate, "selection", "gate") if candidate else None
        if event.kind == "step":
            own_steps.append(_step(event.data, label=label, score=score, gate=gate))
        else:
            ends.append(_end(event.kind, event.data, label=label, score=score, gate=gate))
    return tuple(EpochView(number, tuple(own), tuple(ends)) for number, (own, ends) in found.items())


def _step(data: Json, *, label: str, score: Estimate | None, gate: StepView | None) -> TrainingStep:
    batches, patches = data.get("batches") or (), data.get("patches") or ()
    attempts = sum(int(batch.get("n_envs") or 0) for batch in batches)
    known = [(float(b["hard"]), int(b.get("n_envs") or 0)) for b in batches if b.get("hard") is not None]
    weight = sum(n for _, n in known)
    return TrainingStep(
        number=int(data.get("step") or 0),
        epoch=int(data.get("epoch") or 0),
        action=str(data.get("action") or ""),
        mode=str(data.get("mode") or ""),
        train=sum(value * n for value, n in known) / weight if weight else None,
        attempts=attempts,
        failure_patches=sum(int(batch.get("n_failure_patches") or 0) for batch in batches),
        success_patches=sum(int(batch.get("n_success_patches") or 0) for batch in batches),
        dropped=sum(bool(patch.get("error")) for patch in patches),
        merged=len(payload(data.get("merged"))),
        used=len(payload(data.get("ranked"))),
        edit_budget=None if data.get("lr_control_mode") == "none" else data.get("edit_budget"),
        version=label,
        score=score,
        gate=gate,
    )


def _end(kind: str, data: Json, *, label: str, score: Estimate | None, gate: StepView | None) -> EpochEndView:
    content = str(data.get("content") or "")
    categories = Counter(str(pair.get("category")) for pair in data.get("pairs") or ())
    action = str(data.get("action") or "")
    if kind == "meta_skill":
        action = "noted" if content else "no_content"
    return EpochEndView(kind, action, content, label, dict(sorted(categories.items())), score, gate)
