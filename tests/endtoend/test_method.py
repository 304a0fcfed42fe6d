"""SkillOpt's method whole, through the command line: the paper's preset, every update mode, every extra."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from loopback import School
from loopback.school import rule

from .conftest import Program, Serve
from .layout import check_layout
from .quiz import CONFIG, KINDS, rules_in, write_quiz

SCALED = (
    "env.split_ratio=4:3:3",
    "env.data_path=quiz.json",
    "env.out_root=out",
    "model.backend=openai_compatible",
    "train.batch_size=8",
    "train.num_epochs=3",
    "gradient.minibatch_size=2",
    "gradient.merge_batch_size=2",
    "optimizer.slow_update_samples=4",
    "evaluation.gate=strict",
)


def trained(
    here: Path, program: Program, serve: Serve, *words: str, held_back: str = ""
) -> tuple[dict[str, Any], Counter[str], list[dict[str, Any]]]:
    """The result, what the teacher was asked about, and SkillOpt's history."""
    school = School.of(write_quiz(here / "quiz.json"), held_back=held_back)
    model = serve(school)
    command = ("train", "--config", CONFIG, *SCALED, *words, "--json")
    done = program(*command)
    assert done.exit_code == 0, done.stderr
    history, asked = check_layout(here / "out"), school.asked
    paid = len(model.requests)
    assert program(*command).exit_code == 0
    assert len(model.requests) == paid
    return json.loads(done.stdout), asked, history


def test_the_papers_preset(here: Path, program: Program, serve: Serve) -> None:
    result, asked, history = trained(here, program, serve, "--preset", "paper", held_back="late")
    assert rules_in(result["skill"]) == set(KINDS)
    assert asked.keys() >= {"failures", "successes", "merge", "slow update", "meta skill"}
    kept = json.loads((here / "out" / "config.json").read_text())
    assert (kept["gate"], kept["batch"]["merging"], kept["batch"]["first_match"]) == ("strict", "model", True)
    slow = [json.loads(path.read_text()) for path in sorted((here / "out").rglob("slow_result.json"))]
    assert any(one["action"] == "accept" or "accept" in one["action"] for one in slow)
    region = result["skill"].partition("<!-- SLOW_UPDATE_START -->")[2]
    assert rule("late") in region.partition("<!-- SLOW_UPDATE_END -->")[0]
    assert "Name one rule per failure." not in result["skill"], "notes stay with the teacher"
    assert {record["edit_budget"] for record in history if "edit_budget" in record} <= {2, 3, 4}
    assert any(record["n_success_patches"] for record in history)


def test_a_rewrite_from_suggestions(here: Path, program: Program, serve: Serve) -> None:
    mode = "optimizer.skill_update_mode=rewrite_from_suggestions"
    result, asked, history = trained(here, program, serve, mode)
    assert rules_in(result["skill"]) == set(KINDS)
    assert asked["suggestions"]
    assert asked["rewrite"]
    assert not asked["failures"]
    step = next(record["step"] for record in history if record["action"] == "accept_new_best")
    assert (here / "out" / "steps" / f"step_{step:04d}" / "rewrite_result.json").is_file()


def test_whole_skills_from_minibatches(here: Path, program: Program, serve: Serve) -> None:
    mode = "optimizer.skill_update_mode=full_rewrite_minibatch"
    result, asked, history = trained(here, program, serve, mode)
    assert len(rules_in(result["skill"])) >= 2
    assert asked["candidates"]
    step = next(record["step"] for record in history if record["action"] == "accept_new_best")
    assert (here / "out" / "steps" / f"step_{step:04d}" / "full_rewrite_result.json").is_file()


def test_probes_lapses_and_a_look_back(here: Path, program: Program, serve: Serve) -> None:
    words = (
        "gradient.use_deep_reflect=true",
        "optimizer.use_skill_aware_reflection=true",
        "optimizer.skill_aware_consolidate_threshold=1",
        "optimizer.use_meta_reflect=true",
        "optimizer.lr_control_mode=autonomous",
        "gradient.merging=model",
    )
    result, asked, history = trained(here, program, serve, *words)
    assert asked.keys() >= {"probe", "consolidate", "meta reflect", "rate", "rank", "merge"}
    assert rules_in(result["skill"]) == set(KINDS)
    appendix = result["skill"].partition("<!-- APPENDIX_START -->")[2].partition("<!-- APPENDIX_END -->")[0]
    assert "Follow the rules that are there." in appendix
    assert {record["edit_budget"] for record in history if "edit_budget" in record} == {2}
    first = here / "out" / "steps" / "step_0001"
    for name in ("probes.json", "appendix_notes.json", "lr_decision.json"):
        assert (first / name).is_file(), name
    assert (here / "out" / "lr_history.jsonl").is_file()
    assert (here / "out" / "meta_reflect" / "epoch_01" / "meta_reflect_result.json").is_file()


def test_the_race_is_the_gate_of_a_file_without_a_preset(here: Path, program: Program, serve: Serve) -> None:
    result, asked, history = trained(
        here, program, serve, "evaluation.gate=race", "optimizer.use_slow_update=false"
    )
    assert rules_in(result["skill"]) == set(KINDS)
    assert not asked["slow update"]
    assert all(record["verdict"]["gate"] == "race" for record in history if record.get("verdict"))
    again = ("--config", "out/config.yaml", "-q")
    measured = program("eval", "out", "none", *again, "--split", "test", "--json")
    assert (measured.exit_code, json.loads(measured.stdout)["first"]["score"]["mean"]) == (0, 1), (
        measured.stderr
    )
    pruned = json.loads(program("prune", "out", *again, "--json").stdout)
    assert len(pruned["parts"]) == len(KINDS)
