"""Verdicts need evidence; what nobody said stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sharpen.traces.corrections import is_correction
from sharpen.traces.outcomes import Watch, is_check, runs_tests
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
        "Please revert that change",
        "can you revert the last commit please",
        "That didn't work",
        "hmm, that’s incorrect",
        "Sorry, but that is not what I meant",
        "I said use tabs, not spaces",
        "I didn't ask you to delete it",
        "put it back",
        "actually no, leave it as it was",
        "You misunderstood me",
        "ugh no",
        "not working",
        "now it crashes on startup",
        "wrong file!",
        "why did you delete the config file?",
        '"no, not that one"',
        "Great, but it still crashes when the list is empty",
        "Thanks. However, that's not correct",
        "The tests still fail",
        "Same error again",
        "no no no",
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
        "no problem, thanks",
        "No, that's all",
        "no need to change anything else",
        "no further questions",
        "no errors now, thanks!",
        "No changes to the API please, but also add type hints",
        "undo button should be blue, add it to the toolbar",
        "Undo/redo works great, thanks",
        "revert.py should be renamed to undo.py",
        "write a script to revert migrations",
        "stop the dev server when you finish",
        "that's not wrong, continue",
        "wrong answers should be shown in red: implement this next",
        "Fix the wrong spelling in README",
        "The failing test list should be printed in red",
        "don't forget to update the changelog",
        "wait for the CI to finish, then merge",
        "That's not a problem, go on",
        "What does 'That's wrong' mean in the log output?",
        "it works now, no longer crashing",
        "You didn't need to, but nice",
    ],
)
def test_no_corrections(text):
    assert not is_correction(text)


def test_tests_that_ran_after_a_correction_say_more_than_it():
    fixed = outcome(ASK, ran("pytest", 1), Step("user", "no, use tabs"), ran("pytest", 0))
    assert (fixed.verdict, fixed.evidence, fixed.corrections) == ("solved", "check", 1)
    assert outcome(ASK, ran("pytest", 0), Step("user", "no, use tabs"), ran("ls", 0)).evidence == "user"


def test_what_a_fork_copied_is_not_its_own():
    copied = [replace(step, is_copied_context=True) for step in (ASK, ran("pytest", 1), ran("ls", 2))]
    assert outcome(*copied, Step("user", "go on")).verdict == "unknown"
    known = outcome(*copied, Step("user", "no, revert that"))
    assert (known.verdict, known.failures, known.corrections) == ("failed", 0, 1)


def test_tests_that_ended_later_than_their_call():
    late = Result("", extra={"exit_code": 1, "command": "pytest -q"})
    assert outcome(ASK, ran("pytest -q", None), Step("agent", results=(late,))).verdict == "failed"
    other = Result("", extra={"exit_code": 1, "command": "make app"})
    assert outcome(ASK, Step("agent", results=(other,))).verdict == "unknown"


@pytest.mark.parametrize(
    "command",
    [
        "pytest | tail -5",
        "pytest || true",
        "pytest; echo done",
        "pytest\necho $?",
        "pytest --version",
        "pytest --collect-only -q",
        "cargo run",
        "cargo test --no-run",
        "git commit -m 'pytest passes'",
        "echo pytest",
        "npm run testing-ui",
    ],
)
def test_commands_whose_exit_code_says_nothing_about_tests(command):
    assert not runs_tests(command)


@pytest.mark.parametrize(
    "command",
    [
        "set -o pipefail; pytest | tail -3",
        "pytest -q 2>&1",
        "pytest -k 'a or b; c'",
        "ruff check . && pytest",
        "CI=1 timeout 5m uv run pytest",
        "python3.11 -m pytest -x",
        "bash -lc 'pytest -q'",
        "npm run test:unit",
        "pnpm -r test",
        "cargo nextest run",
        "python manage.py test",
    ],
)
def test_commands_that_end_as_the_tests_did(command):
    assert runs_tests(command)


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
