"""Gates: what gets in, what does not, and when nothing can be said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from sharpen.errors import ProviderError
from sharpen.evaluate import Gate, Held, make_gate, valued_by
from sharpen.evaluate.gates import ENOUGH_MEASURED
from sharpen.skills import Skill
from sharpen.stats import spending_threshold
from sharpen.types import Metric, Rollout, Task, Verdict

from .players import NEW, OLD, Answering, Player, held_by, lucky

GATES = ("race", "strict", "no_regression")


def decide(gate: Gate, *, candidate: Skill = NEW, incumbent: Skill = OLD, reserve: int = 0) -> Verdict:
    return asyncio.run(gate.decide(candidate, incumbent, reserve=reserve))


def judged(name: str, held: Held, *, reserve: int = 0) -> Verdict:
    return decide(make_gate(name, held), reserve=reserve)


def table(new: Mapping[str, float | None], old: Mapping[str, float | None]) -> Answering:
    """Scores by task id for each of the two skills; tasks not listed are failed."""
    return lambda task, skill, trial: (new if skill == NEW else old).get(task.id, 0.0)


def better_on(count: int) -> Answering:
    """The new skill solves the first `count` tasks, the old one none."""
    return table({f"t{n}": 1.0 for n in range(count)}, {})


def new_wins(task: Task, skill: Skill, trial: int) -> float:
    return float(skill == NEW)


def old_wins(task: Task, skill: Skill, trial: int) -> float:
    return float(skill == OLD)


# -- all that measure -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GATES)
def test_clearly_better_is_let_in(name: str) -> None:
    verdict = judged(name, held_by(Player(new_wins)))
    assert (verdict.decision, verdict.accepted, verdict.gate) == ("better", True, name)
    assert verdict.difference is not None
    assert verdict.difference.mean == 1.0
    assert (verdict.wins, verdict.ties, verdict.losses) == (verdict.pairs, 0, 0)


@pytest.mark.parametrize("name", GATES)
def test_worse_is_kept_out(name: str) -> None:
    verdict = judged(name, held_by(Player(old_wins)))
    assert (verdict.decision, verdict.accepted) == ("not better", False)
    assert (verdict.wins, verdict.losses) == (0, verdict.pairs)


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("score", [0.0, 0.4, 1.0])
def test_a_tie_is_kept_out(name: str, score: float) -> None:
    verdict = judged(name, held_by(Player(lambda *_: score)))
    assert verdict.decision == "not better"
    assert (verdict.wins, verdict.ties, verdict.losses) == (0, verdict.pairs, 0)


@pytest.mark.parametrize("name", GATES)
def test_a_skill_is_not_better_than_itself(name: str) -> None:
    gate = make_gate(name, held_by(Player(lambda task, skill, trial: float(task.id < "t5"))))
    assert decide(gate, candidate=NEW, incumbent=NEW).decision == "not better"


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("winner", [new_wins, old_wins, lambda *_: 1.0], ids=["new", "old", "tie"])
def test_29_of_30_tasks_that_fail_to_run_decide_nothing(name: str, winner: Answering) -> None:
    verdict = judged(name, worked_before(held_by(Player(all_but_one_broken(winner)), 30)))
    assert (verdict.decision, verdict.accepted) == ("not enough data", False)


def all_but_one_broken(winner: Answering) -> Answering:
    """Only t7 and the tasks of the train split can be run."""

    def answer(task: Task, skill: Skill, trial: int) -> object:
        return winner(task, skill, trial) if task.id == "t7" or task.id.startswith("train") else None

    return answer


def worked_before(held: Held) -> Held:
    """The student has solved tasks of the train split: it is not down from the start."""
    asyncio.run(held.runner.attempts([(OLD, Task(f"train{n}")) for n in range(10)]))
    return held


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("broken", [NEW, OLD], ids=["new", "old"])
def test_a_skill_that_never_measures_decides_nothing(name: str, broken: Skill) -> None:
    def answer(task: Task, skill: Skill, trial: int) -> float | None:
        return None if skill == broken and not task.id.startswith("train") else 1.0

    verdict = judged(name, worked_before(held_by(Player(answer))))
    assert verdict.decision == "not enough data"
    assert (verdict.pairs, verdict.difference) == (0, None)


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize(("rollouts", "reserve"), [(1, 0), (13, 0), (50, 37), (5, 5)])
def test_the_end_of_the_budget_decides_nothing(name: str, rollouts: int, reserve: int) -> None:
    held = held_by(Player(new_wins), rollouts=rollouts)
    assert judged(name, held, reserve=reserve).decision == "not enough data"
    assert held.runner.ledger.rollouts <= rollouts - reserve


@pytest.mark.parametrize("name", GATES)
def test_a_rare_error_does_not_stop_the_decision(name: str) -> None:
    """One task of ten stays unmeasured; errors that go away on a retry are not noticed at all."""

    def answer(task: Task, skill: Skill, trial: int) -> float | None:
        if task.id == "t3" or (task.id == "t4" and trial == 1):
            return None
        return float(skill == NEW)

    verdict = judged(name, held_by(Player(answer), 10))
    assert verdict.decision == "better"
    assert verdict.losses == 0


@pytest.mark.parametrize("name", GATES)
def test_the_metric_is_the_one_asked_for(name: str) -> None:
    def answer(task: Task, skill: Skill, trial: int) -> Rollout:
        return Rollout.scored(task, hard=0, soft=0.5 if skill == NEW else 0.3)

    expected: dict[Metric, str] = {"hard": "not better", "soft": "better", "mixed": "better"}
    for metric, decision in expected.items():
        held = held_by(Player(answer), value=valued_by(metric))
        assert judged(name, held).decision == decision


@pytest.mark.parametrize("name", GATES)
def test_concurrency_changes_nothing(name: str) -> None:
    def verdicts(concurrency: int) -> list[Verdict]:
        student = Player(lucky(0.5), turns=lambda task, trial: int(task.id[1:]) % concurrency)
        gate = make_gate(name, held_by(student, concurrency=concurrency))
        return [decide(gate), decide(gate)]

    assert verdicts(1) == verdicts(7)


@pytest.mark.parametrize("name", GATES)
def test_what_the_gate_saw_is_kept_per_skill(name: str) -> None:
    held = held_by(Player(new_wins), 7)
    verdict = judged(name, held)
    assert set(held.measured) == {NEW.digest, OLD.digest}
    assert held.measured[NEW.digest].attempts == held.measured[OLD.digest].attempts == verdict.pairs
    assert set(held.measured[NEW.digest].values["t0"]) == {1.0}
    assert set(held.measured[OLD.digest].values["t0"]) == {0.0}


def test_the_difference_is_clustered_by_group() -> None:
    for name in GATES:
        held = held_by(Player(new_wins))
        held.tasks = [Task(f"t{n}", group=f"g{n % 4}") for n in range(20)]
        difference = judged(name, held).difference
        assert difference is not None
        assert difference.tasks <= 4


def test_an_unknown_gate_is_refused() -> None:
    with pytest.raises((KeyError, ValueError)):
        make_gate("rcae", held_by(Player(lambda *_: 1)))


# -- race -------------------------------------------------------------------------------------------------


def test_seven_straight_wins_are_enough() -> None:
    student = Player(new_wins)
    held = held_by(student)
    verdict = judged("race", held)
    assert (verdict.pairs, verdict.wins) == (7, 7)
    assert len(student.asked) == held.runner.ledger.rollouts == 14
    assert verdict.needed == 40
    assert verdict.evidence == pytest.approx((1.3**7 + 1.6**7 + 1.9**7) / 3)
    assert verdict.reason == "evidence 40.8 reached 40"


def test_seven_straight_losses_end_it_too() -> None:
    held = held_by(Player(old_wins))
    verdict = judged("race", held)
    assert verdict.decision == "not better"
    assert verdict.reason == "evidence that it is worse reached 20"
    assert held.runner.ledger.rollouts == 14


def test_no_difference_ends_after_two_passes() -> None:
    """Pairs go out seven at a time, the fewest that can prove anything: six blocks are two passes."""
    held = held_by(Player(lambda *_: 1), 20)
    verdict = judged("race", held)
    assert (verdict.pairs, verdict.reason) == (42, "no gain over two whole passes")
    assert held.runner.ledger.rollouts == 84


def test_a_small_gain_is_followed_until_it_is_proven() -> None:
    """Two tasks of twenty improve: seven wins take four passes."""
    verdict = judged("race", held_by(Player(better_on(2)), 20))
    assert (verdict.decision, verdict.wins, verdict.losses) == ("better", 7, 0)
    assert 60 < verdict.pairs <= 80


def test_a_small_gain_runs_out_of_budget() -> None:
    held = held_by(Player(better_on(2)), 20, rollouts=100)
    verdict = judged("race", held)
    assert verdict.decision == "not enough data"
    assert verdict.reason.startswith("the budget ended at evidence")
    assert held.runner.ledger.rollouts == 100
    assert verdict.wins > 0


def test_a_few_tasks_are_raced_over_and_over() -> None:
    verdict = judged("race", held_by(Player(new_wins), 2))
    assert (verdict.decision, verdict.wins) == ("better", 7)


def test_both_sides_are_measured_afresh_at_every_gate() -> None:
    student = Player(new_wins)
    gate = make_gate("race", held_by(student))
    decide(gate)
    before = len(student.asked)
    decide(gate)
    again = student.asked[before:]
    assert {skill for skill, _, _ in again} == {NEW.text, OLD.text}
    assert len(set(student.asked)) == len(student.asked)


def test_tasks_come_in_another_order_each_pass_but_all_of_them() -> None:
    student = Player(lambda *_: 1)
    held = held_by(student, concurrency=1)
    judged("race", held)
    order = [task for skill, task, _ in student.asked if skill == NEW.text]
    assert sorted(order[:20]) == sorted(order[20:40]) == sorted(task.id for task in held.tasks)
    assert order[:20] != order[20:40]


def test_the_seed_decides_the_order() -> None:
    def order(seed: int) -> list[str]:
        student = Player(lambda *_: 1)
        held = held_by(student, concurrency=1)
        held.seed = seed
        judged("race", held)
        return [task for _, task, _ in student.asked]

    assert order(1) == order(1) != order(2)


def test_the_second_gate_needs_more_than_the_first() -> None:
    """The chance of a false acceptance is shared out over the gates of a run: 40, 120, 240, …"""
    gate = make_gate("race", held_by(Player(new_wins)))
    verdicts = [decide(gate) for _ in range(5)]
    assert [verdict.needed for verdict in verdicts] == [spending_threshold(n) for n in range(1, 6)]
    assert [verdict.needed for verdict in verdicts] == pytest.approx([40, 120, 240, 400, 600])
    wins = [verdict.wins for verdict in verdicts]
    assert wins == sorted(wins)
    assert wins[0] < wins[-1]
    assert all(verdict.accepted for verdict in verdicts)


def test_a_refused_gate_spends_its_share_as_well() -> None:
    gate = make_gate("race", held_by(Player(old_wins)))
    assert [decide(gate).needed for _ in range(3)] == pytest.approx([40, 120, 240])


def test_alpha_sets_the_evidence_needed() -> None:
    for alpha, needed in ((0.05, 40), (0.01, 200), (0.5, 4)):
        gate = make_gate("race", held_by(Player(new_wins)), alpha=alpha)
        assert decide(gate).needed == pytest.approx(needed)


def test_the_race_does_not_decide_on_the_few_pairs_it_could_measure() -> None:
    """12 of 20 tasks measure nothing with the candidate: what is left says little about the whole."""
    broken: dict[str, float | None] = {f"t{n}": None for n in range(8, 20)}
    student = Player(table({**{f"t{n}": 1.0 for n in range(8)}, **broken}, {}))
    assert judged("race", held_by(student)).decision == "not enough data"


# -- strict -----------------------------------------------------------------------------------------------


def test_strict_takes_any_larger_mean() -> None:
    student = Player(table({"t0": 1.0, "t1": 1.0}, {"t2": 1.0}))
    verdict = judged("strict", held_by(student))
    assert (verdict.decision, verdict.wins, verdict.losses, verdict.ties) == ("better", 2, 1, 17)
    assert len(student.asked) == 40


def test_strict_measures_a_skill_once() -> None:
    student = Player(better_on(3))
    gate = make_gate("strict", held_by(student))
    assert decide(gate).accepted
    assert not decide(gate, candidate=Skill("# other\n"), incumbent=NEW).accepted
    assert len(student.asked) == 60
    assert {trial for _, _, trial in student.asked} == {1}


def test_strict_compares_on_the_tasks_that_both_measured() -> None:
    """Both score alike; the candidate breaks down on two tasks that the incumbent fails. That is a tie."""
    solved: dict[str, float | None] = {f"t{n}": 1.0 for n in range(6)}
    student = Player(table({**solved, "t8": None, "t9": None}, solved))
    verdict = judged("strict", held_by(student, 10))
    assert (verdict.wins, verdict.losses, verdict.decision) == (0, 0, "not better")


def test_strict_recovers_from_an_outage() -> None:
    """The provider is down at the first gate only; the second can decide again."""
    down = True

    def answer(task: Task, skill: Skill, trial: int) -> float | None:
        return None if down and not task.id.startswith("train") else float(skill != OLD)

    gate = make_gate("strict", worked_before(held_by(Player(answer), 15)))
    assert decide(gate).decision == "not enough data"
    down = False
    assert decide(gate, candidate=Skill("# other\n")).decision == "better"


# -- no_regression ----------------------------------------------------------------------------------------


def test_no_regression_wants_a_win_and_no_loss() -> None:
    one_up = judged("no_regression", held_by(Player(better_on(1))))
    assert (one_up.decision, one_up.reason) == ("better", "1 tasks got better, none worse")
    mixed = {f"t{n}": 1.0 for n in range(1, 20)}
    lost = judged("no_regression", held_by(Player(table(mixed, {"t0": 1.0}))))
    assert (lost.decision, lost.wins, lost.losses) == ("not better", 19, 1)


def test_no_regression_measures_both_afresh() -> None:
    student = Player(better_on(1))
    gate = make_gate("no_regression", held_by(student))
    decide(gate)
    decide(gate)
    assert len(student.asked) == len(set(student.asked)) == 80


@pytest.mark.parametrize("name", ["strict", "no_regression"])
@pytest.mark.parametrize(("broken", "decision"), [(4, "better"), (5, "not enough data")])
def test_one_pass_gates_want_four_fifths_measured(name: str, broken: int, decision: str) -> None:
    assert ENOUGH_MEASURED == 0.8
    unmeasured: dict[str, float | None] = {f"t{n}": None for n in range(broken)}
    student = Player(table({**dict.fromkeys([f"t{n}" for n in range(20)], 1.0), **unmeasured}, {}))
    verdict = judged(name, held_by(student))
    assert (verdict.decision, verdict.pairs) == (decision, 20 - broken)


# -- none -------------------------------------------------------------------------------------------------


def test_none_lets_everything_in_and_pays_nothing() -> None:
    student = Player(old_wins)
    verdict = judged("none", held_by(student, rollouts=1), reserve=1)
    assert (verdict.decision, verdict.gate, verdict.pairs) == ("better", "none", 0)
    assert student.asked == []


@pytest.mark.parametrize("name", ["race", "no_regression"])
def test_hundreds_of_errors_in_a_row_end_the_run_undecided(name: str) -> None:
    """Two skills, three tries, 99 of 100 tasks: a provider that is down, and nothing to decide on."""
    with pytest.raises(ProviderError):
        judged(name, worked_before(held_by(Player(all_but_one_broken(new_wins)), 100)))
