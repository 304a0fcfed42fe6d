"""A check per row: how it is spelled, what wins, and what is refused before anything is paid."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sharpen.errors import SettingsError, TaskError
from sharpen.models import Simulated
from sharpen.tasks import read_tasks
from sharpen.tasks.scorers import Checks, Command, Exact, Judge, scorer_for
from sharpen.tasks.scoring import Answer
from sharpen.types import Task, TaskSet

ROWS: list[tuple[dict[str, object], str, str]] = [
    ({"answer": "Paris"}, "Paris", "paris"),
    ({"answer": "Paris", "check": "contains"}, "It is PARIS.", "Rome"),
    ({"check": {"exact": ["yes", "no"]}}, "no", "maybe"),
    ({"check": "regex:^[A-Z]{3}$"}, "ABC", "ABCD"),
    ({"check": {"number": 3.14, "tolerance": 0.01}}, "about 3.145", "3.2"),
    ({"answer": 10, "check": {"number": None, "relative": 0.1}}, "11", "12"),
    ({"answer": "a red fox", "check": {"f1": True, "threshold": 0.6}}, "red fox jumps", "blue"),
    ({"check": {"json": {"a": [1]}}}, '{"a": [1]}', '{"a": [2]}'),
    ({"check": {"schema": {"type": "array", "minItems": 2}}}, "[1, 2]", "[1]"),
    ({"answer": "colour", "check": "anls"}, "COLOUR", "flavour"),
    ({"check": "python:house_checks:is_polite"}, "please", "now"),
    ({"check": {"command": "grep -q done"}}, "all done", "not yet"),
    (
        {
            "check": {
                "command": "cat > out; grep -q 7 out && echo 1 > r.txt || echo 0.25 > r.txt",
                "reward": "r.txt",
            }
        },
        "7",
        "8",
    ),
]


@pytest.fixture
def house_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "house_checks.py").write_text(
        "def is_polite(answer, task):\n    return 'please' in answer, 'say please'\n"
        "def broken(answer, task):\n    return 1 / 0\n"
        "def odd(answer, task):\n    return 'yes'\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    sys.modules.pop("house_checks", None)
    return tmp_path


def written(folder: Path, rows: list[dict[str, object]]) -> Path:
    path = folder / "tasks.jsonl"
    lines = [json.dumps({"id": f"t{n}", "prompt": "?", **row}) for n, row in enumerate(rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def every(tasks: TaskSet) -> dict[str, Task]:
    return {task.id: task for task in (*tasks.train, *tasks.selection, *tasks.test)}


def test_every_check_solves_the_right_answer_and_fails_the_wrong_one(house_checks: Path) -> None:
    tasks = every(read_tasks(written(house_checks, [row for row, _, _ in ROWS])))
    scorer = scorer_for(tasks.values(), "exact")
    assert scorer.name == "checks@1(exact@1)"
    for number, (row, right, wrong) in enumerate(ROWS):
        task = tasks[f"t{number}"]
        assert scorer.score(task, Answer(right)).hard == 1, row
        assert scorer.score(task, Answer(wrong)).hard == 0, row


def test_a_reward_file_is_the_soft_score(house_checks: Path) -> None:
    tasks = every(read_tasks(written(house_checks, [row for row, _, _ in ROWS])))
    score = scorer_for(tasks.values(), "exact").score(tasks[f"t{len(ROWS) - 1}"], Answer("8"))
    assert (score.hard, score.soft) == (0, 0.25)


@pytest.mark.parametrize(
    ("content", "reason"), [("2", "no number from 0 to 1"), ("many", "no number from 0 to 1")]
)
def test_a_reward_that_is_none_is_the_authors_mistake(tmp_path: Path, content: str, reason: str) -> None:
    task = Task("t", data={"check": f"echo {content} > r"})
    with pytest.raises(TaskError, match=reason):
        Command(reward="r").score(task, Answer("", tmp_path))


def test_a_check_without_its_reward_file_fails_and_a_link_is_no_reward(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("1")
    for check in ("true", "ln -s secret r"):
        score = Command(reward="r").score(Task("t", data={"check": check}), Answer("", tmp_path))
        assert (score.hard, "wrote no r" in score.feedback) == (0, True)


def test_the_command_lines_scorer_judges_rows_without_a_check() -> None:
    plain = Task("a", data={"answer": "x"})
    own = Task("b", data={"answer": "x", "check": {"kind": "contains"}})
    assert scorer_for([plain], "contains").name == "contains@1"
    scorer = scorer_for([plain, own], Exact())
    assert scorer.score(plain, Answer("an x")).hard == 0
    assert scorer.score(own, Answer("an x")).hard == 1


def test_a_command_in_data_still_is_one(tmp_path: Path) -> None:
    task = Task("t", data={"check": "test -f made"})
    scorer = scorer_for([task], "command")
    assert scorer.name == "command@1"
    (tmp_path / "made").touch()
    assert scorer.score(task, Answer("", tmp_path)).hard == 1
    with pytest.raises(TaskError, match="use the scorer `checks`"):
        Command().score(Task("t", data={"check": {"kind": "exact"}}), Answer(""))


BAD: dict[str, tuple[dict[str, object], str]] = {
    "unknown kind": ({"check": "exakt"}, "no check is called 'exakt'; did you mean 'exact'"),
    "unknown kind in an object": ({"check": {"regexp": "a"}}, "did you mean 'regex'"),
    "two kinds": ({"check": {"regex": "a", "exact": "b"}}, "has one kind, not regex and exact"),
    "unknown option": ({"answer": 1, "check": {"number": 1, "tolerence": 1}}, "did you mean 'tolerance'"),
    "option of the wrong kind": ({"check": {"number": 1, "tolerance": "x"}}, "cannot be 'x'"),
    "no answer": ({"check": "exact"}, "nothing to compare with; give the row an answer"),
    "no value": ({"answer": "x", "check": "regex"}, "nothing to compare with"),
    "bad pattern": ({"check": "regex:(a"}, "is not a regular expression"),
    "bad number": ({"check": "number:many"}, "is not a number"),
    "bad schema": ({"check": {"schema": {"type": "objekt"}}}, "not a JSON schema"),
    "schema of the wrong kind": ({"check": {"schema": "x"}}, "needs a JSON schema"),
    "empty rubric": ({"check": {"rubric": []}}, "a rubric is a text or a list"),
    "command of the wrong kind": ({"check": {"command": ["ls"]}}, "needs a shell command"),
    "neither text nor object": ({"check": 3}, "a check is a text"),
    "answer twice": ({"answer": 1, "data": {"answer": 2}}, "'answer' stands both in the row and in its data"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_check_is_named_with_its_line(tmp_path: Path, what: str) -> None:
    row, reason = BAD[what]
    with pytest.raises(TaskError) as error:
        read_tasks(written(tmp_path, [{"answer": "x"}, row, {"answer": "y"}]))
    assert reason in str(error.value)
    assert "tasks.jsonl, line 2" in str(error.value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("house_checks:missing", "cannot be loaded"),
        ("nowhere:f", "cannot be loaded"),
        ("house_checks", "MODULE:OBJECT"),
    ],
)
def test_a_function_that_is_not_there_is_refused_before_the_run(
    house_checks: Path, value: str, reason: str
) -> None:
    task = Task("t", data={"check": {"kind": "python", "value": value}})
    with pytest.raises(SettingsError, match=reason):
        scorer_for([task], "exact")


@pytest.mark.parametrize(
    ("name", "reason"), [("broken", "ZeroDivisionError"), ("odd", "must return true or false")]
)
def test_a_function_that_fails_is_named_with_its_task(house_checks: Path, name: str, reason: str) -> None:
    task = Task("t9", data={"check": {"kind": "python", "value": f"house_checks:{name}"}})
    with pytest.raises(TaskError, match=f"'t9': its check house_checks:{name}.*{reason}"):
        scorer_for([task], "exact").score(task, Answer("x"))


def test_a_rubric_needs_a_judge_before_the_run() -> None:
    task = Task("t", data={"check": {"kind": "rubric", "value": "Is it kind?"}})
    with pytest.raises(SettingsError, match="'t' is judged by a rubric, which needs a model"):
        scorer_for([task], "exact")


def test_a_rubric_in_a_row_is_judged_and_the_judge_is_part_of_the_name() -> None:
    judge = Judge(Simulated("kind", lambda request, trial: '{"criteria": [{"evidence": "e", "met": true}]}'))
    task = Task("t", data={"check": {"kind": "rubric", "value": "Is it kind?", "reference": "the gist"}})
    scorer = scorer_for([task], "exact", judge)
    assert isinstance(scorer, Checks)
    assert scorer.name == "checks@1(exact@1, simulated:kind)"
    assert scorer.score(task, Answer("x")).hard == 1
    judge.close()
