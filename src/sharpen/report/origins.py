"""Blame for the best skill: for every line the edit, the task that spoke for it, and the gate that let it in.

The chain goes from the starting skill through every accepted version, edit by edit, so that a line is laid
to one edit and not to the step it came in with. What an edit is worth is the gate's paired difference: an
edit that came alone has it to itself, edits that came together share theirs, and nobody guesses who did what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sharpen.report.record import RunRecord
from sharpen.report.versions import EditView, StepView, accepted_chain, edit_by_edit
from sharpen.skills import BlameLine, Part, Skill, Step, blame
from sharpen.skills.parts import reachable_lines
from sharpen.types import Estimate


@dataclass(frozen=True)
class Effect:
    """What the gate measured on the selection tasks when it let an edit in.

    The difference is that of the whole step, with the interval the gate reported. A race stops when it is
    ahead, so it leans upward; `sharpen prune` measures afresh.
    """

    difference: Estimate
    pairs: int
    edits: int
    """How many edits were accepted together: more than one share this effect."""


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
    file: str = ""
    """The file it stands in; empty is SKILL.md."""
    effect: Effect | None = None
    """None for a line of the start, and where the gate measured nothing."""


@dataclass(frozen=True)
class _Link:
    """One skill of the chain; no step for the start, no edit for what the edits do not explain."""

    skill: Skill
    step: StepView | None = None
    number: int | None = None
    edit: EditView | None = None

    @property
    def origin(self) -> str:
        if self.step is None:
            return "start"
        return self.step.version if self.number is None else f"{self.step.version} edit {self.number}"


def origins_of(record: RunRecord, steps: Sequence[StepView]) -> tuple[LineOrigin, ...]:
    """One entry per line of the last accepted skill; of the starting one when nothing was accepted."""
    chain = list(_chain(record, steps))
    lines = blame([Step(link.skill.text, link.origin, files=link.skill.files) for link in chain])
    return tuple(_line(line, chain[line.step]) for line in lines)


def edit_parts(skill: Skill, lines: Sequence[LineOrigin]) -> tuple[Part, ...]:
    """What every accepted edit left in the skill: the lines that could be taken out again, edit by edit."""
    reachable = reachable_lines(skill)
    brought: dict[tuple[str, str], list[LineOrigin]] = {}
    for line in lines:
        if line.step is not None and (line.file or line.number in reachable):
            brought.setdefault((line.origin, line.file), []).append(line)
    return tuple(
        Part(
            origin, tuple(line.number for line in own), "\n".join(line.text for line in own).strip("\n"), file
        )
        for (origin, file), own in brought.items()
        if any(line.text.strip() for line in own)
    )


def effect_of(step: StepView) -> Effect | None:
    """What the gate measured of a step."""
    if step.difference is None:
        return None
    return Effect(step.difference, step.pairs, sum(edit.took_effect for edit in step.edits))


def _chain(record: RunRecord, steps: Sequence[StepView]) -> Iterator[_Link]:
    digests = accepted_chain(record, steps)
    if not digests:
        return
    skill = record.versions[digests[0]].skill
    yield _Link(skill)
    for step in (step for step in steps if step.accepted and step.candidate in record.versions):
        for number, (edit, after) in enumerate(edit_by_edit(skill, step.edits), 1):
            yield _Link(after, step, number, edit)
            skill = after
        evaluated = record.versions[step.candidate].skill
        if evaluated != skill:
            yield _Link(evaluated, step)
            skill = evaluated


def _line(line: BlameLine, link: _Link) -> LineOrigin:
    step, edit = link.step, link.edit
    return LineOrigin(
        number=line.number,
        text=line.text,
        origin=link.origin,
        version=step.version if step else "start",
        step=step.number if step else None,
        edit=link.number,
        op=edit.op if edit else "",
        witness=edit.witness if edit else None,
        verdict=f"{step.decision}: {step.reason}" if step else "",
        file=line.file,
        effect=effect_of(step) if step else None,
    )
