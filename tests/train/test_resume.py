"""`kill -9` at any moment, Ctrl-C, a full disk: nothing finished is paid twice, the result is the same."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sharpen
from sharpen import Budget, Rollout, Skill, Task, TrainSettings
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, Spec, World
from sharpen.store import SqliteStore

from .child_run import CONCURRENCY, CRISP, DIFFUSE, SCENARIOS
from .problems import FULL
from .processes import Key, Run, uninterrupted

KILLS = {"draft": 80, "batch": 60, "pooled": 60} if FULL else {"draft": 8, "batch": 6, "pooled": 6}
LONGEST = 0.3
"""Seconds from a process's start of work to its kill; the whole run takes two to four times as long."""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_killed_again_and_again_a_run_ends_as_if_it_never_was(tmp_path: Path, scenario: str) -> None:
    expected = uninterrupted(scenario)
    when = random.Random(f"moments of {scenario}")
    kills, finished_runs = 0, 0
    while kills < KILLS[scenario]:
        place = tmp_path / str(finished_runs)
        place.mkdir()
        run, result, stored = Run(scenario, place), None, set[Key]()
        while result is None:
            if kills < KILLS[scenario]:
                result = run.kill_at(when.uniform(0, LONGEST))
                kills += result is None
            else:
                result = run.finish()
            session = run.session()
            assert len(set(session.began)) == len(session.began), "a call was made twice by one process"
            assert not stored & set(session.began), "a finished call was made again"
            now = run.stored()
            assert stored <= now, "a finished call was lost"
            assert len(set(session.ended) - now) <= CONCURRENCY, "more was lost than the calls in flight"
            stored = now
        finished_runs += 1
        assert result == expected
        assert sum(key.kind == "attempt" for key in stored) == expected["rollouts"]
        assert (run.folder / "best_skill.md").read_text() == expected["skill"]
        _events_are_the_history(run.folder, expected["history"])


def _events_are_the_history(folder: Path, history: list[object]) -> None:
    store = SqliteStore.read(folder)
    try:
        assert [event.data for event in store.events()] == history
        assert [event.at for event in store.events()] == sorted(event.at for event in store.events())
    finally:
        store.close()


def test_ctrl_c_stops_cleanly_and_the_run_goes_on(tmp_path: Path) -> None:
    run = Run("draft", tmp_path)
    with run.working(calls=40) as process:
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
        assert process.returncode != 0
    assert complaint.rstrip().endswith("KeyboardInterrupt")
    first, stored = run.session(), run.stored()
    assert set(first.ended) <= stored
    assert (run.folder / "history.json").is_file(), (
        "the readable files are written also when a run is stopped"
    )
    assert run.finish() == uninterrupted("draft")
    assert not stored & set(run.session().began)


def can_mount() -> bool:
    """Whether this machine lets us mount a small disk in a private namespace."""
    if sys.platform != "linux":
        return False
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not can_mount(), reason="needs Linux and permission to mount a tmpfs")
def test_a_full_disk_ends_the_run_with_a_reason_and_loses_nothing(tmp_path: Path) -> None:
    run, kept = Run("draft", tmp_path), tmp_path / "kept"
    run.folder.mkdir()
    disk = (
        f'mount -t tmpfs -o size=1m none {run.folder} && "$@"; code=$?; cp -r {run.folder} {kept}; exit $code'
    )
    process = run.start(before=("unshare", "-rm", "sh", "-c", disk, "sh"))
    said, complaint = process.communicate(timeout=120)
    assert process.returncode == 1, complaint
    assert said.splitlines()[-1].startswith("StoreError: ")
    assert "the disk is full; free some space and run the same command again" in said
    run.folder = kept
    first, stored = run.session(), run.stored()
    assert len(set(first.ended) - stored) <= CONCURRENCY
    assert len(stored) > 20
    assert run.finish() == uninterrupted("draft")
    assert not stored & set(run.session().began)


