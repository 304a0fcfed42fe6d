"""The run folder: finished, moved, copied, half made, held by another process, or of another run."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import sharpen
from sharpen import (
    Budget,
    Edit,
    Rollout,
    RunFolderError,
    RunLockedError,
    Skill,
    Task,
    TrainResult,
    TrainSettings,
)
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World
from sharpen.store import SqliteStore

from .child_run import CRISP, SCENARIOS
from .problems import RULE, START, Helpful, Polite, manners
from .processes import Run, uninterrupted

LOOPS = ("draft", "batch")


class Forbidden:
    """Stands where a student or a teacher would; being called at all is a failure."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        raise SystemExit(f"attempted {task.id}")

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        raise SystemExit("asked")


def crisp(folder: Path | None, *, forbidden: bool = False, loop: Any = "draft") -> TrainResult:
    world = World(CRISP, seed=2)
    student, teacher = SimulatedStudent(world), SimulatedTeacher(world)
    stand_in = Forbidden(student.fingerprint)
    return sharpen.train(
        world.skill,
        world.tasks(test=True),
        stand_in if forbidden else student,
        stand_in if forbidden else teacher,
        Budget(rollouts=400),
        TrainSettings(loop=loop),
        folder,
    )


@pytest.mark.parametrize("loop", LOOPS)
def test_a_finished_run_returns_its_result_without_a_call(tmp_path: Path, loop: str) -> None:
    made = crisp(tmp_path, loop=loop)
    assert made == crisp(None, loop=loop)
    assert crisp(tmp_path, loop=loop, forbidden=True) == made


@pytest.mark.parametrize("bring", [shutil.move, shutil.copytree], ids=["moved", "copied"])
def test_a_finished_folder_elsewhere_is_the_same_run(
    tmp_path: Path, bring: Callable[[str, str], object]
) -> None:
    made = crisp(tmp_path / "here")
    bring(str(tmp_path / "here"), str(tmp_path / "there"))
    assert crisp(tmp_path / "there", forbidden=True) == made


def test_a_string_is_a_folder_too_and_parents_are_made(tmp_path: Path) -> None:
    arguments = (START, manners(), Polite(), Helpful(), Budget(rollouts=100))
    made = sharpen.train(*arguments, run_dir=str(tmp_path / "deep" / "down"))
    assert (tmp_path / "deep" / "down" / "run.db").is_file()
    assert RULE in made.skill.text


@pytest.mark.parametrize("bring", [shutil.move, shutil.copytree], ids=["moved", "copied"])
def test_an_unfinished_folder_elsewhere_goes_on(tmp_path: Path, bring: Callable[[str, str], object]) -> None:
    run = Run("draft", tmp_path)
    assert run.kill_at(0.3) is None
    run.session()
    stored = run.stored()
    bring(str(run.folder), str(tmp_path / "there"))
    run.folder = tmp_path / "there"
    assert run.finish() == uninterrupted("draft")
    assert not stored & set(run.session().began)


@pytest.mark.parametrize("left", ["nothing", "lock", "empty database", "tables", "configuration", "holder"])
def test_a_half_made_folder_is_used(tmp_path: Path, left: str) -> None:
    """What a process leaves that was killed at its very beginning."""
    folder = tmp_path / "run"
    folder.mkdir()
    if left == "lock":
        (folder / "run.lock").touch()
    if left == "empty database":
        (folder / "run.db").touch()
    if left == "holder":
        (folder / "run.lock").touch()
        (folder / "run.holder.json").write_text('{"pid": 1, "ho')
    if left in ("tables", "configuration"):
        if left == "configuration":
            crisp(folder)
        store = SqliteStore.open(folder)
        config = store.config()
        store.close()
        if left == "configuration":
            shutil.rmtree(folder)
            store = SqliteStore.open(folder)
            store.set_config(config)
            store.close()
    assert crisp(folder) == crisp(None)


def test_deleted_readable_files_are_written_again(tmp_path: Path) -> None:
    made = crisp(tmp_path)
    for path in tmp_path.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.startswith("run."):
            path.unlink()
    crisp(tmp_path, forbidden=True)
    assert (tmp_path / "best_skill.md").read_text() == made.skill.text


def test_the_readable_files_name_the_edits_of_each_step(tmp_path: Path) -> None:
    result = sharpen.train(START, manners(), Polite(), Helpful(), Budget(rollouts=100), run_dir=tmp_path)
    assert result.accepted
    (step,) = json.loads((tmp_path / "history.json").read_text())
    assert step["edit_apply_summary"] == {"total": 1, "applied": 1, "skipped": 0, "errors": 0}
    (entry,) = json.loads((tmp_path / "steps" / "step_0001" / "edit_apply_report.json").read_text())
    assert (entry["op"], entry["content_preview"]) == ("append", RULE)
    assert entry["status"] == "applied_append"


