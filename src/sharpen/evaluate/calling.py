"""Calling a student or a teacher: whatever it returns or raises becomes a rollout or a proposal.

An actor that raises, hangs or answers nonsense is data; only a mistake of the user's that no further call can
mend (a wrong key, a missing program) ends the run. Credentials are taken out of every answer here, before
anybody stores or reads it. This module knows no order, no budget and no store beyond the log of model calls.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sharpen.errors import EditError, ModelError, ProviderError, SandboxError
from sharpen.evaluate.deadlines import Deadlines
from sharpen.evaluate.leaks import Leaks
from sharpen.redaction import Redactor
from sharpen.skills import Edit, Skill
from sharpen.store import Proposal
from sharpen.types import (
    Adviser,
    CallLog,
    Json,
    Rollout,
    Score,
    Student,
    Task,
    Teacher,
    Usage,
    canonical_json,
    digest_of,
    fingerprint_of,
)

EDITS = "edits"
"""The matter that every teacher can be asked about."""
FATAL = (ModelError, SandboxError)
"""Mistakes in the configuration: the next call would fail the same way."""
ROLLOUT_FIELDS = (("score", (Score, type(None))), ("error", (str,)), ("usage", (Usage, type(None))))
"""What a student's rollout is checked for, beside its task."""

Actor = TypeVar("Actor")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A wish for one student call."""

    skill: Skill
    task: Task


@dataclass(frozen=True, slots=True)
class Question:
    """A wish for one teacher call: for edits, or for advice on another matter with its material."""

    skill: Skill
    evidence: tuple[Rollout, ...]
    limit: int
    memory: str = ""
    matter: str = EDITS
    material: Json = field(default_factory=dict)

    @property
    def digest(self) -> str:
        seen = [
            (r.task.digest, r.error, r.score and (r.score.hard, r.score.soft, r.score.feedback), r.trajectory)
            for r in self.evidence
        ]
        asked = () if self.matter == EDITS else (self.matter, self.material)
        return digest_of(self.skill.digest, seen, self.limit, self.memory, *asked)


Call = Attempt | Question


class Caller:
    """The two actors of a run, called so that nothing they do can break it."""

    def __init__(
        self,
        student: Student,
        teacher: Teacher | None,
        *,
        log: CallLog,
        timeout: float | None,
        retries: int,
        leaks: Leaks | None = None,
    ) -> None:
        self.student_name = fingerprint_of(student)
        self.teacher_name = fingerprint_of(teacher) if teacher is not None else ""
        self._student = _keeping(student, log)
        self._teacher = _keeping(teacher, log) if teacher is not None else None
        self._student_worst = _worst_case(student)
        self._teacher_worst = _worst_case(teacher)
        self._deadlines, self._retries = Deadlines(timeout), retries
        self._clean = Redactor()
        self._leaks = leaks
        self.down = 0
        """Calls in a row, in the order they ended, that found a provider down."""

    def worst_case(self, call: Call) -> Usage | None:
        """The most a call can cost; None when the actor cannot say."""
        if isinstance(call, Attempt):
            return self._student_worst and self._student_worst(call.task, call.skill)
        if self._teacher_worst is None:
            return None
        asked = {} if call.matter == EDITS else {"matter": call.matter, "material": call.material}
        return self._teacher_worst(call.skill, call.evidence, limit=call.limit, memory=call.memory, **asked)

    @property
    def advises(self) -> bool:
        """Can the teacher be asked about more than edits?"""
        return isinstance(self._teacher, Adviser)

    async def attempt(self, wish: Attempt, trial: int) -> Rollout:
        """One student call. Whatever is not a valid rollout of this task is an error, with its reason."""
        task = wish.task
        try:
            with self._deadlines.one():
                rollout = _checked(await self._student.attempt(task, wish.skill, trial=trial), task)
            self.down = 0
        except FATAL:
            raise
        except ProviderError as error:
            self.down += 1
            rollout = Rollout.failed_to_run(task, reason=_spelled(error), usage=error.usage)
        except TimeoutError as error:
            after = str(error) or f"{self._deadlines.seconds} s"
            rollout = Rollout.failed_to_run(task, reason=f"timed out: {after}")
        except asyncio.CancelledError as error:
            if _asked_to_stop():
                raise
            rollout = Rollout.failed_to_run(task, reason=_spelled(error))
        except Exception as error:  # noqa: BLE001 - a student that raises is data, not a crash
            rollout = Rollout.failed_to_run(task, reason=_spelled(error))
        return self._cleaned(rollout)

    async def propose(self, wish: Question, trial: int) -> Proposal:
        """One teacher call. A provider that is down is asked again; an answer without edits is dropped.

        Asking again is part of the one call, like the requests that a model repeats, and keeps its trial.
        """
        proposal = Proposal()
        for _ in range(1 + self._retries):
            try:
                proposal = await self._propose(wish, trial)
                self.down = 0
                break
            except FATAL:
                raise
            except ProviderError as error:
                proposal = Proposal(usage=error.usage, error=self._clean.redact(_spelled(error)))
                if error.answered:
                    self.down = 0
                    break
                self.down += 1
            except asyncio.CancelledError as error:
                if _asked_to_stop():
                    raise
                proposal = Proposal(error=_spelled(error))
                break
            except Exception as error:  # noqa: BLE001 - an unusable answer is recorded and dropped
                proposal = Proposal(error=self._clean.redact(_spelled(error)))
                break
        return proposal

    async def _propose(self, wish: Question, trial: int) -> Proposal:
        assert self._teacher is not None
        if wish.matter != EDITS:
            return await self._advise(wish, trial)
        with self._deadlines.one():
            answer = await self._teacher.propose(
                wish.skill, wish.evidence, limit=wish.limit, memory=wish.memory, trial=trial
            )
        edits = tuple(self._cleaned_edit(edit) for edit in _edits(answer)[: wish.limit])
        data = self._cleaned_data(getattr(answer, "data", {}))
        usage = getattr(answer, "usage", None)
        if self._leaks is None:
            return Proposal(edits, usage, data=data)
        leaks = self._leaks.in_edits(edits, wish.skill)
        leaked = {id(edit) for edit, _ in leaks}
        if leaks:
            data["refused"] = [{**edit.to_json(), "reason": Leaks.reason(task)} for edit, task in leaks]
        return Proposal(tuple(edit for edit in edits if id(edit) not in leaked), usage, data=data)

    async def _advise(self, wish: Question, trial: int) -> Proposal:
        assert isinstance(self._teacher, Adviser)
        with self._deadlines.one():
            advice = await self._teacher.advise(
                wish.matter,
                wish.skill,
                wish.evidence,
                material=wish.material,
                limit=wish.limit,
                memory=wish.memory,
                trial=trial,
            )
        return Proposal(usage=advice.usage, data=self._cleaned_data(advice.data))

    def _cleaned_data(self, data: Json) -> dict[str, object]:
        """As it will be read back: without credentials, in plain JSON."""
        if not data:
            return {}
        cleaned = self._clean.redact_json(json.loads(canonical_json(data)))
        assert isinstance(cleaned, dict)
        return cleaned

    def _cleaned(self, rollout: Rollout) -> Rollout:
        """The rollout without credentials, as it will be stored: a replay must see what the live run saw."""
        score, error, trajectory = rollout.score, rollout.error, rollout.trajectory
        if score is not None and (feedback := self._clean.redact(score.feedback)) != score.feedback:
            rollout = replace(rollout, score=replace(score, feedback=feedback))
        if error and (redacted := self._clean.redact(error)) != error:
            rollout = replace(rollout, error=redacted)
        if trajectory is not None:
            cleaned = self._clean.redact_json(trajectory)
            assert isinstance(cleaned, dict)
            rollout = replace(rollout, trajectory=cleaned)
        return rollout

    def _cleaned_edit(self, edit: Edit) -> Edit:
        target, content = self._clean.redact(edit.target), self._clean.redact(edit.content)
        changed = (target, content) != (edit.target, edit.content)
        return replace(edit, target=target, content=content) if changed else edit


def _keeping(actor: Actor, log: CallLog) -> Actor:
    """The actor with its model calls kept in the log, if it makes such calls."""
    keep: Callable[[CallLog], Actor] | None = getattr(actor, "keep_calls_in", None)
    return keep(log) if callable(keep) else actor


def _worst_case(actor: object) -> Callable[..., Usage | None] | None:
    found = getattr(actor, "worst_case", None)
    return found if callable(found) else None


def _spelled(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _checked(rollout: object, task: Task) -> Rollout:
    if not isinstance(rollout, Rollout):
        raise TypeError(f"the student returned {type(rollout).__name__} instead of a Rollout")
    if rollout.task.digest != task.digest:
        raise ValueError(f"the student answered for task {rollout.task.id!r} instead of {task.id!r}")
    for name, kinds in ROLLOUT_FIELDS:
        if not isinstance(getattr(rollout, name), kinds):
            found = type(getattr(rollout, name)).__name__
            raise TypeError(f"the rollout's {name} is of type {found}")
    if rollout.trajectory is None:
        return rollout
    try:  # as it will be read back
        return replace(rollout, trajectory=json.loads(canonical_json(rollout.trajectory)))
    except (TypeError, ValueError) as error:
        raise TypeError(f"the rollout's trajectory is not plain JSON: {error}") from error


def _asked_to_stop() -> bool:
    """Was this very task cancelled from outside, or did a cancellation leak out of the student?"""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _edits(answer: object) -> tuple[Edit, ...]:
    if not isinstance(answer, (list, tuple)):
        raise EditError(f"the teacher returned {type(answer).__name__} instead of a list of edits")
    for edit in answer:
        if not isinstance(edit, Edit):
            raise EditError(f"the teacher returned {type(edit).__name__} where an Edit belongs")
        Edit.from_json(edit.to_json())  # raises EditError when a field is not what it should be
    return tuple(answer)
