"""A newcomer's own tasks: one line trains, every check judges, two skills are compared, one is exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopback import Exercise, Say, School
from loopback.school import rule
from sharpen.clients import CLIENTS
from sharpen.skills import Skill

from .conftest import Program, Serve

ACTORS = ("--student", "compatible:student", "--teacher", "compatible:teacher")
SKILL = "# Numbers\n\nWrite numbers as words.\n"
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.fixture
def ten(here: Path, serve: Serve) -> School:
    """Ten tasks, a skill that lacks their rule, and a school that knows them."""
    rows = [{"id": f"n{n}", "prompt": f"Spell {n}.", "answer": word} for n, word in enumerate(WORDS)]
    (here / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (here / "SKILL.md").write_text(SKILL)
    (here / "good.md").write_text(SKILL + rule("k") + "\n")
    school = School.of(Exercise(f"n{n}", f"Spell {n}.", "k", (Say(word),)) for n, word in enumerate(WORDS))
    serve(school)
    return school


def test_one_line_trains(ten: School, here: Path, program: Program) -> None:
    done = program("train", "SKILL.md", "--tasks", "tasks.jsonl", *ACTORS)
    assert done.exit_code == 0, done.stderr
    assert "4 train, 2 selection, 4 test tasks; run folder runs/" in done.stderr
    assert "no limit was set: at most 200 rollouts" in done.stderr
    assert "smallest gain that this can prove: +" in done.stderr
    assert "a better skill: 1 lines new" in done.stdout
    (best,) = here.glob("runs/*/best_skill.md")
    assert rule("k") in best.read_text()
    exported = program(
        "export",
        best.parent,
        "--to",
        "skills",
        "--name",
        "numbers",
        "--description",
        "Spells. Use for numbers.",
    )
    assert exported.exit_code == 0, exported.stderr
    loaded = Skill.read(here / "skills" / "numbers")
    assert (loaded.name, rule("k") in loaded.text) == ("numbers", True)
    assert program("lint", "skills/numbers").exit_code == 0


def test_an_exported_skill_lies_where_a_client_looks(ten: School, here: Path, program: Program) -> None:
    words = ("--name", "numbers", "--description", "Spells numbers. Use when asked to spell.")
    for client in CLIENTS.values():
        home = here / client.skills.project[0]
        assert program("export", "good.md", "--to", home, *words, "--force").exit_code == 0
        assert Skill.read(home / "numbers" / "SKILL.md").name == "numbers"


# -- comparing ---------------------------------------------------------------------------------------------

TESTS = ("-t", "tasks.jsonl", "-s", "compatible:student", "--split", "test", "-p", "2")


def test_any_two_are_compared(ten: School, here: Path, program: Program) -> None:
    rows = [
        {"id": f"n{n}", "prompt": f"Spell {n}.", "answer": word, "split": "test"}
        for n, word in enumerate(WORDS)
    ]
    more = [
        {**row, "id": f"{split}-{row['id']}", "split": split}
        for row in rows
        for split in ("train", "selection")
    ]
    (here / "tasks.jsonl").write_text("\n".join(map(json.dumps, [*rows, *more])))
    better = program("eval", "good.md", "none", *TESTS)
    assert better.exit_code == 0, better.stderr
    for words in (
        "better: mean difference +1.000",
        "10 won, 0 tied, 0 lost",
        "won         n0, n1",
        "tokens",
        "(no skill)",
    ):
        assert words in better.stdout
    worse = program("eval", "none", "good.md", *TESTS, "--json")
    told = json.loads(worse.stdout)
    assert (worse.exit_code, told["word"], told["spent"]["rollouts"]) == (12, "worse", 40)
    assert set(told["differences"].values()) == {-1.0}
    assert program("eval", "SKILL.md", "none", *TESTS).exit_code == 10
    few = ("eval", "good.md", "SKILL.md", *TESTS[:-4], "--split", "test", "-c", "few.yaml")
    (here / "few.yaml").write_text("env:\n  limit: 3\n")
    undecided = program(*few)
    assert undecided.exit_code == 11, undecided.stderr
    assert "not enough data: mean difference +1.000 could be luck" in undecided.stdout


# -- checks ------------------------------------------------------------------------------------------------

SCHEMA = {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}
CHECKS: dict[str, tuple[Any, str]] = {
    "exact": ({"answer": "Yes"}, "Yes"),
    "contains": ({"check": {"contains": "tree"}}, "an old tree"),
    "regex": ({"check": "regex:^[A-Z]{3}$"}, "ABC"),
    "number": ({"check": {"number": 3.14, "tolerance": 0.01}}, "about 3.145"),
    "f1": ({"answer": "the red fox", "check": {"f1": True, "threshold": 0.5}}, "a red fox runs"),
    "schema": ({"check": {"schema": SCHEMA}}, '{"age": 3}'),
    "python": ({"check": "python:own_checks:is_polite"}, "please"),
    "command": ({"check": {"command": "grep -q done"}}, "all done"),
    "rubric": ({"check": {"rubric": ["is warm", "is short"]}}, "hello, dear"),
}


@pytest.fixture
def checked(here: Path, serve: Serve) -> School:
    """One task for each kind of check."""
    rows = [{"id": kind, "prompt": f"Do {kind}.", **row} for kind, (row, _) in CHECKS.items()]
    (here / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (here / "own_checks.py").write_text("def is_polite(answer, task):\n    return 'please' in answer\n")
    (here / "bad.md").write_text(SKILL)
    (here / "good.md").write_text(SKILL + rule("k") + "\n")
    exercises = (Exercise(kind, f"Do {kind}.", "k", (Say(right),)) for kind, (_, right) in CHECKS.items())
    school = School.of(exercises)
    serve(school)
    return school


def test_every_check_judges(checked: School, here: Path, program: Program) -> None:
    solved: dict[str, float] = {}
    for split in ("train", "selection", "test"):
        words = (
            "-t",
            "tasks.jsonl",
            "-s",
            "compatible:student",
            "--judge",
            "compatible:judge",
            "--split",
            split,
        )
        told = json.loads(program("eval", "good.md", "bad.md", *words, "--json", "-q").stdout)
        solved |= told["differences"]
        if "rubric" in told["differences"]:
            assert told["judge"]["agreement"]["share"] == 1
            assert "repeated its own verdict 100% of the time" in program("eval", "good.md", *words).stdout
        else:
            assert "judge" not in told
    assert solved == dict.fromkeys(CHECKS, 1.0)


def test_a_rubric_without_a_judge_is_refused(checked: School, here: Path, program: Program) -> None:
    refused = program("train", "good.md", "-t", "tasks.jsonl", *ACTORS)
    assert refused.exit_code == 2
    assert "'rubric' is judged by a rubric, which needs a model" in refused.stderr
    assert "--judge openai:gpt-5-mini" in refused.stderr


@pytest.mark.parametrize("dialect", ["expectations", "assertions"])
def test_evaluations_that_a_skill_brings_along(
    dialect: str, here: Path, program: Program, serve: Serve
) -> None:
    folder = here / "greeter"
    (folder / "evals").mkdir(parents=True)
    head = "---\nname: greeter\ndescription: Greets. Use for greetings.\n---\n"
    (folder / "SKILL.md").write_text(f"{head}\n# Greeter\n")
    criteria: Any = ["is warm"] if dialect == "expectations" else [{"text": "is warm"}]
    evals = [
        {"id": n, "prompt": f"Greet guest {n}.", "expected_output": "a greeting", dialect: criteria}
        for n in range(9)
    ]
    (folder / "evals" / "evals.json").write_text(json.dumps({"skill_name": "greeter", "evals": evals}))
    serve(School.of(Exercise(str(n), f"Greet guest {n}.", "k", (Say("hello!"),)) for n in range(9)))
    done = program(
        "train", "greeter", "-t", "greeter", *ACTORS, "--judge", "compatible:judge", "--run", "run"
    )
    assert done.exit_code == 0, done.stderr
    assert rule("k") in (here / "run" / "best_skill.md").read_text()
    assert "the judge repeated its own verdict 100% of the time" in done.stdout


def test_an_adapter_of_skillopt_brings_its_tasks(here: Path, program: Program) -> None:
    (here / "manners.md").write_text("# Manners\n")
    student = ("--student", "skillopt:agents.adapters:PoliteAdapter", "--student-option", "limit=8")
    (here / "polite.py").write_text(
        "import sharpen\n\n\nclass Teacher:\n    fingerprint = 'polite'\n\n"
        "    async def propose(self, skill, evidence, *, limit, memory, trial):\n"
        "        said = [one.score.feedback.removeprefix('missing: ') for one in evidence if one.score]\n"
        "        return [sharpen.Edit.append(f'- {rule}') for rule in said]\n"
    )
    done = program("train", "manners.md", *student, "--teacher", "polite:Teacher", "--run", "run")
    assert done.exit_code == 0, done.stderr
    assert "8 train, 8 selection, 8 test tasks" in done.stderr
    assert "Say please." in (here / "run" / "best_skill.md").read_text()
    (here / "own.yaml").write_text("train:\n  batch_size: 4\n  num_epochs: 2\nenv:\n  name: manners\n")
    words = ("--teacher", "polite:Teacher", "--run", "configured", "-c", "own.yaml")
    configured = program("train", "manners.md", *student, *words)
    assert configured.exit_code == 0, configured.stderr
    assert "Say thanks." in (here / "configured" / "best_skill.md").read_text()
