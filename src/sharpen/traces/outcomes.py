"""How a session came out, as far as anybody said: a verifier, the user, a test run, or how it ended.

A verdict needs evidence; without any it is `unknown` and stays so. Exit codes count as failures of steps,
not of the session: agents fail on the way to a solution. The user's own corrections ("no, revert that") are
counted. Nothing here reads a model's opinion of its own work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sharpen.traces.telling import Ending
from sharpen.traces.trajectory import Result, Step, ToolCall

Verdict = Literal["solved", "failed", "unknown"]
Evidence = Literal["verifier", "user", "check", "end", ""]

_CORRECTION = re.compile(
    r"\s*(?:no\b(?! (?:problem|worries|rush))|nope\b|wrong\b|incorrect\b|undo\b|revert\b|roll ?back\b|stop\b"
    r"|wait,|that(?:'s| is| was)(?: not|n't| wrong)|this (?:is|was)(?: not|n't| wrong)|not what i"
    r"|you (?:broke|forgot|missed|did(?:n't| not))|why did you|don't |do not |try again"
    r"|(?:it|this|that|the tests?) (?:is |are )?(?:still )?(?:fail|broken|does(?:n't| not) work|doesn't)"
    r"|still (?:fail|broken|not|doesn't|the same))",
    re.IGNORECASE,
)
# Where a command stands, and the programs that run tests.
_CHECK = re.compile(
    r"(?:^|[;&|(\n]|\s(?:run|exec|-m|-l?c)|\b(?:npx|sudo|time|\w+=\S*|timeout \d+))\s*['\"]?(?:\S+/)?"
    r"(?:pytest|(?:python3? -m )?unittest|tox|nox|(?:npm|pnpm|yarn|bun)(?: run)? test|vitest|jest|go test"
    r"|cargo(?: nextest)? (?:test|run)|mvn\b.* (?:test|verify)|gradlew?\b.* (?:test|check)|ctest"
    r"|make (?:test|check)|rspec|phpunit|dotnet test|bats)(?![\w./-])"
)
_COMMAND_NAMES = ("command", "cmd", "script", "code", "input")
_START = 400  # characters of a message in which a correction stands

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
        words = next((marks for marks in reversed(self._seen) if marks & _ASKED), 0)
        if words & _CORRECTED:
            return "failed", "user"
        check = next((marks for marks in reversed(self._seen) if marks & (_PASSED | _BROKE)), 0)
        if check:
            return ("solved" if check & _PASSED else "failed"), "check"
        return ("failed", "end") if ending.state == "failed" else ("unknown", "")

    def _marks(self, step: Step) -> int:
        if step.source == "user":
            is_first = not any(marks & _ASKED for marks in self._seen)
            text = step.message if isinstance(step.message, str) else ""
            return _ASKED | (0 if is_first or not is_correction(text) else _CORRECTED)
        marks = _FAILED if any(map(has_failed, step.results)) else 0
        checks = [call.tool_call_id for call in step.tool_calls if is_check(call)]
        for result in step.results:
            if result.source_call_id in checks and result.exit_code is not None:
                marks |= _BROKE if result.exit_code else _PASSED
        return marks & ~_PASSED if marks & _BROKE else marks


def has_failed(result: Result) -> bool:
    return bool(result.exit_code) or result.extra.get("failed") is True


def is_correction(text: str) -> bool:
    """Whether the user takes back or refuses what was done."""
    return _CORRECTION.match(text[:_START]) is not None


def is_check(call: ToolCall) -> bool:
    """Whether a call runs a project's tests."""
    for name in _COMMAND_NAMES:
        value = call.arguments.get(name)
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(text, str) and _CHECK.search(text[:2000]):
            return True
    return False
