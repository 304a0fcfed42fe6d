"""Evaluations that skills bring along, in both dialects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sharpen.errors import TaskError
from sharpen.models import Simulated
from sharpen.tasks import read_tasks
from sharpen.tasks.scorers import Judge, scorer_for
from sharpen.tasks.scoring import Answer
from sharpen.types import Task

EVALS: list[dict[str, object]] = [
    {
        "id": 1,
        "prompt": "Sum it up",
        "expected_output": "a summary",
        "files": ["evals/files/a.txt"],
        "expectations": ["is short"],
    },
    {
        "id": 2,
        "prompt": "Do it",
        "expected_output": "a table",
        "files": [],
        "assertions": ["has rows", {"text": "has columns"}],
    },
    {"id": 3, "prompt": "Say it", "expected_output": "a word"},
]


def skill_folder(folder: Path, evals: object) -> Path:
    home = folder / "evals"
    (home / "files").mkdir(parents=True)
    (home / "files" / "a.txt").write_text("long text", encoding="utf-8")
    (home / "evals.json").write_text(json.dumps(evals), encoding="utf-8")
    return folder


def test_both_dialects_become_rubrics(tmp_path: Path) -> None:
    place = skill_folder(tmp_path, {"skill_name": "x", "evals": EVALS})
    assert read_tasks(place).digest == read_tasks(place / "evals" / "evals.json").digest
    found = read_tasks(place)
    tasks: dict[str, Task] = {task.id: task for task in (*found.train, *found.selection, *found.test)}
    assert tasks["1"].data["files"] == {"evals/files/a.txt": "long text"}
    assert tasks["1"].data["check"] == {"kind": "rubric", "value": ["is short"], "reference": "a summary"}
    assert tasks["2"].data["check"]["value"] == ["has rows", "has columns"]
    assert tasks["3"].data["check"]["reference"] == "a word"


def test_they_are_judged(tmp_path: Path) -> None:
    found = read_tasks(skill_folder(tmp_path, {"skill_name": "x", "evals": EVALS}))
    tasks = {task.id: task for task in (*found.train, *found.selection, *found.test)}
    both = '{"criteria": [{"evidence": "", "met": true}, {"evidence": "no columns", "met": false}]}'
    judge = Judge(Simulated("judge", lambda request, trial: both))
    score = scorer_for(tasks.values(), "exact", judge).score(tasks["2"], Answer("rows"))
    assert (score.soft, score.feedback) == (0.5, "not met: has columns (no columns)")
    judge.close()


@pytest.mark.parametrize(
    ("evals", "reason"),
    [
        ([], 'must be an object with a list "evals"'),
        ({"evals": [3]}, "evaluation 1: must be an object"),
        ({"evals": [{"id": 1, "prompt": "x"}]}, "evaluation 1: has neither expectations nor assertions"),
        ({"evals": [{"id": 1, "prompt": "x", "expectations": [""]}]}, "one of its expectations is no text"),
        (
            {"evals": [{"id": 1, "prompt": "x", "expected_output": "y", "files": ["evals/files/no.txt"]}]},
            "the file 'evals/files/no.txt' is not in",
        ),
        (
            {"evals": [{"id": 1, "prompt": "x", "expected_output": "y", "files": ["../../secret"]}]},
            "is not in",
        ),
    ],
)
def test_bad_evaluations_are_named(tmp_path: Path, evals: object, reason: str) -> None:
    with pytest.raises(TaskError, match=r"evals\.json") as error:
        read_tasks(skill_folder(tmp_path, evals))
    assert reason in str(error.value)
