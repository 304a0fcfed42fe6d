"""Students that ship, named on the command line: served models, mistakes in names, a dead server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faults import FaultServer, Seen, always, ok, status

from .conftest import Process, Program

TEACHER = """
import sharpen

class Teacher:
    fingerprint = "says it"

    async def propose(self, skill, evidence, *, limit, memory, trial):
        return [sharpen.Edit.append("- Answer in capitals.")]
"""


@pytest.fixture
def shouting(here: Path) -> Path:
    """Tasks whose answers must be in capitals, a skill that does not say so, and a teacher that does."""
    rows = [{"id": f"t{n}", "prompt": f"word{n}", "data": {"answer": f"WORD{n}"}} for n in range(60)]
    (here / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (here / "skill.md").write_text("# Words\n")
    (here / "says.py").write_text(TEACHER)
    return here


def parrot(seen: Seen) -> str:
    system, asked = (str(message["content"]) for message in seen.body["messages"])
    return asked.upper() if "capitals" in system else asked


def asked(server: FaultServer, *more: str) -> tuple[str, ...]:
    where = ("--student", "openai:parrot", "--student-option", f"base_url={server.v1}")
    return ("train", "skill.md", "-t", "tasks.jsonl", *where, "--teacher", "says:Teacher", "-b", "400", *more)


def test_a_served_model_is_trained_and_its_spend_is_shown(shouting: Path, process: Process) -> None:
    with FaultServer(reply=parrot) as server:
        done = process(*asked(server, "--run", "run"))
    assert done.returncode == 0, done.stderr
    assert "- Answer in capitals." in (shouting / "run" / "best_skill.md").read_text()
    assert "tokens" in done.stdout
    shown = process("show", "run")
    assert "openai:parrot" in shown.stdout
    assert "unknown" in shown.stdout, "no price is known for this model"


def test_a_server_that_stays_down_ends_with_3_and_the_same_command_goes_on(
    shouting: Path, process: Process
) -> None:
    slow = ("--student-option", "first_wait=0.001")
    with FaultServer(always(status(503)), reply=parrot) as server:
        down = process(*asked(server, "--run", "run", *slow))
        assert down.returncode == 3, down.stderr
        assert "run the same command again" in down.stderr
        assert "Traceback" not in down.stderr
        server.plan = always(ok())
        again = process(*asked(server, "--run", "run", *slow))
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("student", "words"),
    [
        ("opnai:gpt", "did you mean openai"),
        ("openai:", "names no model"),
        ("codx:gpt", "did you mean codex"),
        ("claud", "did you mean claude:MODEL"),
        ("claude", "write claude:MODEL"),
        ("tools:opnai:gpt", "did you mean openai"),
        ("local:smolm2", "did you mean 'smollm2'"),
        ("openai:gpt", "OPENAI_API_KEY"),
        ("local:skill.md", "not a GGUF file"),
    ],
)
def test_a_student_that_is_not_there_is_named(
    student: str, words: str, shouting: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = program("eval", "skill.md", "-t", "tasks.jsonl", "-s", student)
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("max_token=3", "did you mean 'max_tokens'"),
        ("max_tokens", "must be KEY=VALUE"),
        ("max_tokens=0", "at least 1"),
        ("temperature=9", "0..2"),
    ],
)
def test_a_wrong_option_is_named(option: str, words: str, shouting: Path, program: Program) -> None:
    student = ("-s", "openai:gpt", "--student-option", "base_url=http://127.0.0.1:1/v1")
    result = program("eval", "skill.md", "-t", "tasks.jsonl", *student, "--student-option", option)
    assert result.exit_code == 2
    assert words in result.stderr


def test_an_unknown_scorer_is_answered_with_the_nearest(shouting: Path, program: Program) -> None:
    result = program("eval", "skill.md", "-t", "tasks.jsonl", "-s", "simulated:echo", "--scorer", "exat")
    assert result.exit_code == 2
    assert "did you mean 'exact'" in result.stderr


def test_the_models_of_this_machine_are_listed(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPEN_CACHE", str(Path.cwd() / "cache"))
    listed = program("models")
    assert "local:smollm2" in listed.stdout
    assert "Apache-2.0" in listed.stdout
    assert "sharpen models pull smollm2" in listed.stdout
    wrong = program("models", "pull", "smolm2")
    assert wrong.exit_code == 2
    assert "smollm2" in wrong.stderr


def test_doctor_says_what_agents_can_be_run_with(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-of-the-doctor-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    found = program("doctor")
    assert found.exit_code == 0
    assert "sandbox bubblewrap" in found.stdout
    assert "OPENAI_API_KEY and OPENAI_BASE_URL set; 127.0.0.1:1/v1 does not answer" in found.stdout
    assert "canary" not in found.stdout
    assert "npm install -g @openai/codex" in found.stdout or "codex" in found.stdout
