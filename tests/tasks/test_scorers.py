"""The scorers by name: what is solved, what is half right, and what a check that runs can and cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharpen.errors import SettingsError, TaskError
from sharpen.sandbox import Limits
from sharpen.tasks.scorers import SCORERS, Command, scorer_named
from sharpen.tasks.scoring import Answer
from sharpen.types import Task


@pytest.mark.parametrize(
    ("name", "right", "said", "hard", "soft"),
    [
        ("exact", "Paris", " Paris\n", 1, 1),
        ("exact", "Paris", "It is Paris.", 0, 0.5),
        ("exact", "Paris", "paris", 0, 0),
        ("exact", 7, "7", 1, 1),
        ("contains", "Paris", "It is paris, I think.", 1, 1),
        ("contains", "Par", "It is Paris.", 0, 0),
        ("json", {"a": 1, "b": 2}, '```json\n{"b": 2, "a": 1}\n```', 1, 1),
        ("json", {"a": 1, "b": 2}, '{"a": 1, "b": 3}', 0, 0.5),
        ("json", {"a": 1, "b": 2}, '{"a": 1, "b": 2, "c": 3}', 0, 2 / 3),
        ("json", {"a": 1}, "[1]", 0, 0),
        ("json", [1, 2], "[1, 2]", 1, 1),
        ("json", {"a": 1}, "a is 1", 0, 0),
    ],
)
def test_what_is_right(name: str, right: object, said: str, hard: float, soft: float) -> None:
    score = scorer_named(name).score(Task("t", data={"answer": right}), Answer(said))
    assert (score.hard, score.soft) == (hard, pytest.approx(soft))
    assert bool(score.feedback) == (hard < 1)


def test_what_the_teacher_is_told_never_holds_the_answer() -> None:
    for name in ("exact", "contains", "json"):
        score = scorer_named(name).score(Task("t", data={"answer": "Constantinople"}), Answer("no idea"))
        assert "Constantinople" not in score.feedback


def test_a_check_runs_where_the_agent_worked(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("moin")
    task = Task("t", data={"check": 'grep -q moin out.txt && test "$(cat)" = done'})
    assert Command().score(task, Answer("done", tmp_path)).hard == 1
    failed = Command().score(task, Answer("not done", tmp_path))
    assert failed.hard == 0
    assert "the check failed" in failed.feedback


def test_a_check_cannot_leave_the_sandbox_and_says_which_limit_stopped_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    work = tmp_path / "work"
    work.mkdir()
    Command().score(Task("t", data={"check": f"echo x > {outside}"}), Answer("", work))
    assert not outside.exists()
    slow = Command(limits=Limits(seconds=0.5))
    stopped = slow.score(Task("t", data={"check": "sleep 60"}), Answer("", work))
    assert "time limit" in stopped.feedback


@pytest.mark.parametrize(("name", "key"), [("exact", "answer"), ("command", "check")])
def test_a_task_without_what_its_scorer_needs_is_named(name: str, key: str) -> None:
    with pytest.raises(TaskError, match=rf"'t9' has no data.{key}"):
        scorer_named(name).score(Task("t9"), Answer("x"))


def test_names_come_with_and_without_their_version() -> None:
    for name, scorer in SCORERS.items():
        assert scorer_named(name) is scorer
        assert scorer_named(name.partition("@")[0]) is scorer
    with pytest.raises(SettingsError, match="did you mean 'contains'"):
        scorer_named("contain")
