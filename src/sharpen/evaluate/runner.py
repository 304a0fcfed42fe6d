"""The one place where students and teachers are called.

A batch of calls goes out together and comes back in the order it was asked for. Trial numbers, budget grants
and retries are settled in that order too, so nothing that is decided from the answers depends on which call
finished first, on how many ran at once, or on whether an answer came from the store. This module knows no
search, no gate and no statistics.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sharpen.errors import ProviderError
from sharpen.evaluate.calling import Attempt, Call, Caller, Question
from sharpen.evaluate.ledger import Ledger
from sharpen.skills import Skill
from sharpen.store import AttemptKey, Proposal, ProposalKey, Store
from sharpen.types import Rollout, Student, Task, Teacher, Usage

STUBBORN, STILLBORN = 300, 12
"""Calls in a row that came to nothing after which a run ends; fewer when none ever came to anything."""
DOWN = 200
"""Calls in a row that found the provider down, each after its own retries, before a batch is broken off.

A few dozen tasks that always fail are no outage: their attempts with both skills and all retries are fewer.
"""

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
        self._caller = Caller(student, teacher, log=store, timeout=timeout, retries=retries)
        self._concurrency, self._retries = concurrency, retries
        self._stage = ""
        self._trials: dict[tuple[str, str], int] = {}
        self._student_errors = _Streak("attempts measured nothing")
        self._teacher_errors = _Streak("answers of the teacher could not be used")
        self._outage = _Streak("calls found the provider down")
        self.unusable: list[str] = []
        """Why teacher answers were dropped, in the order asked."""
        self.usable = 0

    def giving_up(self, streak: _Streak | None = None) -> ProviderError:
        """The error to raise when an actor stays down: a resume asks again what it failed to answer."""
        over = streak or self._student_errors
        self.store.forget(over.keys)
        return ProviderError(over.message)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What the calls made inside are for: kept with each of them."""
        outer, self._stage = self._stage, name
        try:
            yield
        finally:
            self._stage = outer

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
        while priced < len(calls) and self.ledger.blind and self._worst(calls[priced]) is None:
            # One at a time until one says what it cost.
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

    def _watch_outage(self, key: AttemptKey | ProposalKey, reason: str) -> None:
        """End the run while a provider is down instead of paying for a pass full of errors."""
        self._outage.note(key, reason, failed=self._caller.down > 0)
        if self._caller.down >= DOWN:
            raise self.giving_up(self._outage)

    def _grant(self, call: Call, reserve: int) -> AttemptKey | ProposalKey | None:
        if isinstance(call, Attempt):
            if not self.ledger.grant_attempt(reserve, worst=self._worst(call)):
                return None
            skill, task = call.skill.digest, call.task.digest
            return AttemptKey(skill, task, self._caller.student_name, self._next_trial((skill, task)))
        if not self.ledger.grant_question(reserve, worst=self._worst(call)):
            return None
        question = call.digest
        return ProposalKey(self._caller.teacher_name, question, self._next_trial(("", question)))

    def _worst(self, call: Call) -> Usage | None:
        """The most a call can cost, asked for only where tokens or money are limited."""
        if not self.ledger.priced:
            return None
        worst = self._caller.worst_case(call)
        if worst is not None:
            self.ledger.require_usage(worst, "student" if isinstance(call, Attempt) else "teacher")
        return worst

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
        """Workers share the calls; the first failure stops the others and is raised.

        A worker calls in the next one before it makes its first call; that one begins when this one has to
        wait. So an actor that answers at once costs two workers, not as many as may be in flight.
        """
        waiting = deque(missing)
        idle = min(self._concurrency, len(missing))

        async def work() -> None:
            nonlocal idle
            idle -= 1
            if idle and waiting:
                workers.create_task(work())
            while waiting:
                i, key = waiting.popleft()
                wish = calls[i]
                if isinstance(key, AttemptKey):
                    assert isinstance(wish, Attempt)
                    rollout = answers[i] = await self._caller.attempt(wish, key.trial)
                    self.store.finish_attempt(key, rollout, stage=self._stage)
                    self._watch_outage(key, rollout.error)
                else:
                    assert isinstance(wish, Question)
                    proposal = answers[i] = await self._caller.propose(wish, key.trial)
                    self.store.finish_proposal(key, proposal, stage=self._stage)
                    self._watch_outage(key, proposal.error)

        failed: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as workers:
                workers.create_task(work())
        except BaseExceptionGroup as failures:
            failed = failures.exceptions[0]
        if failed is not None:
            raise failed


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
