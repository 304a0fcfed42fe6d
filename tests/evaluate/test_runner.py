"""Calling students and teachers: order, trials, retries, budget, concurrency, and answers that are none."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import BudgetError, ProviderError
from sharpen.evaluate import Answer, Attempt, Call, Proposal, Question, Runner
from sharpen.simulate import uniform
from sharpen.skills import Edit, Skill
from sharpen.store import MemoryStore, SqliteStore, Store
from sharpen.types import Budget, Rollout, Task, Usage

from .players import NEW, OLD, Answering, Coach, Player, runner_for, tasks

LINE = [Edit.append("- a line")]


def attempts(
    runner: Runner, wanted: Sequence[Task], *, skill: Skill = NEW, reserve: int = 0
) -> list[Rollout | None]:
    return asyncio.run(runner.attempts([(skill, task) for task in wanted], reserve=reserve))


def run(runner: Runner, calls: Sequence[Call], *, reserve: int = 0) -> list[Answer]:
    return asyncio.run(runner.run(calls, reserve=reserve))


def outcomes(answers: Sequence[Answer]) -> list[str | None]:
    return [answer.outcome if isinstance(answer, Rollout) else None for answer in answers]


def only(answers: Sequence[Rollout | None]) -> Rollout:
    (answer,) = answers
    assert answer is not None
    return answer


def shown(feedback: str = "wrong", **more: object) -> tuple[Rollout, ...]:
    trajectory = more or None
    return (Rollout.scored(Task("t0"), hard=0, feedback=feedback, trajectory=trajectory),)


# -- order and concurrency --------------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_questions() -> None:
    wanted = tasks(12)
    student = Player(
        lambda task, skill, trial: int(task.id[1:]) / 20, turns=lambda task, trial: 40 - int(task.id[1:])
    )
    answers = attempts(runner_for(student), wanted)
    assert [answer.task for answer in answers if answer] == wanted
    assert [answer.score.hard for answer in answers if answer and answer.score] == [n / 20 for n in range(12)]
    assert student.finished == [(f"t{n}", 1) for n in reversed(range(12))]


@pytest.mark.parametrize(("limit", "seen"), [(1, 1), (3, 3), (16, 16), (100, 40)])
def test_no_more_than_the_limit_are_in_flight(limit: int, seen: int) -> None:
    student = Player(lambda *_: 1, turns=lambda task, trial: 40 + hash_of(task, trial) % 7)
    attempts(runner_for(student, concurrency=limit), tasks(40))
    assert student.most_in_flight == seen
    assert len(student.finished) == 40


def hash_of(task: Task, trial: int) -> int:
    return int(uniform("turns", task.id, trial) * 1000)


def test_a_free_place_is_filled_at_once() -> None:
    """One slow call must not hold up the others: they all finish before it."""
    student = Player(lambda *_: 1, turns=lambda task, trial: 500 if task.id == "t0" else 1)
    attempts(runner_for(student, concurrency=2), tasks(20))
    assert student.finished[-1] == ("t0", 1)
    assert student.most_in_flight == 2


def test_an_empty_batch_is_answered_with_nothing() -> None:
    assert attempts(runner_for(Player(lambda *_: 1)), []) == []


@given(
    batches=st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=12), min_size=1, max_size=3
    ),
    luck=st.integers(0, 1000),
    rollouts=st.integers(1, 40),
    concurrency=st.integers(1, 8),
)
def test_nothing_depends_on_who_finishes_first(
    batches: list[list[tuple[int, bool]]], luck: int, rollouts: int, concurrency: int
) -> None:
    """Answers, trials and spend are those of one call after the other, and the budget is never crossed."""

    def answer(task: Task, skill: Skill, trial: int) -> float | None:
        drawn = uniform(luck, task.id, skill.text, trial)
        return None if drawn < 0.3 else float(drawn < 0.6)

    def played(
        concurrency: int, slow: int
    ) -> tuple[list[list[Answer]], dict[str, float], list[tuple[str, str, int]]]:
        student = Player(answer, turns=lambda task, trial: int(slow * uniform(luck, "turns", task.id, trial)))
        runner = runner_for(student, budget=Budget(rollouts=rollouts), concurrency=concurrency)
        answers = [
            run(runner, [Attempt(NEW if new else OLD, Task(f"t{n}")) for n, new in batch])
            for batch in batches
        ]
        assert runner.ledger.rollouts == len(student.asked) <= rollouts
        return answers, runner.ledger.spent(), sorted(student.asked)

    assert played(concurrency, 9) == played(1, 0)


# -- trials and retries -----------------------------------------------------------------------------------


def test_trials_count_per_skill_and_task() -> None:
    student = Player(lambda *_: 1)
    runner = runner_for(student, concurrency=1)
    one, other = tasks(2)
    asyncio.run(runner.attempts([(NEW, one), (NEW, one), (OLD, one), (NEW, other)]))
    asyncio.run(runner.attempts([(NEW, one), (OLD, other)]))
    assert student.asked == [
        (NEW.text, "t0", 1), (NEW.text, "t0", 2), (OLD.text, "t0", 1), (NEW.text, "t1", 1),
        (NEW.text, "t0", 3), (OLD.text, "t1", 1),
    ]  # fmt: skip


def test_a_task_is_known_by_its_content_not_its_name() -> None:
    student = Player(lambda *_: 1)
    attempts(
        runner_for(student),
        [Task("t0", "one prompt"), Task("t0", "another prompt"), Task("t0", "one prompt")],
    )
    assert [trial for _, _, trial in student.asked] == [1, 1, 2]


def test_a_retry_takes_the_next_trial() -> None:
    student = Player(lambda task, skill, trial: None if trial < 3 else 1)
    runner = runner_for(student)
    assert only(attempts(runner, tasks(1))).outcome == "solved"
    assert [trial for _, _, trial in student.asked] == [1, 2, 3]
    assert runner.ledger.spent() == {"rollouts": 3, "calls": 3, "tokens": 0, "usd": 0.0}


def test_a_retry_never_takes_a_trial_of_its_own_batch() -> None:
    student = Player(lambda task, skill, trial: None if trial == 1 else 1)
    runner = runner_for(student)
    answers = attempts(runner, tasks(1) * 3)
    assert outcomes(answers) == ["solved"] * 3
    assert sorted(trial for _, _, trial in student.asked) == [1, 2, 3, 4]


@pytest.mark.parametrize("retries", [0, 1, 2, 5])
def test_an_error_that_stays_is_returned_after_the_retries(retries: int) -> None:
    student = Player(lambda *_: None)
    runner = runner_for(student, retries=retries)
    rollout = only(attempts(runner, tasks(1)))
    assert (rollout.outcome, rollout.score, rollout.error) == ("error", None, "down")
    assert [trial for _, _, trial in student.asked] == list(range(1, retries + 2))
    assert runner.ledger.rollouts == retries + 1
    assert [record.outcome for record in runner.store.attempts()] == ["error"] * (retries + 1)


def test_only_what_failed_is_tried_again() -> None:
    student = Player(lambda task, skill, trial: None if task.id == "t1" and trial == 1 else 0)
    assert outcomes(attempts(runner_for(student), tasks(3))) == ["failed"] * 3
    assert Counter(task for _, task, _ in student.asked) == {"t0": 1, "t1": 2, "t2": 1}


# -- budget -----------------------------------------------------------------------------------------------


def test_the_budget_goes_to_the_first_who_ask() -> None:
    student = Player(lambda *_: 1, turns=lambda task, trial: 9 - int(task.id[1:]))
    runner = runner_for(student, budget=Budget(rollouts=3))
    answers = attempts(runner, tasks(5))
    assert outcomes(answers) == ["solved"] * 3 + [None] * 2
    assert outcomes(attempts(runner, tasks(1))) == [None]
    assert len(student.asked) == runner.ledger.rollouts == 3


def test_a_retry_that_the_budget_refuses_leaves_the_error() -> None:
    student = Player(lambda task, skill, trial: None if task.id == "t0" else 1)
    runner = runner_for(student, budget=Budget(rollouts=3))
    assert outcomes(attempts(runner, tasks(2))) == ["error", "solved"]
    assert len(student.asked) == 3


def test_a_refused_call_takes_no_trial() -> None:
    student = Player(lambda *_: 1)
    runner = runner_for(student, budget=Budget(rollouts=4))
    assert outcomes(attempts(runner, tasks(1) * 3, reserve=2)) == ["solved", "solved", None]
    attempts(runner, tasks(1) * 2)
    assert [trial for _, _, trial in student.asked] == [1, 2, 3, 4]


def test_questions_are_calls_and_no_rollouts() -> None:
    student, coach = Player(lambda *_: 1), Coach(lambda *_: LINE)
    runner = runner_for(student, coach, budget=Budget(rollouts=1, calls=3))
    ask = Question(NEW, shown(), 4)
    answers = run(runner, [Attempt(NEW, Task("t0")), ask, ask, ask])
    assert [type(answer) for answer in answers] == [Rollout, Proposal, Proposal, type(None)]
    assert runner.ledger.spent() == {"rollouts": 1, "calls": 3, "tokens": 0, "usd": 0.0}


def test_what_calls_used_is_added_up() -> None:
    class Billed(list[Edit]):
        usage = Usage(10, 1, usd=0.5)

    student = Player(lambda task, skill, trial: None if trial == 1 else 1, usage=Usage(100, 20, usd=0.25))
    runner = runner_for(student, Coach(lambda *_: Billed(LINE)))
    run(runner, [Attempt(NEW, Task("t0")), Question(NEW, shown(), 4)])
    assert runner.ledger.spent() == {"rollouts": 2, "calls": 3, "tokens": 251, "usd": 1.0}


@pytest.mark.parametrize(
    ("budget", "usage", "says"),
    [
        (Budget(tokens=1000), None, "limits tokens, but the student reports no usage"),
        (Budget(usd=1.0), None, "limits money, but the student reports no price"),
        (Budget(usd=1.0), Usage(10, 10), "limits money, but the student reports no price"),
    ],
)
def test_a_limit_that_nobody_reports_against_is_an_error(
    budget: Budget, usage: Usage | None, says: str
) -> None:
    runner = runner_for(Player(lambda *_: 1, usage=usage), budget=budget)
    with pytest.raises(BudgetError, match=says):
        attempts(runner, tasks(3))


def test_an_error_need_not_report_usage() -> None:
    answers = attempts(runner_for(Player(lambda *_: None), budget=Budget(tokens=1000)), tasks(1))
    assert outcomes(answers) == ["error"]


def test_tokens_are_kept_within_their_limit_once_a_call_has_shown_its_price() -> None:
    runner = runner_for(Player(lambda *_: 1, usage=Usage(100)), budget=Budget(tokens=1050))
    attempts(runner, tasks(1))
    assert outcomes(attempts(runner, tasks(40))) == ["solved"] * 9 + [None] * 31
    assert runner.ledger.tokens == 1000


def test_money_adds_up_the_same_whoever_finishes_first() -> None:
    """Sums of floats depend on their order, and a run's spend is part of its result."""

    def spent(slow: int) -> float:
        costs = [0.1, 0.2, 0.3]
        student = Player(
            lambda task, skill, trial: Rollout.scored(task, hard=1, usage=Usage(usd=costs[int(task.id[1:])])),
            turns=lambda task, trial: slow * (9 - int(task.id[1:])),
        )
        runner = runner_for(student)
        attempts(runner, tasks(3))
        return runner.ledger.usd

    assert spent(0) == spent(1)


