"""The one place where students and teachers are called.

A batch of calls goes out together and comes back in the order it was asked for. Trial numbers, budget grants
and retries are settled in that order too, so nothing that is decided from the answers depends on which call
finished first, on how many ran at once, or on whether an answer came from the store. This module knows no
search, no gate and no statistics.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sharpen.errors import ProviderError
from sharpen.evaluate.calling import EDITS, Attempt, Call, Caller
from sharpen.evaluate.flight import Flight
from sharpen.evaluate.leaks import Leaks
from sharpen.evaluate.ledger import Ledger
from sharpen.skills import Skill
from sharpen.store import AttemptKey, Proposal, ProposalKey, Store
from sharpen.types import Json, Rollout, Student, Task, Teacher, Usage

STUBBORN, STILLBORN = 300, 12
"""Calls in a row that came to nothing after which a run ends; fewer when none ever came to anything."""
DOWN = 200
"""Calls in a row that found the provider down, each after its own retries, before a batch is broken off.

A few dozen tasks that always fail are no outage: their attempts with both skills and all retries are fewer.
"""

Key = AttemptKey | ProposalKey
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
        leaks: Leaks | None = None,
    ) -> None:
        self.store, self.ledger = store, ledger
        self._caller = Caller(student, teacher, log=store, timeout=timeout, retries=retries, leaks=leaks)
        self._retries = retries
        self._places = asyncio.Semaphore(concurrency)
        self._flights: set[Flight[Rollout | Proposal]] = set()
        self._stage = ""
        self._trials: dict[tuple[str, str], int] = {}
        self._promises: dict[Key, Usage | None] = {}
        self._student_errors = _Streak("attempts measured nothing")
        self._teacher_errors = _Streak("answers of the teacher could not be used")
        self._outage = _Streak("calls found the provider down")
        self.unusable: list[str] = []
        """Why teacher answers were dropped, in the order asked."""
        self.usable = 0
        self.on_refused: Callable[[Sequence[Json]], None] = _unheard
        """Told of edits that the leak check refused, in the order asked."""

    @property
    def advises(self) -> bool:
        """Can the teacher be asked about more than edits?"""
        return self._caller.advises

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
        self._watch()
        return answers

    def begin(self, calls: Sequence[Call], *, reserve: int = 0) -> AsyncIterator[Answer]:
        """Grant and start the calls now; their answers come in the order asked, each as soon as it can.

        An error is tried again when its turn comes. Until a call has said what it costs, this is `run`.
        """
        if self.ledger.blind and any(self._worst(call) is None for call in calls):
            return self._landed(calls, reserve)
        answers: list[Answer] = [None] * len(calls)
        granted = dict(self._open(calls, range(len(calls)), answers, reserve))
        return self._land(calls, granted, answers, self._fly(calls, granted, answers), reserve)

    async def _land(
        self,
        calls: Sequence[Call],
        granted: Mapping[int, Key],
        answers: list[Answer],
        flight: Flight[Rollout | Proposal],
        reserve: int,
    ) -> AsyncIterator[Answer]:
        try:
            for i in range(len(calls)):
                if i in flight:
                    answers[i] = await flight.answer(i)
                if i in granted:
                    self._settle(granted[i], answers[i])
                for _ in range(self._retries):
                    if isinstance(answers[i], Rollout) and _is_error(answers[i]):
                        await self._wave(calls, [i], answers, reserve)
                yield answers[i]
            self._watch()
        finally:
            await self._release(flight)

    async def _landed(self, calls: Sequence[Call], reserve: int) -> AsyncIterator[Answer]:
        for answer in await self.run(calls, reserve=reserve):
            yield answer

    async def _wave(
        self, calls: Sequence[Call], which: list[int], answers: list[Answer], reserve: int
    ) -> None:
        """One round of the batch: open it, call what the store does not hold, settle in the order asked."""
        granted = dict(self._open(calls, which, answers, reserve))
        missing = [i for i in granted if answers[i] is None]
        if len(missing) == 1:
            await self._call_alone(calls, granted, answers, missing[0])
        elif missing:
            flight = self._fly(calls, granted, answers)
            try:
                for i in missing:
                    answers[i] = await flight.answer(i)
            finally:
                await self._release(flight)
        for i, key in granted.items():
            self._settle(key, answers[i])

    async def _call_alone(
        self, calls: Sequence[Call], granted: Mapping[int, Key], answers: list[Answer], i: int
    ) -> None:
        """A call with no others beside it needs no flight: whoever waits for it makes it."""
        async with self._places:
            answer = await self._call(calls[i], granted[i])
        self._finish(calls[i], granted[i], answer, self._stage)
        self._watch_outage()
        answers[i] = answer
        await asyncio.sleep(0)  # an actor that answers at once must not keep the event loop to itself

    def _open(
        self, calls: Sequence[Call], which: Iterable[int], answers: list[Answer], reserve: int
    ) -> list[tuple[int, Key]]:
        """Grant and number calls in order, and answer from the store what it holds."""
        granted: list[tuple[int, Key]] = []
        for i in which:
            key = self._grant(calls[i], reserve)
            if key is not None:
                granted.append((i, key))
                answers[i] = self._recall(key, calls[i])
        missing = [key for i, key in granted if answers[i] is None]
        if missing:
            self.store.start(missing)
        return granted

    def _settle(self, key: Key, answer: Answer) -> None:
        """Book an answer, in the order asked: sums of money and lists of reasons must not depend on luck."""
        assert answer is not None
        self.ledger.settle(answer.usage, worst=self._promises.pop(key))
        streak = self._teacher_errors if isinstance(answer, Proposal) else self._student_errors
        streak.note(key, answer.error, failed=_is_error(answer))
        if isinstance(answer, Proposal):
            if answer.error:
                self.unusable.append(answer.error)
            else:
                self.usable += 1
            if refused := answer.data.get("refused"):
                self.on_refused(refused)
        elif answer.score is not None:
            self.ledger.require_usage(answer.usage, "student")

    def _watch(self) -> None:
        """Give up when nothing but errors came back for long; a resume asks those questions again."""
        for streak in (self._student_errors, self._teacher_errors):
            if streak.is_over:
                raise self.giving_up(streak)

    def _grant(self, call: Call, reserve: int) -> Key | None:
        worst = self._worst(call)
        key: Key
        if isinstance(call, Attempt):
            if not self.ledger.grant_attempt(reserve, worst=worst):
                return None
            skill, task = call.skill.digest, call.task.digest
            key = AttemptKey(skill, task, self._caller.student_name, self._next_trial((skill, task)))
        else:
            if not self.ledger.grant_question(reserve, worst=worst):
                return None
            question = call.digest
            key = ProposalKey(self._caller.teacher_name, question, self._next_trial(("", question)))
        self._promises[key] = worst
        return key

    def _worst(self, call: Call) -> Usage | None:
        """The most a call can cost, asked for only where tokens or money are limited."""
        if not self.ledger.priced:
            return None
        worst = self._caller.worst_case(call)
        if worst is not None:
            self.ledger.require_usage(worst, "student" if isinstance(call, Attempt) else "teacher")
        return worst

    def last_trial(self, skill: Skill, task: Task) -> int:
        """The number of the latest attempt at a task with a skill; 0 before the first."""
        return self._trials.get((skill.digest, task.digest), 0)

    def can_attempt(self, attempts: int, *, reserve: int = 0) -> bool:
        """Do the counting limits allow so many more attempts?"""
        return self.ledger.rollouts_left() - attempts >= reserve

    def can_ask(self, questions: int, *, reserve: int = 0) -> bool:
        """Does a limit of calls allow so many more teacher calls?"""
        limit = self.ledger.budget.calls
        return limit is None or limit - self.ledger.calls - questions >= reserve

    def _next_trial(self, what: tuple[str, str]) -> int:
        trial = self._trials[what] = self._trials.get(what, 0) + 1
        return trial

    def _recall(self, key: Key, call: Call) -> Rollout | Proposal | None:
        if isinstance(key, AttemptKey):
            assert isinstance(call, Attempt)
            return self.store.find_attempt(key, call.task)
        return self.store.find_proposal(key)

    def _fly(
        self, calls: Sequence[Call], granted: Mapping[int, Key], answers: Sequence[Answer]
    ) -> Flight[Rollout | Proposal]:
        """Start what the store did not answer."""
        missing, stage = [i for i in granted if answers[i] is None], self._stage
        flight = Flight(
            lambda i: self._call(calls[i], granted[i]),
            missing,
            self._places,
            keep=lambda arrived: self._keep(calls, granted, arrived, stage),
        )
        self._flights.add(flight)
        return flight

    async def _release(self, flight: Flight[Rollout | Proposal]) -> None:
        self._flights.discard(flight)
        await flight.close()

    async def close(self) -> None:
        """End what is still on its way; for a run that ends early, before its store is closed."""
        for flight in list(self._flights):
            await self._release(flight)

    async def _call(self, wish: Call, key: Key) -> Rollout | Proposal:
        answer: Rollout | Proposal
        if isinstance(wish, Attempt):
            answer = await self._caller.attempt(wish, key.trial)
        else:
            answer = await self._caller.propose(wish, key.trial)
        self._outage.note(key, answer.error, failed=self._caller.down > 0)
        return answer

    def _keep(
        self,
        calls: Sequence[Call],
        granted: Mapping[int, Key],
        arrived: Sequence[tuple[int, Rollout | Proposal]],
        stage: str,
    ) -> None:
        """Put answers that came together into the store before anybody sees them."""
        with self.store.together():
            for i, answer in arrived:
                self._finish(calls[i], granted[i], answer, stage)
        self._watch_outage()

    def _finish(self, wish: Call, key: Key, answer: Rollout | Proposal, stage: str) -> None:
        if isinstance(wish, Attempt):
            assert isinstance(key, AttemptKey)
            assert isinstance(answer, Rollout)
            self.store.finish_attempt(key, answer, stage=stage)
        else:
            assert isinstance(key, ProposalKey)
            assert isinstance(answer, Proposal)
            self.store.finish_proposal(key, answer, stage=stage if wish.matter == EDITS else wish.matter)

    def _watch_outage(self) -> None:
        """End the run while a provider is down instead of paying for a pass full of errors."""
        if self._caller.down >= DOWN:
            raise self.giving_up(self._outage)


def _unheard(refused: Sequence[Json]) -> None:
    """Nobody wants to know."""


@dataclass
class _Streak:
    """Calls to one actor that came to nothing, in a row."""

    what: str
    limit: int = STILLBORN
    keys: list[Key] = field(default_factory=list)
    reason: str = ""

    def note(self, key: Key, reason: str, *, failed: bool) -> None:
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
