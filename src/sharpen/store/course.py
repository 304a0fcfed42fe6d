"""The course of a batch run: its steps and ends of epochs as events tell them, and which skill held when.

`Course.of` walks the events once. A skill becomes the best by a gate that said *better*, or by a step or slow
update that was let in without one. Events are read leniently: a key that is missing reads as absent. Knows no
file and no field name of SkillOpt's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sharpen.store.records import AttemptRecord, Evaluation, Event, Store, Version
from sharpen.store.steps import by_skill, counted, origin
from sharpen.types import Json

LET_IN = ("accept", "accept_new_best", "force_accept")
EPOCH_ENDS = ("slow_update", "meta_skill", "meta_reflect")


@dataclass(frozen=True, slots=True)
class Standing:
    """The skill the next step starts from, the best so far, and where each came from."""

    current: str = ""
    current_origin: str = "start"
    best: str = ""
    best_origin: str = "start"
    best_step: int = 0  # the last step at that time; 0 stands for the starting skill


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate and what its gate made of it; empty where nothing was offered."""

    version: Version | None = None
    evaluation: Evaluation | None = None
    attempts: tuple[AttemptRecord, ...] = ()  # the candidate's, on the selection tasks its gate counted
    verdict: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CourseStep:
    """One step of the loop."""

    number: int
    data: Json  # the step event's
    offer: Offer
    after: Standing
    probes: tuple[Json, ...]  # what the teacher asked to be tried again, in order
    wall_time: float | None  # seconds since the step before, None where the clock was not recorded


@dataclass(frozen=True, slots=True)
class EpochEnd:
    """What happened at the end of an epoch: a slow update, a meta skill or a meta reflection."""

    kind: str
    epoch: int
    data: Json
    offer: Offer


@dataclass(frozen=True)
class Course:
    """A batch run in the order in which it happened."""

    steps: tuple[CourseStep, ...]
    ends: tuple[EpochEnd, ...]
    refused: tuple[Json, ...]  # edits that the leak check kept out
    skills: dict[int, str]  # the skill that held after each step; 0 is the start
    standing: Standing
    scores: dict[str, float]  # the mean on the selection split of every skill that a gate measured
    versions: dict[str, Version]

    @classmethod
    def of(cls, store: Store, events: Sequence[Event], attempts: Sequence[AttemptRecord]) -> Course | None:
        """None for a run that recorded no step of its own."""
        return _Walk(store, events, attempts).course() if any(e.kind == "step" for e in events) else None

    def text(self, skill: str) -> str | None:
        """The text of a skill that the run kept as a version."""
        return self.versions[skill].text if skill in self.versions else None


class _Walk:
    """The events, one after the other."""

    def __init__(self, store: Store, events: Sequence[Event], attempts: Sequence[AttemptRecord]) -> None:
        self._events = events
        self._versions = {version.digest: version for version in store.versions()}
        self._measured = {
            one.skill: one for one in store.evaluations() if (one.split, one.purpose) == ("selection", "gate")
        }
        self._tried = by_skill(attempts)
        start = next((digest for digest, one in self._versions.items() if one.status == "start"), "")
        self._standing = Standing(current=start, best=start)
        self._verdicts: dict[tuple[str, str], Json] = {}  # (what was judged, candidate) -> verdict
        self._steps: list[CourseStep] = []
        self._ends: list[EpochEnd] = []
        self._refused: list[Json] = []
        self._probes: list[Json] = []
        self._skills = {0: start} if start else {}
        self._before = events[0].at if events else 0.0

    def course(self) -> Course:
        for event in self._events:
            if event.kind == "gate":
                self._gate(event.data)
            elif event.kind == "step":
                self._step(event)
            elif event.kind in EPOCH_ENDS:
                self._end(event)
            elif event.kind == "probe":
                self._probes.append(event.data)
            elif event.kind == "refused":
                self._refused += event.data.get("edits") or ()
        scores = {skill: one.estimate.mean for skill, one in self._measured.items()}
        return Course(
            steps=tuple(self._steps),
            ends=tuple(self._ends),
            refused=tuple(self._refused),
            skills=self._skills,
            standing=self._standing,
            scores=scores,
            versions=self._versions,
        )

    @property
    def _last(self) -> int:
        return self._steps[-1].number if self._steps else 0

    def _gate(self, data: Json) -> None:
        of, candidate, verdict = (
            data.get("of") or "step",
            str(data.get("candidate")),
            data.get("verdict") or {},
        )
        self._verdicts[of, candidate] = verdict
        if verdict.get("decision") == "better":
            number = int(data.get("step") or self._last) if of == "step" else self._last
            self._hold(candidate, origin(number) if of == "step" else of, step=number)

    def _step(self, event: Event) -> None:
        data, number = event.data, int(event.data.get("step") or self._last + 1)
        candidate = data.get("candidate")
        if candidate and data.get("action") in LET_IN and candidate != self._standing.best:
            self._hold(str(candidate), origin(number), step=number)
        self._go_on_with(data.get("current"), origin(number))
        wall_time = event.at - self._before if event.at and self._before else None
        self._before = event.at
        self._steps.append(
            CourseStep(
                number, data, self._offer("step", candidate), self._standing, tuple(self._probes), wall_time
            )
        )
        self._probes = []
        self._skills[number] = self._standing.current

    def _end(self, event: Event) -> None:
        data, epoch = event.data, int(event.data.get("epoch") or 0)
        candidate, came_from = data.get("candidate"), f"{event.kind}_epoch_{epoch:02d}"
        if candidate and data.get("action") in LET_IN:
            self._hold(str(candidate), came_from, step=self._last)
        self._ends.append(EpochEnd(event.kind, epoch, data, self._offer(event.kind, candidate)))
        self._skills[self._last] = self._standing.current

    def _hold(self, skill: str, came_from: str, *, step: int) -> None:
        self._standing = Standing(skill, came_from, skill, came_from, step)

    def _go_on_with(self, skill: object, came_from: str) -> None:
        was = self._standing
        if skill and skill != was.current:
            self._standing = Standing(str(skill), came_from, was.best, was.best_origin, was.best_step)

    def _offer(self, of: str, candidate: object) -> Offer:
        if not candidate:
            return Offer()
        digest = str(candidate)
        evaluation = self._measured.get(digest)
        verdict = self._verdicts.get((of, digest), {})
        attempts = counted(evaluation, self._tried[digest])
        return Offer(self._versions.get(digest), evaluation, attempts, verdict)