def test_the_first_call_prices_the_others() -> None:
    runner = runner_for(Player(lambda *_: 1, usage=Usage(100)), budget=Budget(tokens=1000))
    attempts(runner, tasks(40))
    assert runner.ledger.tokens <= 1000


# -- the store --------------------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else SqliteStore.open(tmp_path / "run")


def _mixed(task: Task, skill: Skill, trial: int) -> float | None:
    return None if uniform(task.id, trial) < 0.4 else float(uniform("hard", task.id, trial) < 0.5)


def test_what_was_paid_for_is_charged_but_not_called_again(store: Store) -> None:
    calls: list[Call] = [Attempt(NEW, task) for task in tasks(12)]
    calls += [Question(NEW, shown(), 4), Question(NEW, shown(), 4)]

    def coach() -> Coach:
        return Coach(lambda skill, trial: LINE if trial == 1 else RuntimeError("tired"))

    first = runner_for(Player(_mixed, usage=Usage(7, 1, usd=0.5)), coach(), store=store)
    answers = run(first, calls)
    student, teacher = Player(lambda *_: RuntimeError("asked again")), coach()
    second = runner_for(student, teacher, store=store)
    assert run(second, calls) == answers
    assert (student.asked, teacher.asked) == ([], [])
    assert second.ledger.spent() == first.ledger.spent()
    assert (second.usable, second.unusable) == (first.usable, first.unusable) == (1, ["RuntimeError: tired"])
    store.close()


