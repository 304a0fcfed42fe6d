"""Verdicts need evidence; what nobody said stays unknown."""

from __future__ import annotations

import pytest

from sharpen.traces.outcomes import Watch, is_check, is_correction
from sharpen.traces.telling import Ending
from sharpen.traces.trajectory import Result, Step, ToolCall

ASK = Step("user", "Fix the build")


def ran(command: str, code: int | None) -> Step:
    extra = {} if code is None else {"exit_code": code}
    return Step(
        "agent",
        tool_calls=(ToolCall("c", "bash", {"command": command}),),
        results=(Result("", "c", extra=extra),),
    )


def outcome(*steps: Step, ending: Ending | None = None):
    watch = Watch()
    for number, step in enumerate(steps):
        watch.place(number, step)
    return watch.outcome(ending or Ending())


def test_nothing_said_is_unknown():
    assert outcome(ASK, ran("ls", 0)).verdict == "unknown"
    assert outcome(ASK, ran("pytest", None)).verdict == "unknown"
    assert outcome(ASK, ran("ls", 1), ending=Ending("completed")).verdict == "unknown"


def test_a_verifier_has_the_last_word():
    corrected = Step("user", "no, that's wrong")
    known = outcome(ASK, ran("pytest -q", 1), corrected, ending=Ending(reward=1.0))
    assert (known.verdict, known.evidence) == ("solved", "verifier")
    assert outcome(ASK, ran("pytest", 0), ending=Ending(reward=0.5)).verdict == "failed"


def test_the_last_run_of_the_tests_counts():
    assert outcome(ASK, ran("cd x && pytest -q", 1), ran("pytest -q", 0)).verdict == "solved"
    known = outcome(ASK, ran("npm test", 0), ran("npm test", 1), ran("ls", 0))
    assert (known.verdict, known.evidence, known.failures) == ("failed", "check", 1)


def test_the_users_last_word_beats_the_tests():
    known = outcome(ASK, ran("pytest", 0), Step("user", "No, revert that."))
    assert (known.verdict, known.evidence, known.corrections) == ("failed", "user", 1)
    better = outcome(
        ASK, ran("pytest", 0), Step("user", "no, use tabs"), ran("pytest", 0), Step("user", "great, thanks")
    )
    assert (better.verdict, better.corrections) == ("solved", 1)


def test_what_was_taken_back_does_not_count():
    watch = Watch()
    for number, step in enumerate((ASK, ran("pytest", 0), Step("user", "undo"), ran("ls", 3))):
        watch.place(number, step)
    watch.keep(2)
    known = watch.outcome(Ending())
    assert (known.verdict, known.corrections, known.failures) == ("solved", 0, 0)


def test_an_error_at_the_end_is_a_failure():
    assert outcome(ASK, ending=Ending("failed")).evidence == "end"


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "No, not that file",
        "revert that",
        "Undo the last change",
        "that's wrong",
        "still failing",
        "you broke the tests",
        "it still doesn't work",
        "Stop!",
        "wait, no",
    ],
)
def test_corrections(text):
    assert is_correction(text)


@pytest.mark.parametrize(
    "text",
    [
        "now add tests",
        "nothing else",
        "note that x",
        "great",
        "no problem, go on",
        "Stopwatch feature please",
        "notify me",
    ],
)
def test_no_corrections(text):
    assert not is_correction(text)


def test_commands_that_check():
    checks = (
        "pytest -q",
        "python -m pytest x",
        "make test",
        "cargo test",
        "go test ./...",
        "cd a && npm run test",
    )
    assert all(is_check(ToolCall("c", "bash", {"command": command})) for command in checks)
    assert is_check(ToolCall("c", "shell", {"command": ["bash", "-lc", "pytest"]}))
    assert not any(
        is_check(ToolCall("c", "bash", {"cmd": command}))
        for command in ("ls tests", "cat pytest.ini.bak", "make")
    )
