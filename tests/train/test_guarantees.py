"""What a run promises whatever the search does: held-out evidence, ties rejected, test untouched."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import pytest

import sharpen
from sharpen import Budget, Edit, Estimate, Rollout, Skill, Task, TaskSet, TrainResult, TrainSettings
from sharpen.simulate import Spec
from sharpen.train import BatchSettings

from .child_run import CRISP, DIFFUSE
from .problems import FULL, RULE, START, Helpful, Polite, Problem, manners, of_kind

NOISY = Spec(slip=0.1, bundle=2, rules=6, traps=6, train=24, selection=10, test=12)
"""No outages: every attempt asked for is made exactly once."""
SEEDS = range(20) if FULL else range(3)
CASES = [(loop, gate) for loop in ("draft", "batch") for gate in ("race", "strict", "no_regression", "none")]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("loop", "gate"), CASES)
@pytest.mark.parametrize("spec", [NOISY, DIFFUSE], ids=["crisp", "diffuse"])
def test_only_a_gate_that_says_better_lets_a_skill_in(spec: Spec, loop: str, gate: str, seed: int) -> None:
    problem = Problem(spec, seed=seed)
    result = problem.train(400, loop=loop, gate=gate, seed=seed)
    incumbent = problem.world.skill.digest
    steps = 0
    for decision in of_kind(result, "gate"):
        verdict = decision["verdict"]
        # The batch loop also counts steps that had nothing for the gate.
        assert decision["step"] == steps + 1 if loop == "draft" else decision["step"] > steps
        steps = decision["step"]
        assert (decision["parent"], verdict["gate"]) == (incumbent, gate)
        assert decision["candidate"] != incumbent
        if verdict["decision"] == "better":
            incumbent = decision["candidate"]
            _is_proven(gate, verdict)
    assert result.skill.digest == incumbent
    assert result.accepted == (incumbent != problem.world.skill.digest)


def _is_proven(gate: str, verdict: dict[str, Any]) -> None:
    assert verdict["pairs"] == verdict["wins"] + verdict["ties"] + verdict["losses"]
    if gate == "race":
        assert verdict["evidence"] >= verdict["needed"] >= 20
        assert verdict["difference"]["mean"] > 0
    if gate == "strict":
        assert verdict["difference"]["mean"] > 0
    if gate == "no_regression":
        assert verdict["wins"] > 0 == verdict["losses"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_selection_tasks_are_for_the_gate_and_the_final_pass_only(loop: str, seed: int) -> None:
    problem = Problem(NOISY, seed=seed)
    result = problem.train(400, loop=loop, seed=seed)
    held = [tried for tried in problem.student.tried if tried.split == "val"]
    for_gates = [tried for tried in held if tried.after != "stop"]
    gates = of_kind(result, "gate")
    assert Counter(tried.skill for tried in for_gates) == sum(
        (Counter({gate[who]: gate["verdict"]["pairs"] for who in ("candidate", "parent")}) for gate in gates),
        Counter(),
    )
    final = [tried for tried in held if tried.after == "stop"]
    assert {tried.skill for tried in final} == {result.skill.digest}
    _is_the_mean_of(result.selection, final)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_final_attempts_are_fresh(loop: str, seed: int) -> None:
    problem = Problem(CRISP, seed=seed, salt=seed)
    problem.train(400, loop=loop, seed=seed)
    keys = Counter((tried.skill, tried.task, tried.trial) for tried in problem.student.tried)
    assert set(keys.values()) == {1}
    assert min(trial for _, _, trial in keys) == 1
    final = [tried for tried in problem.student.tried if tried.after == "stop" and tried.split == "val"]
    assert {tried.task for tried in final} == {task.id for task in problem.tasks.selection}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_the_test_split_is_looked_at_once_at_the_end(loop: str, seed: int) -> None:
    problem = Problem(NOISY, seed=seed, test=True)
    result = problem.train(450, loop=loop, seed=seed)
    looks = [tried for tried in problem.student.tried if tried.split == "test"]
    assert {tried.after for tried in looks} == {"final"}
    start, final = problem.world.skill.digest, result.skill.digest
    each_once = Counter({(skill, task.id): 1 for skill in (start, final) for task in problem.tasks.test})
    assert Counter((tried.skill, tried.task) for tried in looks) == each_once
    new = {tried.task: tried.value for tried in looks if tried.skill == final}
    old = {tried.task: tried.value for tried in looks if tried.skill == start}
    assert result.test is not None
    assert result.gain is not None
    assert result.test.mean == pytest.approx(fmean(new.values()))
    assert result.gain.mean == pytest.approx(fmean(new[task] - old[task] for task in new))
    assert (result.test.n, result.gain.n) == (len(new), len(new))
    _is_an_interval(result.gain, low=-1)
    _is_an_interval(result.test)


@pytest.mark.parametrize("loop", ["draft", "batch"])
@pytest.mark.parametrize("spec", [NOISY, DIFFUSE, CRISP], ids=["crisp", "diffuse", "errors"])
def test_the_teacher_sees_attempts_at_train_tasks(spec: Spec, loop: str) -> None:
    problem = Problem(spec, test=True, salt=1)
    problem.train(600, loop=loop, edits=3, batch=BatchSettings(learning_rate=3))
    assert problem.teacher.asked
    train = {task.id for task in problem.tasks.train}
    for asked in problem.teacher.asked:
        assert {rollout.task.id for rollout in asked.evidence} <= train
        assert asked.evidence
        assert asked.limit == 3
        assert isinstance(asked.memory, str)
    questions = Counter((asked.digest, asked.trial) for asked in problem.teacher.asked)
    assert set(questions.values()) == {1}
    asked_before: Counter[str] = Counter()
    for asked in problem.teacher.asked:
        asked_before[asked.digest] += 1
        assert asked.trial == asked_before[asked.digest]


def test_no_more_edits_are_used_than_the_teacher_was_allowed() -> None:
    edits = [Edit.append(f"- Rule {n}.") for n in range(9)]
    result = sharpen.train(
        START,
        manners(),
        Polite(),
        Helpful(*edits, Edit.append(RULE)),
        Budget(rollouts=200),
        TrainSettings(gate="none", loop="batch", batch=BatchSettings(learning_rate=2)),
    )
    assert all(len(gate["edits"]) <= 2 for gate in of_kind(result, "gate"))
    assert "- Rule 1." in result.skill.text
    assert "- Rule 2." not in of_kind(result, "gate")[0]["edits"][-1]["content"]


# -- ties -------------------------------------------------------------------------------------------------


class Indifferent(Polite):
    """Scores selection tasks alike whatever the skill says; train tasks follow the rule."""

    def __init__(self, level: float) -> None:
        super().__init__()
        self.level = level

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        if task.id.startswith("train"):
            return await super().attempt(task, skill, trial=trial)
        return Rollout.scored(task, hard=self.level)


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("loop", "gate"), [case for case in CASES if case[1] != "none"])
def test_what_helps_on_train_only_is_a_tie_and_stays_out(loop: Any, gate: Any, level: float) -> None:
    settings = TrainSettings(loop=loop, gate=gate)
    result = sharpen.train(START, manners(), Indifferent(level), Helpful(), Budget(rollouts=200), settings)
    decisions = of_kind(result, "gate")
    assert decisions
    assert {gate["verdict"]["decision"] for gate in decisions} == {"not better"}
    assert {gate["verdict"]["ties"] for gate in decisions} == {gate["verdict"]["pairs"] for gate in decisions}
    assert (result.skill, result.accepted) == (START, False)
    assert result.selection.mean == level
    assert result.selection.tasks == 8


@pytest.mark.parametrize("loop", ["draft", "batch"])
@pytest.mark.parametrize(
    "edit",
    [Edit.append("# Manners"), Edit.delete("what is not there"), Edit.replace("# Manners", "# Manners")],
    ids=["already there", "nothing to delete", "the same again"],
)
def test_an_edit_that_changes_no_text_never_reaches_the_gate(loop: Any, edit: Edit) -> None:
    teacher = Helpful(edit)
    result = sharpen.train(
        START, manners(test=4), Polite(), teacher, Budget(rollouts=200), TrainSettings(loop=loop)
    )
    assert teacher.calls > 0
    assert of_kind(result, "gate") == []
    assert (result.skill, result.accepted) == (START, False)
    assert result.selection == Estimate(0.0, *_bounds(result.selection), result.selection.n, 8)
    assert result.test is not None
    assert result.gain is not None
    assert (result.test.mean, result.gain.mean) == (0.0, 0.0)


def _bounds(estimate: Estimate) -> tuple[float, float]:
    return estimate.low, estimate.high


# -- the result -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loop", ["draft", "batch"])
@pytest.mark.parametrize("spec", [CRISP, DIFFUSE], ids=["crisp", "diffuse"])
def test_the_shape_of_a_result(spec: Spec, loop: str) -> None:
    problem = Problem(spec)
    result = problem.train(500, loop=loop)
    assert (result.test, result.gain) == (None, None)
    _is_an_interval(result.selection)
    assert result.rollouts == problem.student.calls == result.spent["rollouts"]
    assert result.reason
    assert result.history == [data for _, data in problem.events], "on_event sees everything"
    assert [record["number"] for record in result.history] == list(range(1, len(result.history) + 1))
    kinds = [record["kind"] for record in result.history]
    assert (kinds[0], kinds[-2:]) == ("start", ["stop", "final"])
    for name in ("rollouts", "calls"):
        counts = [record[name] for record in result.history]
        assert counts == sorted(counts)
        assert counts[-1] == result.spent[name]
    assert json.loads(json.dumps(result.as_json())) == result.as_json()
    assert TrainResult.from_json(result.as_json(), result.skill) == result


def test_history_tells_the_same_at_any_hour() -> None:
    """No clock value is in it: two runs apart in time agree to the last digit."""
    first, second = Problem(CRISP).train(300), Problem(CRISP).train(300)
    assert json.dumps(first.history) == json.dumps(second.history)


class Graded(Polite):
    """Half solved in the soft score with the rule in hand; never solved outright."""

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        return Rollout.scored(task, hard=0, soft=0.75 if RULE in skill.text else 0.25)


@pytest.mark.parametrize("loop", ["draft", "batch"])
@pytest.mark.parametrize(
    ("metric", "reached"), [("soft", 0.75), ("mixed", 0.375), ("hard", 0.0)], ids=["soft", "mixed", "hard"]
)
def test_search_gate_and_report_use_the_metric(loop: Any, metric: Any, reached: float) -> None:
    settings = TrainSettings(loop=loop, metric=metric)
    result = sharpen.train(START, manners(test=3), Graded(), Helpful(), Budget(rollouts=200), settings)
    assert result.accepted == (reached > 0)
    assert result.selection.mean == pytest.approx(reached)
    assert result.test is not None
    assert result.test.mean == pytest.approx(reached)


def test_other_files_of_a_skill_folder_stay() -> None:
    folder = Skill.from_text("# Manners\n", files={"notes/more.md": b"more"})
    result = sharpen.train(folder, manners(), Polite(), Helpful(), Budget(rollouts=100))
    assert result.accepted
    assert result.skill.files == folder.files


def test_frontmatter_and_protected_regions_come_through_unchanged() -> None:
    region = "<!-- SLOW_UPDATE_START -->\nkept\n<!-- SLOW_UPDATE_END -->\n"
    front = "---\nname: manners\ndescription: How to ask.\n---\n"
    skill = Skill.from_text(f"{front}# Manners\n{region}")
    meddling = [Edit.replace("kept", "lost"), Edit.delete("name: manners"), Edit.append(RULE)]
    result = sharpen.train(skill, manners(), Polite(), Helpful(*meddling), Budget(rollouts=100))
    assert result.accepted
    assert result.skill.text.startswith(front)
    assert region in result.skill.text


def test_groups_widen_the_interval() -> None:
    """Tasks of one group count as one when the error is estimated."""

    class Uneven(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            return Rollout.scored(task, hard=float(int(task.id.split("-")[1]) < 20))

    def width(group: Any) -> float:
        held = [Task(f"selection-{n}", group=group(n)) for n in range(40)]
        tasks = TaskSet(train=[Task("train-99")], selection=held)
        selection = sharpen.train(START, tasks, Uneven(), Helpful(), Budget(rollouts=500)).selection
        return selection.high - selection.low

    assert width(lambda n: f"g{n // 10}") > width(lambda n: None)


def test_an_attempt_that_takes_too_long_measured_nothing() -> None:
    class Stuck(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if task.id == "selection-0":
                await asyncio.sleep(3600)
            return await super().attempt(task, skill, trial=trial)

    settings = TrainSettings(timeout=0.02, retries=1)
    result = sharpen.train(START, manners(), Stuck(), Helpful(), Budget(rollouts=150), settings)
    assert result.accepted
    assert result.selection.tasks == 7


def test_events_come_one_by_one_as_things_happen() -> None:
    heard: list[str] = []

    class Listening(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if task.id.startswith("test"):
                assert heard[-1] == "final"
            return await super().attempt(task, skill, trial=trial)

    settings = TrainSettings(on_event=lambda kind, _: heard.append(kind))
    result = sharpen.train(START, manners(test=2), Listening(), Helpful(), Budget(rollouts=100), settings)
    assert heard == [record["kind"] for record in result.history]
    assert heard[-1] == "test"


def test_a_library_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    sharpen.train(START, manners(), Polite(), Helpful(), Budget(rollouts=100))
    assert capfd.readouterr() == ("", "")


def _is_an_interval(estimate: Estimate, low: float = 0) -> None:
    assert low <= estimate.low <= estimate.mean <= estimate.high <= 1
    assert estimate.n >= estimate.tasks > 0


def _is_the_mean_of(estimate: Estimate, tried: Sequence[Any]) -> None:
    by_task: dict[str, list[float]] = {}
    for one in tried:
        by_task.setdefault(one.task, []).append(one.value)
    assert (estimate.n, estimate.tasks) == (len(tried), len(by_task))
    assert estimate.mean == pytest.approx(fmean(fmean(values) for values in by_task.values()))