@given(kept=st.integers(0, 12), rollouts=st.integers(1, 30))
def test_a_broken_off_run_pays_only_for_the_rest(kept: int, rollouts: int) -> None:
    """Whatever part of the answers is in the store: answers and spend are those of an unbroken run."""
    whole = runner_for(Player(_mixed), budget=Budget(rollouts=rollouts))
    answers = attempts(whole, tasks(8))
    store, paid = MemoryStore(), Player(_mixed)
    attempts(runner_for(paid, budget=Budget(rollouts=kept or 1), store=store), tasks(8)[:kept])
    again = Player(_mixed)
    resumed = runner_for(again, budget=Budget(rollouts=rollouts), store=store)
    assert attempts(resumed, tasks(8)) == answers
    assert resumed.ledger.spent() == whole.ledger.spent()
    assert not set(paid.asked) & set(again.asked)


def test_answers_of_another_student_are_not_used() -> None:
    store, other = MemoryStore(), Player(lambda *_: 0)
    other.fingerprint = "other"
    attempts(runner_for(Player(lambda *_: 1), store=store), tasks(1))
    assert only(attempts(runner_for(other, store=store), tasks(1))).outcome == "failed"


def test_a_started_attempt_is_awaited_and_kept() -> None:
    """When the batch returns nobody is still at work, and everything that was begun is in the store."""
    student = Player(_mixed, turns=lambda task, trial: 30 if task.id == "t0" else 0)
    runner = runner_for(student, concurrency=4)
    attempts(runner, tasks(9))
    assert student.in_flight == 0
    assert (
        len(student.finished) == len(student.asked) == len(runner.store.attempts()) == runner.ledger.rollouts
    )