# -- the same without processes, so that every moment can be tried ----------------------------------------


class Killed(BaseException):
    """Stands for the end of the process: nothing in sharpen may catch it."""


class Mortal(SimulatedStudent):
    """Dies instead of answering once its calls are used up, and notes the answers it gave."""

    def __init__(self, world: World, answered: Counter[tuple[str, str, int]], lives: int) -> None:
        super().__init__(world)
        self.answered, self.lives = answered, lives

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        await asyncio.sleep(0)
        if self.calls >= self.lives:
            raise Killed
        rollout = await super().attempt(task, skill, trial=trial)
        self.answered[skill.digest, task.id, trial] += 1
        return rollout


@pytest.mark.slow
@settings(max_examples=200 if FULL else 12, suppress_health_check=[HealthCheck.too_slow])
@given(
    spec=st.sampled_from([CRISP, DIFFUSE]),
    loop=st.sampled_from(["draft", "batch"]),
    seed=st.integers(0, 20),
    lives=st.lists(st.integers(0, 250), min_size=1, max_size=3),
    concurrency=st.integers(1, 16),
)
def test_a_run_that_dies_after_any_call_ends_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    spec: Spec,
    loop: str,
    seed: int,
    lives: list[int],
    concurrency: int,
) -> None:
    world, folder = World(spec, seed=seed), tmp_path_factory.mktemp("run")
    chosen = TrainSettings(seed=seed, loop="batch" if loop == "batch" else "draft", lanes=2)
    places = (concurrency, 1, 7, 16)
    budget, tasks = Budget(rollouts=500), world.tasks()
    whole = sharpen.train(
        world.skill, tasks, SimulatedStudent(world), SimulatedTeacher(world), budget, chosen
    )
    answered: Counter[tuple[str, str, int]] = Counter()
    for calls, at_once in zip([*lives, 10**9], places, strict=False):
        student, teacher = Mortal(world, answered, calls), SimulatedTeacher(world)
        now = replace(chosen, concurrency=at_once)
        try:
            result = sharpen.train(world.skill, tasks, student, teacher, budget, now, folder)
        except Killed:
            continue
    assert result == whole
    assert set(answered.values()) == {1}
    assert answered.total() == whole.rollouts


def test_a_cancelled_run_goes_on(tmp_path: Path) -> None:
    """What a user's own event loop does to a run that it no longer wants."""
    world = World(CRISP, seed=3)
    tasks, budget = world.tasks(), Budget(rollouts=300)
    answered: Counter[tuple[str, str, int]] = Counter()

    async def cancelled() -> None:
        student = Mortal(world, answered, 10**9)
        run = asyncio.ensure_future(
            sharpen.atrain(world.skill, tasks, student, SimulatedTeacher(world), budget, run_dir=tmp_path)
        )
        while student.calls < 40:
            await asyncio.sleep(0)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancelled())
    student = Mortal(world, answered, 10**9)
    result = sharpen.train(world.skill, tasks, student, SimulatedTeacher(world), budget, run_dir=tmp_path)
    whole = sharpen.train(world.skill, tasks, SimulatedStudent(world), SimulatedTeacher(world), budget)
    assert result == whole
    assert answered.total() == whole.rollouts


def test_what_a_lost_call_costs_is_not_charged(tmp_path: Path) -> None:
    """Calls in flight at a kill are made again and counted once."""
    world = SCENARIOS["draft"].world()
    student = Mortal(world, Counter(), lives=60)
    with pytest.raises(Killed):
        SCENARIOS["draft"].train(tmp_path, student)
    again = SimulatedStudent(world)
    result = SCENARIOS["draft"].train(tmp_path, again)
    assert student.calls + again.calls == result.rollouts
    store = SqliteStore.read(tmp_path)
    assert store.lost() >= 1
    assert sum(record.outcome is not None for record in store.attempts()) == result.rollouts
    store.close()
