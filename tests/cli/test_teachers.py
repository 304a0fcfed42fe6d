"""Teachers that ship, named on the command line: a served model that teaches, and mistakes in names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faults import FaultServer, Seen

from .conftest import Process, Program

EDITS = {
    "reasoning": "lower case",
    "failure_summary": [],
    "edits": [
        {"op": "append", "target": "", "content": "- Answer in capitals.", "file": "", "attempts": [1]}
    ],
}


@pytest.fixture
def shouting(here: Path) -> Path:
    """Tasks whose answers must be in capitals, and a skill that does not say so."""
    rows = [{"id": f"t{n}", "prompt": f"word{n}", "data": {"answer": f"WORD{n}"}} for n in range(60)]
    (here / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (here / "skill.md").write_text("# Words\n")
    return here


def both(seen: Seen) -> str:
    """Student and teacher on one server, told apart by the model's name."""
    system, asked = (str(message["content"]) for message in seen.body["messages"][-2:])
    if seen.body["model"] == "wise":
        return json.dumps(EDITS)
    return asked.upper() if "capitals" in system else asked


def asked(teacher: str, url: str, *more: str) -> tuple[str, ...]:
    student = ("--student", "openai:parrot", "--student-option", f"base_url={url}")
    return ("train", "skill.md", "-t", "tasks.jsonl", *student, "--teacher", teacher, "-b", "400", *more)


def test_a_served_model_teaches_another(shouting: Path, process: Process) -> None:
    with FaultServer(reply=both) as server:
        where = ("--teacher-option", f"base_url={server.v1}", "--teacher-option", "rounds=2")
        done = process(*asked("compatible:wise", server.v1, *where, "--run", "run"))
        assert done.returncode == 0, done.stderr
        posts = server.posts
        again = process(*asked("compatible:wise", server.v1, *where, "--run", "run"))
        assert again.returncode == 0, again.stderr
        assert server.posts == posts, "a finished run asks nobody"
    assert "- Answer in capitals." in (shouting / "run" / "best_skill.md").read_text()


@pytest.mark.parametrize(
    ("teacher", "options", "words"),
    [
        ("opnai:gpt-5", [], "did you mean openai"),
        ("phrasebok", [], "MODULE:OBJECT"),
        ("phrasebok:x", [], "did you mean phrasebook"),
        ("simulated:echo", ["round=2"], "did you mean 'rounds'"),
        ("simulated:echo", ["rounds"], "must be KEY=VALUE"),
        ("phrasebook", ["rounds=2"], "no options"),
        ("mine:Teacher", ["rounds=2"], "--teacher-option is for teachers that ship"),
    ],
)
def test_a_teacher_that_is_not_there_is_named(
    teacher: str, options: list[str], words: str, shouting: Path, program: Program
) -> None:
    typed = [part for option in options for part in ("--teacher-option", option)]
    result = program(*asked(teacher, "http://127.0.0.1:1/v1", *typed))
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