def test_a_second_process_is_refused_and_the_holder_named(tmp_path: Path) -> None:
    run = Run("draft", tmp_path)
    with run.working(calls=1) as holder:
        with pytest.raises(RunLockedError, match=f"process {holder.pid} ") as refused:
            SCENARIOS["draft"].train(run.folder)
        assert refused.value.exit_code == 2
        _, complaint = holder.communicate(timeout=120)
        assert holder.returncode == 0, complaint
    assert SCENARIOS["draft"].train(run.folder).rollouts == uninterrupted("draft")["rollouts"]


def test_a_second_run_in_the_same_process_is_refused(tmp_path: Path) -> None:
    async def both() -> list[TrainResult | BaseException]:
        runs = [
            sharpen.atrain(START, manners(), Slow(), Helpful(), Budget(rollouts=100), None, tmp_path)
            for _ in range(2)
        ]
        return await asyncio.gather(*runs, return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, TrainResult)
    assert isinstance(second, RunLockedError)
    assert f"process {os.getpid()} " in str(second)


class Slow(Polite):
    """Lets others run while it works."""

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        await asyncio.sleep(0.001)
        return await super().attempt(task, skill, trial=trial)


def test_a_run_in_another_thread_is_a_run_like_any_other(tmp_path: Path) -> None:
    results: list[TrainResult] = []
    thread = threading.Thread(target=lambda: results.append(crisp(tmp_path)))
    thread.start()
    thread.join()
    assert results == [crisp(None)]


# -- another configuration --------------------------------------------------------------------------------


def polite(folder: Path, **changed: Any) -> TrainResult:
    arguments = {
        "skill": START,
        "tasks": manners(),
        "student": Polite(),
        "teacher": Helpful(),
        "budget": Budget(rollouts=100),
        "settings": TrainSettings(seed=1),
    }
    return sharpen.train(**{**arguments, **changed}, run_dir=folder)


class OtherStudent(Polite):
    fingerprint = "rude student"


class OtherTeacher(Helpful):
    fingerprint = "other teacher"


CHANGES: dict[str, dict[str, Any]] = {
    "skill": {"skill": Skill.from_text("# Other\n")},
    "tasks": {"tasks": manners(train=7)},
    "student": {"student": OtherStudent()},
    "teacher": {"teacher": OtherTeacher()},
    "budget": {"budget": Budget(rollouts=101)},
    "seed": {"settings": TrainSettings(seed=2)},
    "gate": {"settings": TrainSettings(seed=1, gate="strict")},
    "metric": {"settings": TrainSettings(seed=1, metric="soft")},
    "loop": {"settings": TrainSettings(seed=1, loop="batch")},
    "lanes": {"settings": TrainSettings(seed=1, lanes=2)},
    "retries": {"settings": TrainSettings(seed=1, retries=1)},
    "alpha": {"settings": TrainSettings(seed=1, alpha=0.1)},
}


@pytest.mark.parametrize("changed", CHANGES)
def test_another_configuration_is_refused_and_what_changed_is_named(tmp_path: Path, changed: str) -> None:
    made = polite(tmp_path)
    with pytest.raises(RunFolderError, match=rf"\b{changed} was .*, is ") as refused:
        polite(tmp_path, **CHANGES[changed])
    assert refused.value.exit_code == 2
    assert str(tmp_path) in str(refused.value)
    assert polite(tmp_path) == made, "the refusal changed nothing"


def test_what_changes_only_the_speed_is_not_another_configuration(tmp_path: Path) -> None:
    made = polite(tmp_path)
    heard: list[str] = []
    again = TrainSettings(seed=1, concurrency=2, timeout=None, on_event=lambda kind, _: heard.append(kind))
    assert polite(tmp_path, settings=again) == made
    assert heard == []


def test_a_folder_of_evaluations_is_refused(tmp_path: Path) -> None:
    sharpen.evaluate(START, manners(), Polite(), run_dir=tmp_path)
    with pytest.raises(RunFolderError):
        polite(tmp_path)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(RunFolderError, match="a file stands where a folder is needed"):
        polite(tmp_path / "run")


def test_actors_without_a_name_are_reported(tmp_path: Path) -> None:
    class Nameless:
        async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
            return Rollout.scored(task, hard=1)

    result = polite(tmp_path, student=Nameless())
    assert result.history[0]["unnamed"] == ["student"]
    with closing(SqliteStore.read(tmp_path)) as store:
        assert "Nameless" in store.config()["student"]
