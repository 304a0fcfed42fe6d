"""The crew: lanes in lockstep, whose outcome cannot depend on which call comes back first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import pytest

from clock import run_virtual
from sharpen import Budget, Rollout, Skill, Task
from sharpen.evaluate import Attempt, Ledger, Runner
from sharpen.simulate import uniform
from sharpen.store import MemoryStore
from sharpen.train.crew import Crew, Steps

SKILL = Skill.from_text("# Skill\n")
TASKS = [Task(f"t{n}") for n in range(12)]


class Shuffled:
    """Takes a time that depends on the salt."""

    fingerprint = "shuffled"

    def __init__(self, salt: int) -> None:
        self.salt, self.finished = salt, list[str]()

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        await asyncio.sleep(uniform(self.salt, task.id, trial))
        self.finished.append(f"{task.id}.{trial}")
        return Rollout.scored(task, hard=float((int(task.id[1:]) + trial) % 3 == 0))


def lane(task: int, heard: list[str]) -> Steps[tuple[int, int]]:
    """Attempts its task until it is solved, two at a time; says when it is sent an answer."""
    for turn in range(1, 9):
        answers = yield [Attempt(SKILL, TASKS[task])] * 2
        heard.append(f"{task}:{turn}")
        assert [answer.task.id for answer in answers if isinstance(answer, Rollout)] == [TASKS[task].id] * 2
        if any(isinstance(answer, Rollout) and answer.outcome == "solved" for answer in answers):
            return task, turn
    return task, 0


def work(
    lanes: Iterable[Steps[tuple[int, int]]],
    *,
    salt: int = 0,
    width: int = 3,
    concurrency: int = 16,
    budget: int = 999,
) -> tuple[bool, list[tuple[int, int]], Shuffled]:
    student, committed, waiting = Shuffled(salt), list[tuple[int, int]](), iter(lanes)
    runner = Runner(
        student, store=MemoryStore(), ledger=Ledger(Budget(rollouts=budget)), concurrency=concurrency
    )
    crew: Crew[tuple[int, int]] = Crew(runner, width=width)
    done, _ = run_virtual(crew.work(lambda: next(waiting, None), committed.append, reserve=0))
    return done, committed, student


def test_order_is_the_same_whoever_finishes_first() -> None:
    stories, orders = [], set()
    for salt in range(8):
        heard: list[str] = []
        done, committed, student = work(
            (lane(n, heard) for n in range(12)), salt=salt, concurrency=(1, 3, 16)[salt % 3]
        )
        assert done
        stories.append((heard, committed))
        orders.add(tuple(student.finished))
    assert all(story == stories[0] for story in stories)
    assert len(orders) > 4, "the student did finish in different orders"
    assert sorted(task for task, _ in stories[0][1]) == list(range(12))


@pytest.mark.parametrize("width", [1, 2, 5, 50])
def test_no_more_lanes_than_places(width: int) -> None:
    open_lanes, most = 0, 0

    def counted(n: int) -> Steps[tuple[int, int]]:
        nonlocal open_lanes, most
        open_lanes += 1
        most = max(most, open_lanes)
        found = yield from lane(n, [])
        open_lanes -= 1
        return found

    done, committed, _ = work((counted(n) for n in range(12)), width=width)
    assert done
    assert most == min(width, 12)
    assert len(committed) == 12


def test_a_place_is_filled_as_soon_as_its_lane_ends() -> None:
    """What a lane commits is known to the lane that takes its place."""
    known: list[int] = []

    def next_lane() -> Steps[int] | None:
        return looking(len(known)) if len(known) < 4 else None

    def looking(expected: int) -> Steps[int]:
        assert len(known) == expected
        yield [Attempt(SKILL, TASKS[0])]
        return expected

    runner = Runner(Shuffled(0), store=MemoryStore(), ledger=Ledger(Budget(rollouts=50)))
    assert run_virtual(Crew[int](runner, width=1).work(next_lane, known.append, reserve=0))[0]
    assert known == [0, 1, 2, 3]


def test_a_lane_without_a_call_is_committed_at_once() -> None:
    def idle(n: int) -> Steps[tuple[int, int]]:
        return n, 0
        yield []

    done, committed, student = work(idle(n) for n in range(5))
    assert (done, committed, student.finished) == (True, [(n, 0) for n in range(5)], [])


def test_no_lanes_no_work() -> None:
    assert work([])[:2] == (True, [])


@pytest.mark.parametrize("budget", [1, 2, 7, 13])
def test_the_budget_ends_the_lanes(budget: int) -> None:
    def endless(n: int) -> Steps[tuple[int, int]]:
        while True:
            yield [Attempt(SKILL, TASKS[n])]

    done, committed, student = work((endless(n) for n in range(3)), budget=budget)
    assert (done, committed) == (False, [])
    assert len(student.finished) == budget


def test_what_is_reserved_is_left() -> None:
    def endless() -> Steps[int]:
        while True:
            yield [Attempt(SKILL, TASKS[0])]

    ledger = Ledger(Budget(rollouts=20))
    runner = Runner(Shuffled(0), store=MemoryStore(), ledger=ledger)
    lanes: Callable[[], Steps[int]] = endless
    assert not run_virtual(Crew[int](runner, width=2).work(lanes, lambda _: None, reserve=7))[0]
    assert ledger.rollouts == 13


def test_an_error_in_a_lane_is_a_bug_and_crashes() -> None:
    def broken() -> Steps[tuple[int, int]]:
        yield [Attempt(SKILL, TASKS[0])]
        raise KeyError("bug")

    with pytest.raises(KeyError, match="bug"):
        work([broken()])
