"""Skills with files, trained: edits to files meet the gate, are kept, resumed and written like any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sharpen import Budget, Edit, Rollout, Skill, Task, TaskSet, TrainSettings, train
from sharpen.report import load_run
from sharpen.store import SqliteStore

PAGE = "references/units.md"
NEEDS = ("metres", "litres")


class Reader:
    """Solves a task when the page says what it needs; SKILL.md is not enough."""

    fingerprint = "reader"

    def __init__(self) -> None:
        self.calls = 0

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        self.calls += 1
        need = task.data["need"]
        return Rollout.scored(task, hard=float(need in skill.files.get(PAGE, b"").decode()), feedback=need)


class Librarian:
    """Writes what is missing into the page, and knocks at a door that stays shut."""

    fingerprint = "librarian"

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        needs = sorted({rollout.score.feedback for rollout in evidence if rollout.score})
        edits = [Edit.append(f"- {need}", file=PAGE) for need in needs]
        return [*edits, Edit.append("- x", file="../outside.md")][:limit]


def tasks() -> TaskSet:
    def split(name: str, size: int) -> list[Task]:
        return [Task(f"{name}-{n}", "?", {"need": NEEDS[n % 2]}) for n in range(size)]

    return TaskSet(train=split("train", 8), selection=split("selection", 16), test=split("test", 4))


@pytest.mark.parametrize("loop", ["draft", "batch"])
def test_a_file_is_trained_kept_and_written(tmp_path: Path, loop: str) -> None:
    start = Skill.from_text("# Units\n", files={"assets/logo.png": b"\xff"})
    student, folder = Reader(), tmp_path / "run"

    def go() -> object:
        settings = TrainSettings(seed=1, loop=loop)  # type: ignore[arg-type]
        return train(start, tasks(), student, Librarian(), Budget(rollouts=600), settings, folder)

    result = go()
    assert result.skill.text == start.text
    assert set(result.skill.files[PAGE].decode().split()) == {"-", *NEEDS}
    assert result.skill.files["assets/logo.png"] == b"\xff"
    assert result.test.mean == 1
    paid = student.calls
    again = go()  # a finished run returns its result without a call, files included
    assert student.calls == paid
    assert again.skill.digest == result.skill.digest
    assert again.skill.files == result.skill.files
    assert Skill.read(folder / "best_skill").digest == result.skill.digest
    lines = [line for line in load_run(folder).blame if line.file == PAGE]
    assert [line.text for line in lines] == result.skill.files[PAGE].decode().splitlines()
    assert all(line.origin.startswith("v") and line.effect for line in lines)
    with_store = SqliteStore.read(folder)
    assert all(version.skill.digest == version.digest for version in with_store.versions())
    with_store.close()
