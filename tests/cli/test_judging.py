"""`eval`, `check` and `estimate`: measuring, and saying beforehand what can be measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sharpen.cli.forecast import smallest_effect
from sharpen.stats import race_pairs

from .conftest import Process, Program

GOOD = "# Skill\n" + "".join(f"- R{k:02d}: follow rule R{k:02d}\n" for k in range(12))


def test_one_skill(program: Program) -> None:
    result = program("eval", "--simulated", "slip.1", "--json")
    measured = json.loads(result.stdout)
    assert result.exit_code == 0
    assert measured["simulated"] is True
    assert measured["spent"]["rollouts"] == 20
    assert len(measured["values"]) == 20


def test_a_better_skill_ends_with_0_a_worse_one_with_12_no_gain_with_10(program: Program, here: Path) -> None:
    (here / "good.md").write_text(GOOD)
    (here / "bad.md").write_text("# Skill\n")
    better = program("eval", "good.md", "bad.md", "--simulated", "slip.1")
    assert (better.exit_code, better.stdout.split()[1]) == (0, "better:")
    worse = program("eval", "bad.md", "good.md", "--simulated", "slip.1")
    assert (worse.exit_code, worse.stdout.split()[1]) == (12, "worse:")
    same = program("eval", "good.md", "good.md", "--simulated", "binary")
    assert (same.exit_code, same.stdout.split()[1:3]) == (10, ["not", "better:"])


def test_no_skill_is_a_side_like_any_other(program: Program, here: Path) -> None:
    (here / "good.md").write_text(GOOD)
    better = program("eval", "good.md", "none", "--simulated", "slip.1")
    assert better.exit_code == 0
    assert "(no skill)" in better.stdout
    assert "with minus without, paired" in better.stdout
    assert better.stdout == program("eval", "good.md", "--bare", "--simulated", "slip.1").stdout
    worse = program("eval", "none", "good.md", "--simulated", "slip.1", "--json")
    assert (worse.exit_code, json.loads(worse.stdout)["word"]) == (12, "worse")
    assert program("eval", "none", "--simulated", "slip.1").exit_code == 0


def test_a_gain_that_could_be_luck_ends_with_11(program: Program, here: Path) -> None:
    (here / "some.md").write_text("\n".join(GOOD.splitlines()[:4]) + "\n")  # three rules of twelve
    result = program("eval", "some.md", "--bare", "--simulated", "slip.1", "--json")
    verdict = json.loads(result.stdout)["verdict"]
    assert verdict["decision"] == "not enough data", verdict
    assert result.exit_code == 11
    assert "tasks would show" in verdict["reason"]


def test_a_run_stands_for_its_best_skill(program: Program, finished: Path) -> None:
    result = program("eval", finished, "--bare", "--simulated", "binary")
    assert result.exit_code == 0
    assert "1.000" in result.stdout


def test_looking_at_test_is_said(program: Program) -> None:
    assert "held out" in program("eval", "--simulated", "binary", "--split", "test").stderr


def test_the_cost_of_a_comparison(program: Program, here: Path) -> None:
    (here / "good.md").write_text(GOOD)
    result = program("eval", "good.md", "--bare", "--simulated", "slip.1", "-p", 3, "--dry-run")
    assert result.stdout.splitlines() == [
        "120 attempts: 2 × 20 selection tasks × 3 passes",
        "the smallest gain that would show: 6 tasks won and none lost of 20",
    ]


@pytest.mark.parametrize(
    ("limit", "code", "words"),
    [
        (("--tokens", 1), 4, "budget"),
        (("--usd", 0.01), 4, "budget"),
        (("--seconds", 100), 0, "better"),
    ],
)
def test_every_limit_of_a_budget_can_be_typed(
    limit: tuple[str, float], code: int, words: str, program: Program, here: Path
) -> None:
    (here / "good.md").write_text(GOOD)
    result = program("eval", "good.md", "--bare", "--simulated", "slip.1", *limit)
    assert (result.exit_code, words in result.stdout + result.stderr) == (code, True), result.stderr


def test_a_budget_that_does_not_reach(program: Program) -> None:
    result = program("eval", "--simulated", "slip.1", "--budget", 5)
    assert result.exit_code == 4
    assert "20 attempts were asked for" in result.stderr


def test_kept_attempts_are_not_made_again(agents: Path, process: Process) -> None:
    args = ("eval", "skill.md", "-t", "tasks.jsonl", "-s", "agents:Student", "--run", "kept")
    first = process(*args)
    again = process(*args, BROKEN="1")  # would measure nothing if it were called
    assert first.returncode == again.returncode == 0
    assert first.stdout == again.stdout


def test_a_training_run_is_no_place_for_evaluations(program: Program, finished: Path) -> None:
    result = program("eval", "--simulated", "binary", "--run", finished)
    assert result.exit_code == 2
    assert "folder of their own" in result.stderr


def test_a_student_that_measures_nothing(agents: Path, process: Process) -> None:
    done = process("eval", "skill.md", "-t", "tasks.jsonl", "-s", "agents:Student", BROKEN="1")
    assert done.returncode == 3
    assert "the model is not there" in done.stderr


def test_noise_of_a_noisy_world(program: Program) -> None:
    found = json.loads(program("check", "--noise", "--simulated", "slip.2", "-p", 10, "--json").stdout)
    assert found["flip_rate"] == pytest.approx(0.2, abs=0.06)
    assert found["unsteady_tasks"]
    assert found["gate_can_see"] > 0


def test_noise_of_a_quiet_world(program: Program) -> None:
    result = program("check", "--noise", "--simulated", "binary")
    assert result.exit_code == 0
    assert "0 of 20 tasks end differently" in result.stdout


def test_check_wants_to_know_which(program: Program) -> None:
    assert program("check", "--simulated", "binary").exit_code == 2


def test_estimate_from_sizes(program: Program) -> None:
    found = json.loads(program("estimate", "-b", 1000, "--test", 0, "--json").stdout)
    assert found["tasks"] == {"train": 40, "selection": 20, "test": 0}
    assert found["plan"]["test"] == 0
    effects = list(found["smallest_effect"].values())
    assert effects == sorted(effects)


def test_estimate_says_when_a_budget_is_too_small(program: Program) -> None:
    assert program("estimate", "-b", 20).exit_code == 4


def test_the_smallest_effect_is_the_smallest() -> None:
    effect = smallest_effect(100, noise=0.18)
    assert effect is not None
    there, below = race_pairs(effect, noise=0.18), race_pairs(effect - 0.01, noise=0.18)
    assert there is not None
    assert there <= 100
    assert below is None or below > 100
    assert smallest_effect(3, noise=0.0) is None