def test_a_cancelled_run_keeps_what_was_finished() -> None:
    """Ctrl-C ends the calls in flight, leaves no stray ones behind, and the next run goes on from there."""
    store = MemoryStore()
    student = Player(lambda *_: 1, turns=lambda task, trial: 2 if int(task.id[1:]) < 3 else 10_000)

    async def broken_off() -> None:
        batch = asyncio.create_task(runner_for(student, store=store, concurrency=5).attempts(wanted))
        while len(student.finished) < 3:
            await asyncio.sleep(0)
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch

    wanted = [(NEW, task) for task in tasks(8)]
    asyncio.run(broken_off())
    assert student.in_flight == 0
    assert {record.task_id for record in store.attempts()} == {"t0", "t1", "t2"}
    again = Player(lambda *_: 1)
    assert outcomes(attempts(runner_for(again, store=store), tasks(8))) == ["solved"] * 8
    assert sorted(task for _, task, _ in again.asked) == ["t3", "t4", "t5", "t6", "t7"]


# -- students that answer nonsense ------------------------------------------------------------------------


def _other_task(task: Task, skill: Skill, trial: int) -> Rollout:
    return Rollout.scored(Task("t9"), hard=1)


def _same_id_other_prompt(task: Task, skill: Skill, trial: int) -> Rollout:
    return Rollout.scored(Task(task.id, "another prompt"), hard=1)


