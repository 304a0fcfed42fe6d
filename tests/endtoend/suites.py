"""The eleven suites on their miniatures: where data lie, what a configuration must be told, right answers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from loopback import Call, Exercise, Reply, Say
from sharpen.tasks.suites import suite_named
from sharpen.types import Task
from tasks import miniatures
from tasks.test_spreadsheets import RIGHT as PROGRAMS
from tasks.test_spreadsheets import program as as_program
from tasks.test_suite_scores import FIX

DATA = Path(__file__).parents[1] / "tasks" / "data"
CONFIGS = Path(__file__).parents[2] / "configs"
WORLD = "tasks.toy_world:ToyWorld"
KIND = "k0"

Answers = Callable[[Task], tuple[Reply, ...]]


def _tagged(tag: str) -> Answers:
    return lambda task: (Say(f"<{tag}>{right_of(task)}</{tag}>"),)


def _boxed(task: Task) -> tuple[Reply, ...]:
    return (Say(rf"so it is \boxed{{{right_of(task)}}}"),)


def _looked_up(task: Task) -> tuple[Reply, ...]:
    """Looks into the document before it answers."""
    document = next(iter(task.data["files"]))
    return Call("view", {"path": document}), Say(f"<FINAL_ANSWER>{right_of(task)}</FINAL_ANSWER>")


def _programmed(task: Task) -> tuple[Reply, ...]:
    return Say(as_program(PROGRAMS[task.id])), Say("It is right.")


def _played(task: Task) -> tuple[Reply, ...]:
    return Say("open drawer 1"), Say("take mug 1 from drawer 1"), Say("move mug 1 to desk 1")


def _patched(task: Task) -> tuple[Reply, ...]:
    return (Say(f"```diff\n{FIX}```"),)


def right_of(task: Task) -> str:
    return str(task.data["answer"] if "answer" in task.data else task.data["answers"][0])


ANSWERS: Mapping[str, Answers] = {
    "alfworld": _played,
    "babyvision": _boxed,
    "docvqa": _tagged("answer"),
    "livemathematicianbench": _tagged("answer"),
    "mathverse": _boxed,
    "mmrb": _tagged("answer"),
    "officeqa": _looked_up,
    "sealqa": _tagged("answer"),
    "searchqa": _tagged("answer"),
    "spreadsheetbench": _programmed,
    "swebench": _patched,
}
MORE: Mapping[str, tuple[str, ...]] = {
    "alfworld": (f"env.options={{world: '{WORLD}'}}",),
    "sealqa": ("env.judge_model=judge",),
    "swebench": ("env.limit=1", "train.num_epochs=1"),  # each right answer runs tests in the sandbox
    "spreadsheetbench": ("env.limit=1",),
}
"""What a suite's configuration has to be told beyond the place of its data."""
SCALED = (
    "env.split_ratio=4:3:3",
    "train.num_epochs=2",
    "train.batch_size=2",
    "gradient.minibatch_size=2",
    "optimizer.slow_update_samples=2",
    "evaluation.gate=strict",
)
"""A miniature leaves two or three tasks to a split, so everything else is small, too."""


def laid_out(name: str, place: Path) -> Path:
    """A copy of the suite's miniature."""
    shutil.copytree(DATA / name, place)
    if name == "swebench":
        miniatures.clone_small(place)
    return place


def exercises(name: str, place: Path) -> list[Exercise]:
    """Every task of a suite with its right answer; they all need the same rule."""
    options = {"world": WORLD} if name == "alfworld" else {}
    options |= {"mode": "multi"} if name == "spreadsheetbench" else {}
    scorer = "sealqa_f1" if name == "sealqa" else ""
    tasks = suite_named(name).open(place, options=options, scorer=scorer).tasks
    return [
        exercise(task, ANSWERS[name](task), kind=KIND)
        for task in (*tasks.train, *tasks.selection, *tasks.test)
    ]


def exercise(task: Task, right: tuple[Reply, ...], *, kind: str) -> Exercise:
    images = tuple(str(image["data"]) for image in task.data.get("images", ()))
    return Exercise(task.id, task.prompt, kind, right, images)
