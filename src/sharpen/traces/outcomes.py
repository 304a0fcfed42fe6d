"""How a session came out, as far as anybody said: a verifier, the user, a test run, or how it ended.

A verdict needs evidence; without any it is `unknown` and stays so. Exit codes count as failures of steps,
not of the session: agents fail on the way to a solution. Of commands only runs of tests are evidence, and
only where the exit code is the tests' own: not behind a pipe. The user's own corrections ("no, revert that")
are counted. What a fork copied from its base is not this session's. Nothing here reads a model's opinion of
its own work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sharpen.traces.corrections import is_correction
from sharpen.traces.telling import Ending
from sharpen.traces.trajectory import Result, Step, ToolCall

Verdict = Literal["solved", "failed", "unknown"]
Evidence = Literal["verifier", "user", "check", "end", ""]

# Where a command stands, and the programs that run tests. Only what is run by itself has its exit code.
_STANDS = (
    r"(?:^|[;&|(\n]|\b(?:run|exec|then|do|npx|uvx|sudo|time|nice|xvfb-run)\s|\b\w+=\S*\s"
    r"|\btimeout [\d.]+\w?\s|\bpython[\d.]*\s(?:-\w\s)*-m\s|\b\w*sh\s-\w*c\s)"
)
_RUNNERS = (
    r"pytest|py\.test|unittest|tox|nox"
    r"|(?:npm|pnpm|yarn|bun)(?: -\S+)*(?: run)? (?:test|tests|t)\b(?::\S+)?|vitest|jest"
    r"|go test|cargo test|cargo nextest run"
    r"|mvnw?\b[^;&|\n]* (?:test|verify)|gradlew?\b[^;&|\n]* (?:test|check)|ctest"
    r"|make(?: -\S+)* (?:test|tests|check)|(?:python[\d.]* )?\S*manage\.py test"
    r"|rspec|rake (?:test|spec)|phpunit"
    r"|(?:dotnet|deno|mix|swift|flutter|bazel|sbt|stack|cabal) test|bats"
)
_CHECK = re.compile(rf"{_STANDS}\s*['\"]?(?:[^\s'\"]*/)?(?:{_RUNNERS})(?![\w./-])")
_LOOK = re.compile(r"\s(?:--version|--help|-h|--collect-only|--co|--list|--list-tests|--fixtures|--no-run)\b")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_HIDES = re.compile(r"\||;\s*\S|\n\s*\S|(?<![>&])&(?![>&])")
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_COMMAND_NAMES = ("command", "cmd", "script", "code", "input")
_LONGEST = 4000  # characters of a command that are looked at

_FAILED, _CORRECTED, _ASKED, _PASSED, _BROKE = 1, 2, 4, 8, 16


@dataclass(frozen=True)
class Outcome:
    """What is known; `evidence` says from where."""

    verdict: Verdict = "unknown"
    evidence: Evidence = ""
    failures: int = 0
    """Steps with a result that failed or had an exit code other than 0."""
    corrections: int = 0


class Watch:
    """Sees the steps of one session go by, also those taken back; a byte per step is all it keeps."""

    def __init__(self) -> None:
        self._seen = bytearray()

    def place(self, number: int, step: Step) -> None:
        if number >= len(self._seen):
            self._seen.extend(bytes(number + 1 - len(self._seen)))
        self._seen[number] = self._marks(step)

    def keep(self, count: int) -> None:
        del self._seen[count:]

    def outcome(self, ending: Ending) -> Outcome:
        verdict, evidence = self._verdict(ending)
        failures = sum(1 for marks in self._seen if marks & _FAILED)
        corrections = sum(1 for marks in self._seen if marks & _CORRECTED)
        return Outcome(verdict, evidence, failures, corrections)

    def _verdict(self, ending: Ending) -> tuple[Verdict, Evidence]:
        if ending.reward is not None:
            return ("solved" if ending.reward >= 1 else "failed"), "verifier"
        has_gone_on = False
        for marks in reversed(self._seen):
            if marks & (_PASSED | _BROKE):
                return ("solved" if marks & _PASSED else "failed"), "check"
            if marks & _CORRECTED and not has_gone_on:
                return "failed", "user"
            has_gone_on = has_gone_on or bool(marks & _ASKED)
        return ("failed", "end") if ending.state == "failed" else ("unknown", "")

    def _marks(self, step: Step) -> int:
        if step.source == "user":
            is_first = not any(marks & _ASKED for marks in self._seen)
            text = step.message if isinstance(step.message, str) else ""
            corrects = not (is_first or step.is_copied_context) and is_correction(text)
            return _ASKED | (_CORRECTED if corrects else 0)
        if step.is_copied_context:
            return 0
        marks = _FAILED if any(map(has_failed, step.results)) else 0
        checks = [call.tool_call_id for call in step.tool_calls if is_check(call)]
        for result in step.results:
            late = result.extra.get("command")  # of a call that was answered before its command ended
            if result.source_call_id in checks or (isinstance(late, str) and runs_tests(late)):
                code = result.exit_code
                marks |= 0 if code is None else _BROKE if code else _PASSED
        return marks & ~_PASSED if marks & _BROKE else marks


def has_failed(result: Result) -> bool:
    return bool(result.exit_code) or result.extra.get("failed") is True


def is_check(call: ToolCall) -> bool:
    """Whether a call runs a project's tests."""
    for name in _COMMAND_NAMES:
        value = call.arguments.get(name)
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(text, str) and runs_tests(text):
            return True
    return False


def runs_tests(command: str) -> bool:
    """Whether a command runs tests and ends with their exit code."""
    text = command[:_LONGEST].strip()
    found = list(_CHECK.finditer(text))
    if not found:
        return False
    rest = _QUOTED.sub("", text[found[-1].end() :])
    if "pipefail" in text[: found[-1].start()]:
        rest = _PIPE.sub("", rest)
    return not _HIDES.search(rest) and not _LOOK.search(rest)