def _scored(hard: float, soft: float | None = None) -> Answering:
    """A student that makes its rollout of these scores, and meets the error while it does."""

    def answer(task: Task, skill: Skill, trial: int) -> object:
        try:
            return Rollout.scored(task, hard=hard, soft=soft)
        except ValueError as error:
            return error

    return answer


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *_: RuntimeError("no route to host"), "RuntimeError: no route to host"),
        (lambda *_: KeyError(), "KeyError"),
        (lambda *_: AssertionError("a bug of theirs"), "AssertionError: a bug of theirs"),
        (lambda *_: TimeoutError("the provider took too long"), "timed out: the provider took too long"),
        (lambda *_: "solved", "the student returned str instead of a Rollout"),
        (lambda *_: {"hard": 1}, "the student returned dict instead of a Rollout"),
        (_other_task, "the student answered for task 't9' instead of 't0'"),
        (_same_id_other_prompt, "the student answered for task 't0'"),
        (_scored(hard=math.nan), "the hard score must be a number from 0 to 1, not nan"),
        (_scored(hard=math.inf), "the hard score must be a number from 0 to 1, not inf"),
        (_scored(hard=1.5), "the hard score must be a number from 0 to 1, not 1.5"),
        (_scored(hard=-0.1), "the hard score must be a number from 0 to 1, not -0.1"),
        (_scored(hard=1, soft=math.nan), "the soft score must be a number from 0 to 1, not nan"),
        (_scored(hard=1, soft=2), "the soft score must be a number from 0 to 1, not 2"),
    ],
)
def test_nonsense_is_an_error_with_its_reason_and_never_a_score(answer: Answering, says: str) -> None:
    runner = runner_for(Player(answer))
    rollout = only(attempts(runner, tasks(1)))
    assert (rollout.outcome, rollout.score) == ("error", None)
    assert says in rollout.error
    assert rollout.task == Task("t0")
    assert runner.ledger.rollouts == 3


class Silent:
    """A student whose method forgets to return."""

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        return None  # type: ignore[return-value]


class Blocking:
    """A student whose method is not async."""

    def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        return Rollout.scored(task, hard=1)


def test_a_student_that_returns_nothing() -> None:
    rollout = only(attempts(runner_for(Silent()), tasks(1)))
    assert (rollout.outcome, rollout.error) == (
        "error",
        "TypeError: the student returned NoneType instead of a Rollout",
    )


def test_a_student_that_is_not_async() -> None:
    rollout = only(attempts(runner_for(Blocking()), tasks(1)))  # type: ignore[arg-type]
    assert rollout.outcome == "error"
    assert "await" in rollout.error


def test_one_bad_answer_does_not_spoil_the_others() -> None:
    student = Player(lambda task, skill, trial: RuntimeError("boom") if task.id == "t1" else 1)
    assert outcomes(attempts(runner_for(student), tasks(3))) == ["solved", "error", "solved"]


class Hanging:
    """A student that never answers for t0."""

    def __init__(self) -> None:
        self.given_up = 0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        if task.id == "t0":
            try:
                await asyncio.Event().wait()
            finally:
                self.given_up += 1
        return Rollout.scored(task, hard=1)


def test_an_attempt_that_hangs_is_given_up() -> None:
    student = Hanging()
    runner = runner_for(student, timeout=0.01, retries=1)
    answers = attempts(runner, tasks(2))
    assert outcomes(answers) == ["error", "solved"]
    assert isinstance(answers[0], Rollout)
    assert answers[0].error.startswith("timed out")
    assert (student.given_up, runner.ledger.rollouts) == (2, 3)


def test_a_timeout_says_after_how_long() -> None:
    rollout = only(attempts(runner_for(Hanging(), timeout=0.01, retries=0), tasks(1)))
    assert "0.01 s" in rollout.error


