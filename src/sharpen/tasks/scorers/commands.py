"""A check that runs: a shell command in the work folder, inside the sandbox.

Exit code 0 is solved. A check may instead write its reward, a number from 0 to 1 or JSON with a field
`reward`, into a file; then that is the score. Whatever the agent left there runs only in the sandbox.
"""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sharpen.errors import TaskError
from sharpen.sandbox import Finished, Isolation, Limits, open_sandbox
from sharpen.tasks.scorers.answers import wanted
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

SHOWN = 2000
"""Characters of a check's output that are quoted: its end, where errors are."""


@dataclass(frozen=True)
class Command:
    """`data.check` is the command, the answer's text its standard input; `reward` names the file, if any."""

    name: str = "command@1"
    isolation: Isolation | None = None
    limits: Limits = field(default_factory=Limits)
    reward: str | None = None

    def score(self, task: Task, answer: Answer) -> Score:
        check = wanted(task, "check")
        if not isinstance(check, str):
            raise TaskError(f"task {task.id!r}: its check is no shell command; use the scorer `checks`")
        with tempfile.TemporaryDirectory(prefix="sharpen-") as spare:
            folder = answer.folder or Path(spare)
            finished = asyncio.run(self._run(check, folder, answer.text))
            if self.reward is not None:
                return _rewarded(task, folder, self.reward, finished)
        return Score(1, 1) if finished.exit_code == 0 else Score(0, 0, _failure(finished))

    async def _run(self, check: str, folder: Path, text: str) -> Finished:
        sandbox = open_sandbox(self.isolation, limits=self.limits, missing_limits_ok=True)
        try:
            return await sandbox.run(["bash", "-c", check], folder=folder, stdin=text.encode())
        finally:
            sandbox.close()


def _rewarded(task: Task, folder: Path, name: str, finished: Finished) -> Score:
    path = folder / PurePosixPath(name)
    if path.is_symlink() or not path.is_file():  # a link could point at any file of ours
        return Score(0, 0, f"the check wrote no {name}\n{_failure(finished)}")
    reward = _number(path.read_text(encoding="utf-8", errors="replace"))
    if reward is None or not 0 <= reward <= 1:
        raise TaskError(f"task {task.id!r}: its check wrote a {name} that is no number from 0 to 1")
    return Score(float(reward == 1), reward, "" if reward == 1 else _output(finished))


def _number(text: str) -> float | None:
    try:
        found = json.loads(text)
        value = float(found["reward"] if isinstance(found, dict) else found)
    except (ValueError, TypeError, KeyError):
        return None
    return value if math.isfinite(value) else None


def _failure(finished: Finished) -> str:
    ended = f"was stopped by its {finished.stopped_by} limit" if finished.stopped_by else "failed"
    return f"the check {ended}\n{_output(finished)}".strip()


def _output(finished: Finished) -> str:
    return (finished.stdout + finished.stderr).decode("utf-8", "replace").strip()[-SHOWN:]
