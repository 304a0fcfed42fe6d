"""How the files beside SKILL.md reach a student."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

from sharpen.agents.chat import ChatStudent
from sharpen.agents.skill_files import clear_files, lay_out_files, with_places, with_references
from sharpen.agents.tools.student import TASK as INSTRUCTION
from sharpen.agents.tools.student import ToolStudent
from sharpen.skills import Skill
from sharpen.tasks.scorers import Command, Exact
from sharpen.types import Task

from .test_tools import SKILL, TASK, Scripted, calling, done, in_turn, observations

FILES = {
    "references/b.md": b"Feet are no units.\n",
    "references/a.md": b"# Units\n\nmetres\n",
    "references/data.csv": b"1,2\n",
    "references/odd.md": b"\xff",
    "scripts/greet.sh": b"#!/bin/sh\nprintf moin\n",
}
PACKAGE = dataclasses.replace(SKILL, files=FILES)


def test_a_skill_without_files_is_given_byte_for_byte() -> None:
    for text in ("# S\n", "no newline", "# S\n\n\n", "\ufeff# S\r\n"):
        assert with_references(Skill(text)) == text
        assert with_places(Skill(text)) == text
    only_scripts = Skill("# S", {"scripts/x.py": b"1"})
    assert with_references(only_scripts) == "# S"


def test_a_chat_reads_the_references_and_no_script() -> None:
    student = ChatStudent(Scripted(in_turn(done())), Exact())
    system = student.request(Task("t", "?"), PACKAGE).system
    assert system == (
        "# Work\n- Say moin.\n\n## references/a.md\n\n# Units\n\nmetres\n\n"
        "## references/b.md\n\nFeet are no units.\n"
    )
    assert student.request(Task("t", "?"), SKILL).system == SKILL.text


def test_a_tool_loop_runs_the_skills_script_in_its_sandbox() -> None:
    script = in_turn(
        calling("bash", command=".skill/scripts/greet.sh > out.txt; cat .skill/references/b.md; ls"),
        done(),
    )
    model = Scripted(script)
    check = {**TASK.data, "check": 'test "$(cat out.txt)" = moin && test ! -e .skill'}
    task = Task("t1", TASK.prompt, check)
    rollout = asyncio.run(ToolStudent(model, Command()).attempt(task, PACKAGE, trial=1))
    assert rollout.outcome == "solved", rollout
    assert observations(model) == ["Feet are no units.\nin\nout.txt"]
    assert "- .skill/scripts/greet.sh\n" in model.requests[0].system


def test_a_tool_loop_without_files_is_asked_as_ever() -> None:
    model = Scripted(in_turn(done()))
    asyncio.run(ToolStudent(model, Exact()).attempt(Task("t", "?", {"answer": "done"}), SKILL, trial=1))
    assert model.requests[0].system == f"{INSTRUCTION}\n\n{SKILL.text}"


def test_laying_out_and_clearing(tmp_path: Path) -> None:
    lay_out_files(PACKAGE, tmp_path)
    assert (tmp_path / ".skill/references/odd.md").read_bytes() == b"\xff"
    assert (tmp_path / ".skill/scripts/greet.sh").stat().st_mode & 0o111
    assert not (tmp_path / ".skill/references/b.md").stat().st_mode & 0o111
    clear_files(SKILL, tmp_path)
    assert (tmp_path / ".skill").is_dir()
    clear_files(PACKAGE, tmp_path)
    assert not (tmp_path / ".skill").exists()
