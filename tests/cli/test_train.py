"""`sharpen train`: one's own tasks and agents, resuming, and everything that can be wrong with them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from sharpen.store import SqliteStore

from .conftest import Process, Program

OWN = ("train", "skill.md", "-t", "tasks.jsonl", "-s", "agents:Student", "--teacher", "agents:Teacher")


def test_own_tasks_and_agents(agents: Path, process: Process) -> None:
    done = process(*OWN, "--budget", 200, "--run", "run")
    assert done.returncode == 0, done.stderr
    assert "a better skill: 2 lines new" in done.stdout
    assert "- Say please." in (agents / "run" / "best_skill.md").read_text()


def test_json_is_the_result(agents: Path, process: Process) -> None:
    done = process(*OWN, "--budget", 200, "--json", "--quiet")
    result = json.loads(done.stdout)
    assert result["accepted"] is True
    assert result["rollouts"] <= 200
    assert Path(agents, result["run"], "run.db").is_file()
    assert done.stderr == ""


def test_the_same_command_finds_the_same_folder_and_another_budget_its_own(
    agents: Path, program: Program
) -> None:
    def folder(budget: int) -> str:
        result = program("train", "--simulated", "binary", "--budget", budget, "--json", "-q")
        return str(json.loads(result.stdout)["run"])

    assert folder(700) == folder(700) != folder(701)


def test_a_dry_run_calls_nobody(program: Program, here: Path) -> None:
    result = program("train", "--simulated", "slip.1", "--dry-run")
    assert result.exit_code == 0
    assert "smallest gain" in result.stdout
    assert not (here / "runs").exists()


def test_steps_are_told_one_line_each(program: Program) -> None:
    lines = program("train", "--simulated", "binary", "--run", "run").stderr.splitlines()
    head = lines.index("step  spent   left  what")
    with_numbers = [line.split() for line in lines[head + 1 :]]
    assert [int(words[0]) for words in with_numbers] == list(range(1, len(with_numbers) + 1))
    assert all(int(words[1]) + int(words[2]) == 2400 for words in with_numbers)
    assert {words[3] for words in with_numbers} >= {"start", "adopt", "gate", "stop", "final", "test"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_and_going_on(number: signal.Signals, agents: Path, process: Process) -> None:
    whole = process(*OWN, "--budget", 200, "--run", "whole", "--json", "-q")
    slow = {**os.environ, "SLOW": "0.02"}
    command = [sys.executable, "-m", "sharpen", *OWN, "--budget", "200", "--run", "parts", "--json"]
    started = subprocess.Popen(
        command, cwd=agents, env=slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stderr is not None
    while "adopt" not in started.stderr.readline():
        assert started.poll() is None
    time.sleep(0.05)
    started.send_signal(number)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "run the same command again" in err
    assert "Traceback" not in err
    assert out == ""
    rest = process(*OWN, "--budget", 200, "--run", "parts", "--json", "-q")
    assert _without_folder(rest.stdout) == _without_folder(whole.stdout)


def _without_folder(text: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(text)
    del result["run"]
    return result


def test_another_configuration_is_refused_and_named(program: Program) -> None:
    assert program("train", "--simulated", "binary", "--budget", 700, "--run", "run").exit_code == 0
    result = program("train", "--simulated", "binary", "--budget", 700, "--run", "run", "--gate", "strict")
    assert result.exit_code == 2
    assert "gate was 'race', is 'strict'" in result.stderr


def test_a_held_folder_is_refused_and_its_holder_named(program: Program, here: Path) -> None:
    holder = SqliteStore.open(here / "run")
    try:
        result = program("train", "--simulated", "binary", "--run", "run")
    finally:
        holder.close()
    assert result.exit_code == 2
    assert f"process {os.getpid()}" in result.stderr


def test_without_a_limit_one_is_set_and_said(agents: Path, program: Program) -> None:
    result = program(*OWN, "--run", "run")
    assert result.exit_code == 0, result.stderr
    assert "no limit was set: at most 280 rollouts; --budget says else" in result.stderr
    assert "smallest gain that this can prove: +" in result.stderr


def test_a_budget_too_small_says_how_much_is_needed(program: Program) -> None:
    result = program("train", "--simulated", "slip.1", "--budget", 50)
    assert result.exit_code == 4
    assert "444" in result.stderr


def test_a_file_in_the_way_of_the_run_folder(program: Program, here: Path) -> None:
    (here / "run").write_text("")
    result = program("train", "--simulated", "binary", "--run", "run")
    assert result.exit_code == 2
    assert "a file stands where a folder is needed" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that nobody can write to, root included")
def test_a_folder_that_cannot_be_written(program: Program) -> None:
    result = program("train", "--simulated", "binary", "--run", "/proc/sharpen")
    assert result.exit_code == 1
    assert "/proc/sharpen" in result.stderr


def test_a_student_that_only_raises_ends_with_code_3(agents: Path, process: Process) -> None:
    done = process(*OWN, "--budget", 200, "--run", "run", BROKEN="1")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    again = process(*OWN, "--budget", 200, "--run", "other")
    assert again.returncode == 0


MISTAKES = {
    "no skill": (["train", "--budget", "9"], "name a skill"),
    "missing skill": (["train", "nowhere.md", *OWN[2:], "--budget", "99"], "does not exist"),
    "no tasks": (["train", "skill.md", "--budget", "9"], "--tasks and --student and --teacher missing"),
    "missing tasks": (["train", "skill.md", "-t", "nowhere.jsonl", *OWN[4:], "-b", "99"], "nowhere.jsonl"),
    "no such module": ([*OWN[:4], "-s", "agint:Student", *OWN[6:], "-b", "99"], "no module 'agint'"),
    "no such object": ([*OWN[:4], "-s", "agents:Studnet", *OWN[6:], "-b", "99"], "did you mean 'Student'"),
    "no colon": ([*OWN[:4], "-s", "agents", *OWN[6:], "-b", "99"], "MODULE:OBJECT"),
    "no attempt": ([*OWN[:4], "-s", "agents:Teacher", *OWN[6:], "-b", "99"], "async attempt"),
    "negative budget": ([*OWN, "-b", "-5"], "positive"),
    "world and tasks": ([*OWN, "--simulated", "binary"], "--simulated brings its own tasks"),
    "no such gate": ([*OWN, "-b", "99", "--gate", "open"], "no_regression"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_ends_with_code_2_and_a_reason(agents: Path, program: Program, mistake: str) -> None:
    sys.modules.pop("agents", None)
    args, reason = MISTAKES[mistake]
    result: Result = program(*args)
    assert result.exit_code == 2, result.stderr
    assert reason in result.stderr
    assert result.stdout == ""
    assert not (agents / "runs").exists()


def test_a_bad_line_of_the_tasks_file_is_named(agents: Path, program: Program) -> None:
    with (agents / "tasks.jsonl").open("a") as file:
        file.write('{"id": "x", "promt": "?", "split": "test"}\n')
    result = program(*OWN, "-b", 200)
    assert result.exit_code == 2
    assert "tasks.jsonl, line 29: unknown field 'promt'; did you mean 'prompt'?" in result.stderr


def test_overlapping_splits_are_refused(agents: Path, program: Program) -> None:
    with (agents / "tasks.jsonl").open("a") as file:
        file.write('{"id": "train-0", "split": "test"}\n')
    result = program(*OWN, "-b", 200)
    assert result.exit_code == 2
    assert "line 29" in result.stderr
    assert "line 1;" in result.stderr
