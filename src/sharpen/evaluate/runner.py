"""The one place where students and teachers are called.

A batch of calls goes out together and comes back in the order it was asked for. Trial numbers, budget grants
and retries are settled in that order too, so nothing that is decided from the answers depends on which call
finished first, on how many ran at once, or on whether an answer came from the store. This module knows no
search, no gate and no statistics.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sharpen.errors import EditError, ProviderError
from sharpen.evaluate.ledger import Ledger
from sharpen.skills import Edit, Skill
from sharpen.store import AttemptKey, Proposal, ProposalKey, Store
from sharpen.types import (
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


@dataclass(frozen=True, slots=True)
class Attempt:
    """A wish for one student call."""

    skill: Skill
    task: Task


@dataclass(frozen=True, slots=True)
class Question:
    """A wish for one teacher call."""

    skill: Skill
    evidence: tuple[Rollout, ...]
    limit: int
    memory: str = ""

    @property
    def digest(self) -> str:
        seen = [
            (r.task.digest, r.error, r.score and (r.score.hard, r.score.soft, r.score.feedback), r.trajectory)
            for r in self.evidence
        ]
        return digest_of(self.skill.digest, seen, self.limit, self.memory)


STUBBORN, STILLBORN = 300, 12
"""Calls in a row that came to nothing after which a run ends; fewer when none ever came to anything."""

Call = Attempt | Question
Answer = Rollout | Proposal | None
"""None: the budget did not reach for this call."""


class Runner:
    """Makes calls concurrently up to a limit, answers from the store what was paid before."""

    def __init__(
        self,
        student: Student,
        teacher: Teacher | None = None,
        *,
        store: Store,
        ledger: Ledger,
        concurrency: int = 16,
        retries: int = 2,
        timeout: float | None = None,
    ) -> None:
        self.store, self.ledger = store, ledger
        self._student, self._teacher = student, teacher
        self._student_name = fingerprint_of(student)
        self._teacher_name = fingerprint_of(teacher) if teacher is not None else ""
        self._concurrency, self._retries, self._timeout = concurrency, retries, timeout
        self._trials: dict[tuple[str, str], int] = {}
        self._student_errors = _Streak("attempts measured nothing")
        self._teacher_errors = _Streak("answers of the teacher could not be used")
        self.unusable: list[str] = []
        """Why teacher answers were dropped, in the order asked."""
        self.usable = 0

    def giving_up(self, streak: _Streak | None = None) -> ProviderError:
        """The error to raise when an actor stays down: a resume asks again what it failed to answer."""
        over = streak or self._student_errors
        self.store.forget(over.keys)
        return ProviderError(over.message)

    async def attempts(
        self, pairs: Iterable[tuple[Skill, Task]], *, reserve: int = 0
    ) -> list[Rollout | None]:
        """Attempts only, for whole passes over tasks."""
        answers = await self.run([Attempt(skill, task) for skill, task in pairs], reserve=reserve)
        return [answer if isinstance(answer, Rollout) else None for answer in answers]

    async def run(self, calls: Sequence[Call], *, reserve: int = 0) -> list[Answer]:
        """Make the calls that fit into the budget; errors are tried again before the batch returns."""
        answers: list[Answer] = [None] * len(calls)
        pending = list(range(len(calls)))
        priced = 0
        while self.ledger.unpriced and priced < len(calls):  # one at a time until one says what it cost
            await self._wave(calls, [priced], answers, reserve)
            priced += 1
        await self._wave(calls, pending[priced:], answers, reserve)
        for _ in range(self._retries):
            pending = [i for i in pending if isinstance(answers[i], Rollout) and _is_error(answers[i])]
            if not pending:
                break
            await self._wave(calls, pending, answers, reserve)
        self._watch(answers)
        return answers

    async def _wave(
        self, calls: Sequence[Call], which: list[int], answers: list[Answer], reserve: int
    ) -> None:
        """One round of the batch: grant and number in order, answer from the store, call the rest, settle."""
        granted: list[tuple[int, AttemptKey | ProposalKey]] = []
        missing: list[tuple[int, AttemptKey | ProposalKey]] = []
        for i in which:
            key = self._grant(calls[i], reserve)
            if key is None:
                continue
            granted.append((i, key))
            answers[i] = self._recall(key, calls[i])
            if answers[i] is None:
                missing.append((i, key))
        if missing:
            self.store.start([key for _, key in missing])
            await self._call_all(calls, missing, answers)
        for i, key in granted:
            self._settle(key, answers[i])

    def _settle(self, key: AttemptKey | ProposalKey, answer: Answer) -> None:
        """Book an answer, in the order asked: sums of money and lists of reasons must not depend on luck."""
        assert answer is not None
        self.ledger.settle(answer.usage)
        streak = self._teacher_errors if isinstance(answer, Proposal) else self._student_errors
        streak.note(key, answer.error, failed=_is_error(answer))
        if isinstance(answer, Proposal):
            if answer.error:
                self.unusable.append(answer.error)
            else:
                self.usable += 1
        elif answer.score is not None:
            self.ledger.require_usage(answer.usage, "student")

    def _watch(self, answers: Sequence[Answer]) -> None:
        """Give up when nothing but errors came back for long; a resume asks those questions again."""
        for streak in (self._student_errors, self._teacher_errors):
            if streak.is_over:
                raise self.giving_up(streak)

    def _grant(self, call: Call, reserve: int) -> AttemptKey | ProposalKey | None:
        if isinstance(call, Attempt):
            if not self.ledger.grant_attempt(reserve):
                return None
            skill, task = call.skill.digest, call.task.digest
            return AttemptKey(skill, task, self._student_name, self._next_trial((skill, task)))
        if not self.ledger.grant_question(reserve):
            return None
        question = call.digest
        return ProposalKey(self._teacher_name, question, self._next_trial(("", question)))

    def _next_trial(self, what: tuple[str, str]) -> int:
        trial = self._trials[what] = self._trials.get(what, 0) + 1
        return trial

    def _recall(self, key: AttemptKey | ProposalKey, call: Call) -> Rollout | Proposal | None:
        if isinstance(key, AttemptKey):
            assert isinstance(call, Attempt)
            return self.store.find_attempt(key, call.task)
        return self.store.find_proposal(key)

    async def _call_all(
        self,
        calls: Sequence[Call],
        missing: list[tuple[int, AttemptKey | ProposalKey]],
        answers: list[Answer],
    ) -> None:
        """A fixed number of workers share the calls; the first failure stops the others and is raised."""
        waiting = iter(missing)

        async def work() -> None:
            for i, key in waiting:
                wish = calls[i]
                if isinstance(key, AttemptKey):
                    assert isinstance(wish, Attempt)
                    answers[i] = await self._attempt(wish, key)
                else:
                    assert isinstance(wish, Question)
                    answers[i] = await self._ask(wish, key)

        if len(missing) == 1:
            await work()
            return
        workers = [asyncio.ensure_future(work()) for _ in range(min(self._concurrency, len(missing)))]
        try:
            await asyncio.gather(*workers)
        except BaseException:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            raise

    async def _attempt(self, wish: Attempt, key: AttemptKey) -> Rollout:
        """One student call. Whatever is not a valid rollout of this task is an error, with its reason."""
        try:
            async with asyncio.timeout(self._timeout):
                rollout = _checked(
                    await self._student.attempt(wish.task, wish.skill, trial=key.trial), wish.task
                )
        except TimeoutError as error:
            rollout = Rollout.failed_to_run(
                wish.task, reason=f"timed out: {str(error) or f'{self._timeout} s'}"
            )
        except asyncio.CancelledError as error:
            if _asked_to_stop():
                raise
            rollout = Rollout.failed_to_run(wish.task, reason=_spelled(error))
        except Exception as error:  # noqa: BLE001 - a student that raises is data, not a crash
            rollout = Rollout.failed_to_run(wish.task, reason=_spelled(error))
        self.store.finish_attempt(key, rollout)
        return rollout

    async def _ask(self, wish: Question, key: ProposalKey) -> Proposal:
        """One teacher call. An answer that is not a list of edits is dropped and counted."""
        assert self._teacher is not None
        try:
            async with asyncio.timeout(self._timeout):
                edits = await self._teacher.propose(
                    wish.skill, wish.evidence, limit=wish.limit, memory=wish.memory, trial=key.trial
                )
            proposal = Proposal(edits=_edits(edits)[: wish.limit], usage=getattr(edits, "usage", None))
        except Exception as error:  # noqa: BLE001 - an unusable answer is recorded and dropped
            proposal = Proposal(error=_spelled(error))
        self.store.finish_proposal(key, proposal)
        return proposal


@dataclass
class _Streak:
    """Calls to one actor that came to nothing, in a row."""

    what: str
    limit: int = STILLBORN
    keys: list[AttemptKey | ProposalKey] = field(default_factory=list)
    reason: str = ""

    def note(self, key: AttemptKey | ProposalKey, reason: str, *, failed: bool) -> None:
        if failed:
            self.keys.append(key)
            self.reason = reason or "none given"
        else:
            self.keys.clear()
            self.limit = STUBBORN

    @property
    def is_over(self) -> bool:
        return len(self.keys) >= self.limit

    @property
    def message(self) -> str:
        return (
            f"the last {len(self.keys)} {self.what}; the last reason: {self.reason}. "
            "Everything paid for is kept: run the same command again when this is mended."
        )


def _is_error(answer: Answer) -> bool:
    """Came to nothing: an attempt that measured nothing, a proposal that could not be used."""
    return answer is not None and (
        answer.score is None if isinstance(answer, Rollout) else bool(answer.error)
    )


def _spelled(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


ROLLOUT_FIELDS = (("score", (Score, type(None))), ("error", (str,)), ("usage", (Usage, type(None))))
"""What a student's rollout is checked for, beside its task."""


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
    try:  # as it will be read back: a replay must see what the live run saw
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
