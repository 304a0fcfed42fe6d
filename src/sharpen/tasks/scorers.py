"""The scorers that tasks in files can ask for by name.

    exact@1      the answer is `data.answer`, white space at both ends aside
    contains@1   the answer holds `data.answer` as words of their own, in any case
    json@1       the answer is JSON and equals `data.answer`; soft: the share of its fields that are right
    command@1    `data.check`, a shell command, succeeds in the work folder, inside the sandbox

What they tell the teacher never holds the right answer itself.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from sharpen.errors import SettingsError, TaskError
from sharpen.sandbox import Finished, Isolation, Limits, open_sandbox
from sharpen.tasks.scoring import Answer, Scorer
from sharpen.types import Score, Task

SHOWN = 2000
"""Characters of a check's output that are quoted: its end, where errors are."""


def _wanted(task: Task, key: str) -> object:
    try:
        return task.data[key]
    except KeyError:
        raise TaskError(f"task {task.id!r} has no data.{key}, which its scorer needs") from None


@dataclass(frozen=True)
class Exact:
    """Character by character."""

    name: str = "exact@1"

    def score(self, task: Task, answer: Answer) -> Score:
        right, text = str(_wanted(task, "answer")).strip(), answer.text.strip()
        if text == right:
            return Score(1, 1)
        if not text:
            return Score(0, 0, "the answer is empty")
        if right and right in text:
            return Score(0, 0.5, "the right answer is there, with other text around it")
        return Score(0, 0, "the answer is wrong")


@dataclass(frozen=True)
class Contains:
    """Somewhere in the answer, as words of their own."""

    name: str = "contains@1"

    def score(self, task: Task, answer: Answer) -> Score:
        right = str(_wanted(task, "answer")).strip()
        found = re.search(rf"(?<!\w){re.escape(right)}(?!\w)", answer.text, re.IGNORECASE)
        return Score(1, 1) if found else Score(0, 0, "the answer does not hold what was asked for")


@dataclass(frozen=True)
class JsonEqual:
    """One JSON value, bare or in a fence, equal to the right one."""

    name: str = "json@1"

    def score(self, task: Task, answer: Answer) -> Score:
        right = _wanted(task, "answer")
        fenced = re.fullmatch(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", answer.text, re.DOTALL)
        try:
            found = json.loads(fenced[1] if fenced else answer.text)
        except ValueError as error:
            return Score(0, 0, f"the answer is not JSON: {error}")
        if found == right:
            return Score(1, 1)
        if not isinstance(right, dict) or not isinstance(found, dict):
            return Score(0, 0, f"the answer is another {type(found).__name__} than was asked for")
        wrong = sorted(str(key) for key in right.keys() | found.keys() if right.get(key) != found.get(key))
        soft = 1 - len(wrong) / len(right.keys() | found.keys())
        return Score(0, soft, f"wrong or superfluous fields: {', '.join(wrong)}")


@dataclass(frozen=True)
class Command:
    """A check that runs: exit code 0 is solved. Whatever the agent left there runs only in the sandbox."""

    name: str = "command@1"
    isolation: Isolation | None = None
    limits: Limits = field(default_factory=Limits)

    def score(self, task: Task, answer: Answer) -> Score:
        check = str(_wanted(task, "check"))
        with tempfile.TemporaryDirectory(prefix="sharpen-") as spare:
            finished = asyncio.run(self._run(check, answer.folder or Path(spare), answer.text))
        if finished.exit_code == 0:
            return Score(1, 1)
        said = (finished.stdout + finished.stderr).decode("utf-8", "replace").strip()[-SHOWN:]
        ended = f"was stopped by its {finished.stopped_by} limit" if finished.stopped_by else "failed"
        return Score(0, 0, f"the check {ended}\n{said}".strip())

    async def _run(self, check: str, folder: Path, text: str) -> Finished:
        """The answer's text is the check's standard input."""
        sandbox = open_sandbox(self.isolation, limits=self.limits, missing_limits_ok=True)
        try:
            return await sandbox.run(["bash", "-c", check], folder=folder, stdin=text.encode())
        finally:
            sandbox.close()


SCORERS: dict[str, Scorer] = {one.name: one for one in (Exact(), Contains(), JsonEqual(), Command())}


def scorer_named(name: str) -> Scorer:
    """The scorer of that name; the version may be left out while there is one only."""
    for known, scorer in SCORERS.items():
        if name in (known, known.partition("@")[0]):
            return scorer
    near = get_close_matches(name, [*SCORERS, *(known.partition("@")[0] for known in SCORERS)], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(SCORERS)}"
    raise SettingsError(f"no scorer is called {name!r}{hint}")
