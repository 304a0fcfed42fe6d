"""Blame for the best skill: for every line the edit, the task that spoke for it, and the gate that let it in.

The chain goes from the starting skill through every accepted version, edit by edit, so that a line is laid
to one edit and not to the step it came in with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sharpen.report.record import RunRecord
from sharpen.report.versions import EditView, StepView, accepted_chain, edit_by_edit
from sharpen.skills import Step, blame


@dataclass(frozen=True)
class LineOrigin:
    """One line of the best skill. `edit` counts from 1 inside its step; a line of the start has none."""

    number: int
    text: str
    origin: str
    version: str
    step: int | None
    edit: int | None
    op: str
    witness: str | None
    """The train task that spoke for the edit."""
    verdict: str
    """What the gate said of the version that brought the line in."""


@dataclass(frozen=True)
class _Link:
    """One text of the chain; no step for the start, no edit for what the edits do not explain."""

    text: str
    step: StepView | None = None
    number: int | None = None
    edit: EditView | None = None

    @property
    def origin(self) -> str:
        if self.step is None:
            return "start"
        return self.step.version if self.number is None else f"{self.step.version} edit {self.number}"


def origins_of(record: RunRecord, steps: Sequence[StepView]) -> tuple[LineOrigin, ...]:
    """One entry per line of the last accepted text; of the starting skill when nothing was accepted."""
    chain = list(_chain(record, steps))
    lines = blame([Step(link.text, link.origin) for link in chain])
    return tuple(_line(line.number, line.text, chain[line.step]) for line in lines)


def _chain(record: RunRecord, steps: Sequence[StepView]) -> Iterator[_Link]:
    digests = accepted_chain(record, steps)
    if not digests:
        return
    text = record.versions[digests[0]].text
    yield _Link(text)
    for step in (step for step in steps if step.accepted and step.candidate in record.versions):
        for number, (edit, after) in enumerate(edit_by_edit(text, step.edits), 1):
            yield _Link(after, step, number, edit)
            text = after
        evaluated = record.versions[step.candidate].text
        if evaluated != text:
            yield _Link(evaluated, step)
            text = evaluated


def _line(number: int, text: str, link: _Link) -> LineOrigin:
    step, edit = link.step, link.edit
    return LineOrigin(
        number=number,
        text=text,
        origin=link.origin,
        version=step.version if step else "start",
        step=step.number if step else None,
        edit=link.number,
        op=edit.op if edit else "",
        witness=edit.witness if edit else None,
        verdict=f"{step.decision}: {step.reason}" if step else "",
    )
