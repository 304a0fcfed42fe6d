"""Judging patches: by a repository's own tests in the sandbox, or by SWE-bench's harness in its containers.

`LocalTests` needs no Docker: the base commit is unpacked, patch and tests are applied, and pytest runs in
the sandbox. That is right for repositories that need nothing installed; `Harness` is for all others, and gets
predictions in its own format.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sharpen.errors import SandboxError, TaskError
from sharpen.sandbox import Finished, Isolation, Limits, open_sandbox
from sharpen.tasks.extras import load, require
from sharpen.tasks.scorers.answers import wanted
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites.patches import (
    applied,
    archive_of,
    git,
    overlay,
    patch_in,
    patch_of,
    repository,
    restore,
    touched_by,
)
from sharpen.types import Score, Task

_RESULT = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED)\s+(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class LocalTests:
    """All tests that must pass do, FAIL_TO_PASS and PASS_TO_PASS; soft is their share."""

    folder: Path
    isolation: Isolation | None = None
    limits: Limits = field(default_factory=lambda: Limits(seconds=300.0, cpu_seconds=200))
    name: str = "swebench_local@1"

    def refuse_unready(self, tasks: Iterable[Task]) -> None:
        """Names the first task whose repository or commit is not there."""
        for task in tasks:
            where, commit = f"task {task.id!r}", str(wanted(task, "base_commit"))
            clone = repository(self.folder, str(wanted(task, "repo")), where)
            if git("cat-file", "-e", f"{commit}^{{commit}}", folder=clone).returncode:
                raise TaskError(f"{where}: {clone} has no commit {commit}; fetch it there with git")

    def score(self, task: Task, answer: Answer) -> Score:
        where = f"task {task.id!r}"
        clone = repository(self.folder, str(wanted(task, "repo")), where)
        with tempfile.TemporaryDirectory(prefix="sharpen-") as place:
            work = Path(place)
            with archive_of(clone, str(wanted(task, "base_commit")), where) as archive:
                archive.extractall(work, filter="data")
                tests = str(task.data.get("test_patch", ""))
                fault = _changed(work, answer, laid_out=task.data.get("files", {}))
                if fault:
                    return Score(0, 0, fault)
                restore(archive, work, touched_by(tests))
            if not applied(work, tests):
                raise TaskError(f"{where}: its test_patch does not apply to {wanted(task, 'base_commit')}")
            return self._judged(task, work)

    def _judged(self, task: Task, work: Path) -> Score:
        needed = [str(name) for key in ("FAIL_TO_PASS", "PASS_TO_PASS") for name in task.data.get(key, ())]
        if not needed:
            raise TaskError(f"task {task.id!r} names no test that must pass")
        finished = asyncio.run(self._run(work, sorted({name.partition("::")[0] for name in needed})))
        said = finished.stdout.decode("utf-8", "replace")
        passed = {name for outcome, name in _RESULT.findall(said) if outcome in ("PASSED", "XFAIL")}
        failing = [name for name in needed if name not in passed]
        soft = 1 - len(failing) / len(needed)
        told = f"tests that do not pass: {', '.join(failing[:5])}\n{said[-1500:]}" if failing else ""
        return Score(float(not failing), soft, told)

    async def _run(self, work: Path, files: Sequence[str]) -> Finished:
        library = Path(str(load("pytest", for_what="running a repository's tests").__file__)).parent.parent
        sandbox = open_sandbox(
            self.isolation, limits=self.limits, readable=(library,), missing_limits_ok=True
        )
        words = ["python3", "-m", "pytest", "-rA", "-q", "--no-header", "-p", "no:cacheprovider", *files]
        try:
            return await sandbox.run(words, folder=work, env={"PYTHONPATH": str(library)})
        finally:
            sandbox.close()


def _changed(work: Path, answer: Answer, *, laid_out: Iterable[str]) -> str:
    """The answer's change on the repository; says what is wrong with it, or nothing."""
    patch = patch_in(answer.text)
    if patch:
        return "" if applied(work, patch) else "the patch does not apply to the repository"
    if answer.folder is None:
        return "the answer holds no patch: give a unified diff"
    overlay(work, answer.folder, laid_out=laid_out)
    return ""


class Prediction(NamedTuple):
    """One line of the harness's input."""

    instance_id: str
    model_name_or_path: str
    model_patch: str


def write_predictions(path: Path, predictions: Iterable[Prediction]) -> None:
    """JSON lines, one per instance, as the harness reads them."""
    lines = (json.dumps(one._asdict(), ensure_ascii=False) for one in predictions)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@dataclass(frozen=True)
class Harness:
    """The benchmark's own evaluation, in its containers."""

    dataset: str
    split: str = "test"
    name: str = "swebench@1"

    @classmethod
    def ready(cls, dataset: str, split: str) -> Harness:
        """Refused when its package or Docker is not there."""
        require("swebench", for_what="the scorer swebench@1")
        if shutil.which("docker") is None:
            raise SandboxError(
                "the scorer swebench@1 needs Docker, which is not installed; or use swebench_local@1"
            )
        return cls(dataset, split)

    def score(self, task: Task, answer: Answer) -> Score:
        with tempfile.TemporaryDirectory(prefix="sharpen-") as place:
            work = Path(place)
            write_predictions(
                work / "predictions.jsonl", [Prediction(task.id, "sharpen", patch_of(task, answer))]
            )
            done = subprocess.run(
                harness_command(
                    self.dataset, self.split, work / "predictions.jsonl", run="one", ids=[task.id]
                ),
                cwd=work,
                capture_output=True,
                text=True,
                check=False,
            )
            report = work / "sharpen.one.json"
            if not report.is_file():
                raise SandboxError(f"SWE-bench's harness wrote no report: {done.stderr.strip()[-500:]}")
            solved = task.id in resolved_in(report)
        return Score(float(solved), float(solved), "" if solved else "the harness did not resolve it")


def harness_command(
    dataset: str, split: str, predictions: Path, *, run: str, ids: Sequence[str]
) -> list[str]:
    """The evaluation by SWE-bench itself; its report is MODEL.RUN.json in the current folder."""
    words = [sys.executable, "-m", "swebench.harness.run_evaluation", "--dataset_name", dataset]
    words += ["--split", split, "--predictions_path", str(predictions), "--run_id", run, "--max_workers", "1"]
    return [*words, "--instance_ids", *ids]


def resolved_in(report: Path) -> frozenset[str]:
    """The instances that a report of the harness calls resolved."""
    try:
        return frozenset(map(str, json.loads(report.read_text(encoding="utf-8"))["resolved_ids"]))
    except (ValueError, KeyError, TypeError) as error:
        raise TaskError(f"{report} is no report of SWE-bench's harness ({error})") from error
