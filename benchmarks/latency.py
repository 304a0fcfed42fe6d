"""Wall time of the batch loop beside the same steps with a barrier after every phase, on a loopback model.

    python benchmarks/latency.py [--steps 10] [--student 0.5] [--teacher 1.0]

Both train the same skill from the same tasks with the same student and teacher (real SDK calls with fixed
latencies), 64 calls at once: batches of 40, minibatches of 8, a selection split of 100. The barrier version
does what SkillOpt does: rollouts, then reflections, then merging failures, successes and both, then ranking,
then a full selection pass. Ends with status 1 when ours takes more than half of its time. The lower bound is
all latencies divided by 64.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

import sharpen
from school import LIMIT, School
from sharpen import BatchSettings, Budget, Edit, Rollout, Skill, Student, Task, TaskSet, TrainSettings
from sharpen.skills import apply_edits
from sharpen.train.teacher import open_teacher
from sharpen.types import Adviser
from tables import table

AT_ONCE = 64
BATCH, MINIBATCH, SELECTION = 40, 8, 100
KINDS = 40
MOST = 0.5
START = Skill.from_text("# Skill\n\nMind the rules.\n")
T = TypeVar("T")


def tasks_for(steps: int) -> TaskSet:
    """Each task is of one of forty kinds and needs the rule of its kind."""

    def some(split: str, count: int) -> list[Task]:
        prompt = "This is a task of kind {}; number {} of its split."
        return [Task(f"{split}-{n}", prompt.format(n % KINDS, n), {"answer": "right"}) for n in range(count)]

    return TaskSet(train=some("train", steps * BATCH), selection=some("selection", SELECTION))


def actors(url: str) -> tuple[Student, Adviser]:
    options = {"base_url": url, "concurrency": AT_ONCE}
    student = sharpen.open_student("compatible:student", "exact", options)
    teacher = open_teacher("compatible:teacher", options)
    assert isinstance(teacher, Adviser)
    return student, teacher


async def ours(tasks: TaskSet, student: Student, teacher: Adviser) -> float:
    """Seconds until the last step is decided."""
    began, stopped = time.perf_counter(), 0.0

    def heard(kind: str, data: object) -> None:
        nonlocal stopped
        if kind == "stop":
            stopped = time.perf_counter() - began

    batch = BatchSettings(
        epochs=1,
        batch_size=BATCH,
        minibatch=MINIBATCH,
        schedule="constant",
        failure_only=False,
        slow_update=False,
        meta_skill=False,
    )
    settings = TrainSettings(loop="batch", batch=batch, concurrency=AT_ONCE, on_event=heard)
    result = await sharpen.atrain(START, tasks, student, teacher, Budget(rollouts=20_000), settings)
    steps = [entry for entry in result.history if entry["kind"] == "step"]
    accepts = sum(step["action"] == "accept_new_best" for step in steps)
    print(f"ours: {len(steps)} steps, {accepts} accepted, selection {result.selection}", file=sys.stderr)
    return stopped


class Barrier:
    """The same steps, one phase after the other."""

    def __init__(self, student: Student, teacher: Adviser) -> None:
        self._student, self._teacher, self._places = student, teacher, asyncio.Semaphore(AT_ONCE)

    async def run(self, tasks: TaskSet) -> float:
        began = time.perf_counter()
        skill = START
        score = await self._score(skill, tasks.selection)
        accepts = 0
        for start in range(0, len(tasks.train), BATCH):
            rollouts = await self._roll_out(skill, tasks.train[start : start + BATCH])
            edits = await self._reflect(skill, rollouts)
            if len(edits) > LIMIT:
                found = await self._ask("rank", skill, {"kind": "edits", "items": edits, "budget": LIMIT})
                edits = [edits[i] for i in found["selected_indices"][:LIMIT]]
            candidate = apply_edits(skill, [Edit.from_json(edit) for edit in edits]).skill
            new = await self._score(candidate, tasks.selection)
            if new > score:
                skill, score, accepts = candidate, new, accepts + 1
        print(f"barrier: {len(tasks.train) // BATCH} steps, {accepts} accepted, {score:.3f}", file=sys.stderr)
        return time.perf_counter() - began

    async def _score(self, skill: Skill, tasks: Sequence[Task]) -> float:
        rollouts = await self._roll_out(skill, tasks)
        return sum(rollout.outcome == "solved" for rollout in rollouts) / len(rollouts)

    async def _roll_out(self, skill: Skill, tasks: Sequence[Task]) -> list[Rollout]:
        return await self._all([self._student.attempt(task, skill, trial=1) for task in tasks])

    async def _reflect(self, skill: Skill, rollouts: Sequence[Rollout]) -> list[dict[str, Any]]:
        """Reflections on both sides, then failures merged, then successes, then both."""
        sides = [[r for r in rollouts if (r.outcome == "solved") == solved] for solved in (False, True)]
        cut = [
            (side, tuple(some[i : i + MINIBATCH]))
            for side, some in enumerate(sides)
            for i in range(0, len(some), MINIBATCH)
        ]
        answers = await self._all(
            [self._teacher.propose(skill, shown, limit=LIMIT, memory="", trial=1) for _, shown in cut]
        )
        merged: list[list[dict[str, Any]]] = []
        for side in (0, 1):
            patches = [edits for (own, _), edits in zip(cut, answers, strict=True) if own == side and edits]
            items = [dict(edit.to_json()) for edits in patches for edit in edits]
            merged.append(await self._merge(skill, items) if len(patches) > 1 else items)
        both = merged[0] + merged[1]
        return await self._merge(skill, both) if all(merged) else both

    async def _merge(self, skill: Skill, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        material = {"kind": "edits", "items": items, "level": 1, "priority": "final"}
        found = await self._ask("merge", skill, material)
        return [{k: v for k, v in item.items() if k != "sources"} for item in found["items"]]

    async def _ask(self, matter: str, skill: Skill, material: dict[str, Any]) -> dict[str, Any]:
        advice = await self._teacher.advise(
            matter, skill, (), material=material, limit=LIMIT, memory="", trial=1
        )
        return dict(advice.data)

    async def _all(self, calls: Sequence[Awaitable[T]]) -> list[T]:
        async def one(call: Awaitable[T]) -> T:
            async with self._places:
                return await call

        return await asyncio.gather(*map(one, calls))


async def measured(name: str, steps: int, student: float, teacher: float) -> tuple[float, dict[str, float]]:
    with School(student=student, teacher=teacher) as school:
        pupil, master = actors(school.url)
        tasks = tasks_for(steps)
        seconds = await (ours(tasks, pupil, master) if name == "ours" else Barrier(pupil, master).run(tasks))
        for actor in (pupil, master):
            await actor.aclose()  # type: ignore[attr-defined]
        return seconds, school.stats()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--student", type=float, default=0.5)
    parser.add_argument("--teacher", type=float, default=1.0)
    asked = parser.parse_args()
    rows, walls = [], {}
    for name in ("barrier", "ours"):
        seconds, stats = asyncio.run(measured(name, asked.steps, asked.student, asked.teacher))
        walls[name] = seconds
        bound = stats["in_flight_seconds"] / AT_ONCE
        rows.append(
            [name, f"{seconds:.1f}", f"{bound:.1f}", f"{stats['calls']:.0f}", f"{stats['in_flight']:.1f}"]
        )
    print(table(["loop", "wall s", "lower bound s", "calls", "mean in flight"], rows))
    ratio = walls["ours"] / walls["barrier"]
    print(f"ours / barrier: {ratio:.2f} (at most {MOST}): {'ok' if ratio <= MOST else 'missed'}")
    sys.exit(ratio > MOST)


if __name__ == "__main__":
    main()