@pytest.mark.parametrize(
    "answer",
    [
        lambda task, *_: Rollout(task, 0.5),  # type: ignore[arg-type]
        lambda task, *_: Rollout.scored(task, hard=1, usage={"tokens": 3}),  # type: ignore[arg-type]
        lambda task, *_: Rollout.scored(task, hard=1, trajectory={"step": object()}),
        lambda task, *_: Rollout.failed_to_run(task, reason=ValueError("down")),  # type: ignore[arg-type]
    ],
    ids=["score", "usage", "trajectory", "reason"],
)
def test_a_rollout_with_a_field_of_the_wrong_type_is_an_error(answer: Answering, store: Store) -> None:
    rollout = only(attempts(runner_for(Player(answer), store=store), tasks(1)))
    assert rollout.score is None
    assert isinstance(rollout.error, str)
    store.close()


def test_a_student_that_cancels_itself_is_an_error() -> None:
    """A cancel scope that leaks out of a student is its failure; nobody asked the run to stop."""
    answers = attempts(runner_for(Player(lambda *_: asyncio.CancelledError())), tasks(2))
    assert outcomes(answers) == ["error", "error"]


# -- actors that stay down --------------------------------------------------------------------------------


def test_a_student_that_never_worked_ends_the_run_early() -> None:
    student = Player(lambda *_: RuntimeError("wrong key"))
    runner = runner_for(student)
    with pytest.raises(
        ProviderError, match=r"the last 12 attempts measured nothing.*RuntimeError: wrong key"
    ):
        for task in tasks(100):
            attempts(runner, [task])
    assert len(student.asked) == 4 * 3
    assert runner.store.attempts() == []  # a resume asks again


def test_a_student_that_worked_before_is_given_more_time() -> None:
    student = Player(lambda task, skill, trial: 1 if task.id == "t0" else None)
    runner = runner_for(student, retries=0)
    with pytest.raises(ProviderError, match=r"the last 300 attempts measured nothing"):
        for task in tasks(400):
            attempts(runner, [task])
    assert len(student.asked) == 301


def test_one_success_begins_the_count_again() -> None:
    student = Player(lambda task, skill, trial: 1 if int(task.id[1:]) % 250 == 0 else None)
    answers = attempts(runner_for(student, retries=0), tasks(1000))
    assert outcomes(answers).count("error") == 996


def test_a_teacher_that_never_worked_ends_the_run_too() -> None:
    coach = Coach(lambda *_: "no edits")
    runner = runner_for(Player(lambda *_: 1), coach)
    with pytest.raises(
        ProviderError, match=r"the last 12 answers of the teacher could not be used.*returned str"
    ):
        for n in range(100):
            run(runner, [Question(NEW, shown(f"{n}"), 4)])
    assert len(coach.asked) == len(runner.unusable) == 12


def test_what_was_paid_for_before_the_end_is_kept() -> None:
    student = Player(lambda task, skill, trial: 1 if task.id == "t0" else None)
    runner = runner_for(student)
    with pytest.raises(ProviderError, match="Everything paid for is kept"):
        attempts(runner, tasks(120))
    assert [record.task_id for record in runner.store.attempts()] == ["t0"]
    assert runner.ledger.rollouts == len(student.asked)


def test_a_batch_that_begins_with_errors_is_not_a_provider_that_is_down() -> None:
    """Six tasks that cannot be run come first; 24 others, made at the same time, are solved."""
    student = Player(lambda task, skill, trial: None if int(task.id[1:]) < 6 else 1)
    assert outcomes(attempts(runner_for(student), tasks(30))) == ["error"] * 6 + ["solved"] * 24


def test_the_same_command_goes_on_when_the_provider_is_back() -> None:
    store, down = MemoryStore(), True

    def answer(task: Task, skill: Skill, trial: int) -> float | None:
        return None if down and task.id != "t0" else 1.0

    with pytest.raises(ProviderError):
        attempts(runner_for(Player(answer), store=store), tasks(120))
    down = False
    student = Player(answer)
    runner = runner_for(student, store=store)
    assert outcomes(attempts(runner, tasks(120))) == ["solved"] * 120
    assert student.asked


# -- teachers ---------------------------------------------------------------------------------------------


def test_a_teacher_is_told_everything_and_its_edits_are_cut_to_the_limit() -> None:
    coach = Coach(lambda *_: [Edit.append(f"- {n}") for n in range(5)])
    runner = runner_for(Player(lambda *_: 1), coach)
    (answer,) = run(runner, [Question(OLD, shown("why"), 2, "tried before")])
    assert answer == Proposal(edits=(Edit.append("- 0"), Edit.append("- 1")))
    assert coach.asked == [(OLD.text, shown("why"), 2, "tried before", 1)]


