"""Actors that misbehave, and arguments that cannot be used: a reason, an exit code, nothing lost."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import sharpen
from sharpen import (
    Budget,
    Edit,
    ProviderError,
    Rollout,
    SettingsError,
    Skill,
    SkillError,
    StoreError,
    Task,
    TaskError,
    TaskSet,
    TrainResult,
    TrainSettings,
    Usage,
    UsageError,
)
from sharpen.store import SqliteStore
from sharpen.types import Score

from .child_run import DIFFUSE
from .problems import RULE, START, Helpful, Polite, Problem, manners, of_kind

LOOPS = ("draft", "batch")
ENOUGH = Budget(rollouts=150)


class Moody(Polite):
    """Answers as told by `mood`, which may change between runs; the name stays the same."""

    def __init__(self, mood: Callable[[Task], Any] | None = None) -> None:
        super().__init__()
        self.mood = mood

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        rollout = await super().attempt(task, skill, trial=trial)
        answer: Rollout = rollout if self.mood is None else self.mood(task)
        return answer


class MoodyTeacher(Helpful):
    """The same for a teacher."""

    def __init__(self, mood: Callable[[int], Any] | None = None) -> None:
        super().__init__()
        self.mood = mood

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        edits = await super().propose(skill, evidence, limit=limit, memory=memory, trial=trial)
        answer: list[Edit] = edits if self.mood is None else self.mood(self.calls)
        return answer


def down(_: object) -> Any:
    raise ConnectionError("the model is not there")


def learn(
    student: Any = None, teacher: Any = None, run_dir: Path | None = None, **settings: Any
) -> TrainResult:
    return sharpen.train(
        START,
        manners(),
        student or Polite(),
        teacher or Helpful(),
        ENOUGH,
        TrainSettings(**settings),
        run_dir,
    )


# -- students ---------------------------------------------------------------------------------------------

NONSENSE: dict[str, tuple[Callable[[Task], Any], str]] = {
    "raises": (down, "ConnectionError: the model is not there"),
    "raises without a word": (lambda task: [][1], "IndexError"),
    "NaN": (lambda task: Rollout.scored(task, hard=math.nan), "from 0 to 1, not nan"),
    "out of range": (lambda task: Rollout.scored(task, hard=1.5), "from 0 to 1, not 1.5"),
    "negative soft": (lambda task: Rollout.scored(task, hard=0, soft=-0.1), "from 0 to 1, not -0.1"),
    "a word as score": (lambda task: Rollout.scored(task, hard="good"), "'good'"),  # type: ignore[arg-type]
    "nothing": (lambda task: None, "NoneType instead of a Rollout"),
    "a score": (lambda task: Score(1, 1), "Score instead of a Rollout"),
    "wrong task": (lambda task: Rollout.scored(Task("other"), hard=1), "answered for task 'other'"),
    "an outage": (lambda task: Rollout.failed_to_run(task, reason="quota"), "quota"),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", NONSENSE)
def test_a_student_that_never_measures_anything_fails_the_run_with_its_reason(
    tmp_path: Path, loop: str, kind: str
) -> None:
    mood, reason = NONSENSE[kind]
    with pytest.raises(ProviderError) as failed:
        learn(Moody(mood), run_dir=tmp_path, loop=loop)
    assert failed.value.exit_code == 3
    assert reason in str(failed.value)
    with closing(SqliteStore.read(tmp_path)) as store:
        assert store.result() is None
        assert all(record.outcome != "solved" for record in store.attempts())


@pytest.mark.parametrize("loop", LOOPS)
def test_when_the_student_is_back_the_same_call_goes_on(tmp_path: Path, loop: str) -> None:
    """The outage is over: its attempts are made again, and the run ends as if there had been none."""
    student, teacher = Moody(down), Helpful()
    with pytest.raises(ProviderError):
        learn(student, teacher, tmp_path, loop=loop)
    student.mood = None
    assert learn(student, teacher, tmp_path, loop=loop) == learn(loop=loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_an_outage_half_way_costs_nothing_that_was_measured_before(tmp_path: Path, loop: str) -> None:
    class Dies(Moody):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if self.calls >= 12 and self.mood is not None:
                raise ConnectionError("the model is gone")
            self.calls += 1
            return await Polite.attempt(self, task, skill, trial=trial)

    student = Dies(down)
    with pytest.raises(ProviderError, match="the model is gone"):
        learn(student, run_dir=tmp_path, loop=loop)
    with closing(SqliteStore.read(tmp_path)) as store:
        measured = sum(record.hard is not None for record in store.attempts())
    whole = learn(loop=loop)
    student.mood, student.calls = None, 0
    assert learn(student, run_dir=tmp_path, loop=loop) == whole
    assert student.calls // 2 == whole.rollouts - measured
    with closing(SqliteStore.read(tmp_path)) as store:
        assert [event.data for event in store.events()] == whole.history


def test_an_outage_during_the_look_at_test_does_not_end_the_run_for_good(tmp_path: Path) -> None:
    """A finished run is never measured again, so it must not be called finished without its test score."""

    def look(student: Polite, folder: Path | None) -> TrainResult:
        return sharpen.train(START, manners(test=5), student, Helpful(), ENOUGH, run_dir=folder)

    class GoneForTest(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if task.id.startswith("test"):
                raise ConnectionError("the model is gone")
            return await super().attempt(task, skill, trial=trial)

    with pytest.raises(ProviderError, match="the model is gone"):
        look(GoneForTest(), tmp_path)
    back = Polite()
    assert look(back, tmp_path) == look(Polite(), None)
    assert back.calls == 2 * 5


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_on_some_tasks_is_survived(loop: str, kind: str) -> None:
    """What could not be measured is left out, told apart from failing, and counted as rollouts."""
    mood, _ = NONSENSE[kind]
    bad = {"train-0", "selection-0"}

    class Sometimes(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            rollout = await super().attempt(task, skill, trial=trial)
            answer: Rollout = mood(task) if task.id in bad else rollout
            return answer

    student = Sometimes()
    result = learn(student, loop=loop)
    assert result.accepted
    assert (result.selection.mean, result.selection.tasks) == (1.0, 7)
    assert result.rollouts == student.calls <= 150


def test_an_attempt_that_measured_nothing_is_made_again() -> None:
    class Hesitant(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            rollout = await super().attempt(task, skill, trial=trial)
            if trial % 2:
                return Rollout.failed_to_run(task, reason="not yet")
            return rollout

    student = Hesitant()
    result = learn(student)
    assert result.accepted
    assert (result.selection.mean, result.selection.tasks) == (1.0, 8)
    assert result.rollouts == student.calls


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_retries_are_as_many_as_asked_for(retries: int) -> None:
    trials: list[int] = []

    def note(task: Task, trial: int) -> None:
        if task.id == "selection-0":
            trials.append(trial)

    class Broken(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            note(task, trial)
            if task.id == "selection-0":
                raise OSError("no such sandbox")
            return Rollout.scored(task, hard=1)

    result = learn(Broken(), retries=retries)
    passes, rest = divmod(result.selection.n, 7)
    assert (rest, result.selection.tasks) == (0, 7)
    assert trials == list(range(1, passes * (1 + retries) + 1))


def test_a_gate_that_could_not_measure_enough_decides_nothing() -> None:
    class Blind(Polite):
        """Loses sight of most held-out tasks once the rule is there."""

        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            lost = task.id.startswith("selection") and not task.id.endswith(("0", "1"))
            if lost and RULE in skill.text:
                raise TimeoutError
            return await super().attempt(task, skill, trial=trial)

    for gate in ("race", "strict", "no_regression"):
        result = learn(Blind(), gate=gate)
        decisions = {record["verdict"]["decision"] for record in of_kind(result, "gate")}
        assert decisions == {"not enough data"}, gate
        assert not result.accepted


@pytest.mark.parametrize("run_dir", [False, True], ids=["in memory", "in a folder"])
@pytest.mark.parametrize("trajectory", [{"steps": object()}, {"set": {1, 2}}], ids=["object", "set"])
def test_a_trajectory_that_is_not_json_is_named_and_not_a_crash(
    tmp_path: Path, trajectory: dict[Any, Any], run_dir: bool
) -> None:
    student = Moody(lambda task: Rollout.scored(task, hard=0, trajectory=trajectory))
    with pytest.raises(sharpen.SharpenError, match=r"trajectory.*JSON"):
        learn(student, run_dir=tmp_path if run_dir else None)


def test_a_trajectory_with_numbers_as_keys_is_resumed_like_any_other(tmp_path: Path) -> None:
    """The store gives the keys back as strings, in another order; the question asked about it is the same."""

    class Stopped(BaseException):
        """Stands for the end of the process."""

    class Numbering(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            rollout = await super().attempt(task, skill, trial=trial)
            assert rollout.score is not None
            steps: dict[Any, str] = {9: "nine", 10: "ten"}
            return Rollout.scored(task, hard=rollout.score.hard, trajectory=steps)

    def stop(calls: int) -> list[Edit]:
        if calls >= 3:
            raise Stopped
        return [Edit.append(f"- Rule {calls}.")]

    first = MoodyTeacher(stop)
    with pytest.raises(Stopped):
        learn(Numbering(), first, tmp_path)
    answered = first.calls - 1
    second, whole = MoodyTeacher(), MoodyTeacher(lambda n: stop(n) if n < 3 else [Edit.append(RULE)])
    resumed = learn(Numbering(), second, tmp_path)
    assert resumed == learn(Numbering(), whole)
    assert second.calls == whole.calls - answered, "a proposal that was paid for was asked for again"


# -- teachers ---------------------------------------------------------------------------------------------

NO_EDITS: dict[str, tuple[Callable[[int], Any], str]] = {
    "raises": (down, "ConnectionError: the model is not there"),
    "a string": (lambda _: "append: be nice", "str instead of a list of edits"),
    "nothing": (lambda _: None, "NoneType instead of a list of edits"),
    "strings": (lambda _: ["be nice"], "str where an Edit belongs"),
    "a dictionary": (lambda _: [{"op": "append", "content": "x"}], "dict where an Edit belongs"),
    "half of it": (lambda _: [Edit.append(RULE), None], "NoneType where an Edit belongs"),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", NO_EDITS)
def test_a_teacher_without_one_usable_answer_fails_the_run(tmp_path: Path, loop: str, kind: str) -> None:
    mood, reason = NO_EDITS[kind]
    with pytest.raises(ProviderError) as failed:
        learn(teacher=MoodyTeacher(mood), run_dir=tmp_path, loop=loop)
    assert failed.value.exit_code == 3
    assert reason in str(failed.value)


@pytest.mark.parametrize("loop", LOOPS)
def test_when_the_teacher_is_back_the_same_call_goes_on(tmp_path: Path, loop: str) -> None:
    teacher = MoodyTeacher(down)
    with pytest.raises(ProviderError):
        learn(teacher=teacher, run_dir=tmp_path, loop=loop)
    teacher.mood = None
    student = Polite()
    assert learn(student, teacher, tmp_path, loop=loop) == learn(loop=loop)
    assert student.calls < learn(loop=loop).rollouts, "what was measured before was used"


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", NO_EDITS)
def test_a_teacher_that_fails_every_other_time_is_survived(loop: str, kind: str) -> None:
    mood, _ = NO_EDITS[kind]
    teacher = MoodyTeacher(lambda calls: mood(calls) if calls % 2 else [Edit.append(RULE)])
    assert learn(teacher=teacher, loop=loop).accepted


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("answer", [[], ()], ids=["list", "tuple"])
def test_a_teacher_with_nothing_to_say_ends_the_run_with_a_reason(loop: str, answer: Any) -> None:
    result = learn(teacher=MoodyTeacher(lambda _: answer), loop=loop)
    assert (result.skill, result.accepted) == (START, False)
    assert result.reason
    assert (result.selection.mean, result.selection.tasks) == (0.0, 8)


def test_a_teacher_that_never_improves_is_noticed_before_the_budget_is_spent() -> None:
    class Useless(Helpful):
        async def propose(
            self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
        ) -> list[Edit]:
            self.calls += 1
            return [Edit.append(f"- Thought {self.calls}.")]

    tasks = manners(train=40, selection=20)
    result = sharpen.train(START, tasks, Polite(), Useless(), Budget(rollouts=2000))
    assert not result.accepted
    assert result.reason != "budget"
    assert result.rollouts < 2000


def test_the_teacher_is_not_blamed_for_a_budget_that_ended() -> None:
    for budget in range(80, 400, 20):
        result = Problem(DIFFUSE, seed=1).train(budget)
        if result.reason == "teacher is not helping":
            assert of_kind(result, "group"), f"nothing was tested with {budget} rollouts"


HOSTILE = [
    Edit.append(""),
    Edit.append("\ud83d half an emoji"),
    Edit.append("---\nname: x\n---"),
    Edit.append("<!-- SLOW_UPDATE_START -->"),
    Edit.replace("# Manners", ""),
    Edit.delete("# Manners\n"),
    Edit.insert_after("", "\x00"),
    Edit.append("x" * 100_000),
    Edit("burn", "everything"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("loop", LOOPS)
def test_hostile_edits_are_no_danger_now_or_after_a_resume(tmp_path: Path, loop: str) -> None:
    def hostile(calls: int) -> list[Edit]:
        return [HOSTILE[calls % len(HOSTILE)], Edit.append(RULE)]

    class Stopped(BaseException):
        """Stands for the end of the process."""

    class Mortal(Polite):
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            if self.calls >= 60 and task.id.startswith("selection"):
                raise Stopped
            return await super().attempt(task, skill, trial=trial)

    whole = learn(teacher=MoodyTeacher(hostile), loop=loop)
    assert whole.skill.text.strip()
    teacher = MoodyTeacher(hostile)
    with suppress(Stopped):
        learn(Mortal(), teacher, tmp_path, loop=loop)
    assert learn(teacher=teacher, run_dir=tmp_path, loop=loop) == whole


def test_edits_whose_fields_are_not_text_are_dropped(tmp_path: Path) -> None:
    broken = Edit("append", "", object())  # type: ignore[arg-type]
    teacher = MoodyTeacher(lambda calls: [broken] if calls % 2 else [Edit.append(RULE)])
    assert learn(teacher=teacher, run_dir=tmp_path).accepted


def test_usage_that_is_none_of_ours() -> None:
    student = Moody(lambda task: Rollout(task, Score(0, 0), "", {"tokens": 5}))  # type: ignore[arg-type]
    with pytest.raises(ProviderError, match="usage"):
        learn(student)


def test_usage_of_a_teacher_is_counted() -> None:
    class Answer(list[Edit]):
        usage = Usage(1000, 10, usd=0.5)

    teacher = MoodyTeacher(lambda _: Answer([Edit.append(RULE)]))
    result = learn(teacher=teacher)
    assert result.spent["tokens"] == 1010 * teacher.calls
    assert result.spent["usd"] == pytest.approx(0.5 * teacher.calls)


# -- arguments --------------------------------------------------------------------------------------------


def test_inside_a_running_loop_train_says_what_to_call() -> None:
    async def main() -> TrainResult:
        with pytest.raises(UsageError, match=r"await sharpen\.atrain") as refused:
            learn()
        assert refused.value.exit_code == 2
        return await sharpen.atrain(START, manners(), Polite(), Helpful(), ENOUGH)

    assert asyncio.run(main()) == learn()


@pytest.mark.parametrize("missing", ["nowhere.md", "empty.md", "blank.md", "broken.md", "folder"])
def test_a_skill_that_cannot_be_read(tmp_path: Path, missing: str) -> None:
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "blank.md").write_text(" \n\t\n")
    (tmp_path / "broken.md").write_text("---\nname: [unclosed\n---\n# Skill\n")
    (tmp_path / "folder").mkdir()
    student = Polite()
    for path in (tmp_path / missing, str(tmp_path / missing)):
        with pytest.raises(SkillError, match=missing) as refused:
            sharpen.train(path, manners(), student, Helpful(), ENOUGH, run_dir=tmp_path / "run")
        assert refused.value.exit_code == 2
    assert student.calls == 0
    assert not (tmp_path / "run").exists()


def test_a_path_to_a_file_or_a_folder_will_do(tmp_path: Path) -> None:
    START.write(tmp_path / "manners.md")
    (tmp_path / "manners").mkdir()
    (tmp_path / "manners" / "SKILL.md").write_text("---\nname: manners\ndescription: d\n---\n# Manners\n")
    for path in (tmp_path / "manners.md", str(tmp_path / "manners")):
        result = sharpen.train(path, manners(), Polite(), Helpful(), ENOUGH)
        assert result.accepted


SPLITS: dict[str, tuple[Callable[[], TaskSet], str]] = {
    "empty train": (lambda: TaskSet(train=[], selection=[Task("a")]), "train split is empty"),
    "empty selection": (lambda: TaskSet(train=[Task("a")], selection=[]), "selection split is empty"),
    "overlap": (lambda: TaskSet(train=[Task("a")], selection=[Task("a", "other")]), "'a' is in train and in"),
    "overlap with test": (
        lambda: TaskSet(train=[Task("a")], selection=[Task("b")], test=[Task("b")]),
        "'b' is in selection and in test",
    ),
    "twice": (lambda: TaskSet(train=[Task("a"), Task("a")], selection=[Task("b")]), "twice in train"),
    "not a task": (lambda: TaskSet(train=["a"], selection=[Task("b")]), "str, not a Task"),  # type: ignore[list-item]
    "no id": (lambda: TaskSet(train=[Task("")], selection=[Task("b")]), "non-empty string"),
    "data": (lambda: _with_data(object()), "its data must be plain JSON"),
}


def _with_data(value: object) -> TaskSet:
    tasks = TaskSet(train=[Task("a", data={"x": value})], selection=[Task("b")])
    sharpen.train(START, tasks, Polite(), Helpful(), ENOUGH)
    return tasks


@pytest.mark.parametrize("kind", SPLITS)
def test_tasks_that_cannot_be_used(kind: str) -> None:
    make, reason = SPLITS[kind]
    with pytest.raises(TaskError, match=reason) as refused:
        make()
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("argument", "value", "reason"),
    [
        ("tasks", [Task("a")], "TaskSet"),
        ("student", object(), "async attempt"),
        ("teacher", object(), "async propose"),
        ("budget", 500, "Budget"),
        ("student", Helpful(), "Helpful has none"),
        ("settings", {"seed": 1}, "TrainSettings"),
        ("skill", None, "skill"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named(argument: str, value: object, reason: str) -> None:
    arguments: dict[str, Any] = {
        "skill": START,
        "tasks": manners(),
        "student": Polite(),
        "teacher": Helpful(),
        "budget": ENOUGH,
    }
    with pytest.raises(UsageError, match=reason) as refused:
        sharpen.train(**{**arguments, argument: value})
    assert refused.value.exit_code == 2


def test_a_folder_nobody_can_write_to_is_named() -> None:
    with pytest.raises((StoreError, UsageError), match="/proc/sharpen"):
        learn(run_dir=Path("/proc/sharpen"))


def test_a_callback_that_raises_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    def break_at_gate(kind: str, _: object) -> None:
        if kind == "gate":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        learn(run_dir=tmp_path, on_event=break_at_gate)
    student = Polite()
    assert learn(student, run_dir=tmp_path) == learn()
    assert student.calls < learn().rollouts


def test_a_setting_out_of_range_is_refused_before_anything_else() -> None:
    with pytest.raises(SettingsError, match="gate is 'open'"):
        learn(gate="open")