def test_the_same_question_counts_up_and_another_starts_at_one() -> None:
    coach = Coach(lambda *_: LINE)
    runner = runner_for(Player(lambda *_: 1), coach, concurrency=1)
    same = Question(NEW, shown("a"), 4)
    others = [
        Question(OLD, shown("a"), 4),
        Question(NEW, shown("b"), 4),
        Question(NEW, shown("a") * 2, 4),
        Question(NEW, shown("a", steps=["x"]), 4),
        Question(NEW, (Rollout.failed_to_run(Task("t0"), reason="a"),), 4),
        Question(NEW, shown("a"), 3),
        Question(NEW, shown("a"), 4, "memory"),
    ]
    run(runner, [same, same, *others])
    run(runner, [same])
    assert [trial for *_, trial in coach.asked] == [1, 2] + [1] * len(others) + [3]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "the teacher returned NoneType instead of a list of edits"),
        ("- R00: a line", "the teacher returned str instead of a list of edits"),
        (Edit.append("- x"), "the teacher returned Edit instead of a list of edits"),
        ([{"op": "append", "content": "x"}], "the teacher returned dict where an Edit belongs"),
        ([Edit.append("- x"), None], "the teacher returned NoneType where an Edit belongs"),
        (RuntimeError("overloaded"), "RuntimeError: overloaded"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_unusable_proposal_is_dropped_and_counted(answer: object, says: str) -> None:
    coach = Coach(lambda *_: answer)
    runner = runner_for(Player(lambda *_: 1), coach)
    (proposal,) = run(runner, [Question(NEW, shown(), 4)])
    assert isinstance(proposal, Proposal)
    assert proposal.edits == ()
    assert says in proposal.error
    assert runner.unusable == [proposal.error]
    assert runner.usable == 0
    assert len(coach.asked) == runner.ledger.calls == 1


def test_no_idea_is_a_usable_answer() -> None:
    runner = runner_for(Player(lambda *_: 1), Coach(lambda *_: []))
    assert run(runner, [Question(NEW, shown(), 4)]) == [Proposal()]
    assert (runner.usable, runner.unusable) == (1, [])


def test_a_teacher_that_hangs_is_given_up() -> None:
    runner = runner_for(Player(lambda *_: 1), Coach(lambda *_: LINE, turns=lambda _: 10**9), timeout=0.01)
    (proposal,) = run(runner, [Question(NEW, shown(), 4)])
    assert isinstance(proposal, Proposal)
    assert "Timeout" in proposal.error
    assert len(runner.unusable) == 1


def test_unusable_answers_are_listed_in_the_order_asked() -> None:
    coach = Coach(lambda skill, trial: RuntimeError(f"no. {trial}"), turns=lambda trial: 9 - trial)
    runner = runner_for(Player(lambda *_: 1), coach)
    run(runner, [Question(NEW, shown(), 4)] * 4)
    assert runner.unusable == [f"RuntimeError: no. {n}" for n in (1, 2, 3, 4)]


# -- known gaps -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first", [Attempt(NEW, Task("down")), Question(NEW, shown(), 4)], ids=["error", "teacher"]
)
def test_the_first_call_with_a_price_prices_the_others(first: Call) -> None:
    def answer(task: Task, skill: Skill, trial: int) -> object:
        return RuntimeError("down") if task.id == "down" else Rollout.scored(task, hard=1, usage=Usage(100))

    runner = runner_for(Player(answer), Coach(lambda *_: LINE), budget=Budget(tokens=1000))
    run(runner, [first, *(Attempt(NEW, task) for task in tasks(40))])
    assert runner.ledger.tokens <= 1000


def test_a_student_that_fails_without_a_reason_ends_the_run_as_well() -> None:
    with pytest.raises(ProviderError):
        attempts(runner_for(Player(lambda task, *_: Rollout(task, None))), tasks(100))
