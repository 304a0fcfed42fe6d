"""`sharpen train --config configs/SUITE/default.yaml` for each of the eleven suites, on their miniatures.

The command ends well, leaves SkillOpt's files behind, can be looked at, and costs nothing when given again.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopback import School
from loopback.school import rule

from .conftest import Program, Serve, images_in
from .layout import check_layout
from .suites import ANSWERS, CONFIGS, KIND, MORE, SCALED, exercises, laid_out

SEEING = ("babyvision", "docvqa", "mathverse", "mmrb")


@pytest.mark.parametrize("name", ANSWERS)
def test_a_suite_trains_from_its_configuration(name: str, here: Path, program: Program, serve: Serve) -> None:
    place = laid_out(name, here / "data")
    model = serve(School.of(exercises(name, place)))
    words = [f"env.data_path={place}", "env.out_root=out", "model.backend=openai_compatible"]
    command = ("train", "--config", CONFIGS / name / "default.yaml", *words, *SCALED, *MORE.get(name, ()))
    done = program(*command, "--json")
    assert done.exit_code == 0, done.stderr
    result, best = json.loads(done.stdout), (here / "out" / "best_skill.md").read_text()
    assert result["accepted"]
    assert best == result["skill"]
    assert rule(KIND) in best
    assert result["gain"]["mean"] == 1
    assert ("judge" in result) == (name == "sealqa")
    history = check_layout(here / "out")
    assert history[0]["action"] == "accept_new_best"
    asked = [request.ask for request in model.requests if request.ask.model == "student"]
    assert all(bool(images_in(ask)) == (name in SEEING) for ask in asked)
    _can_be_looked_at(here, program)
    paid = len(model.requests)
    again = program(*command, "--json")
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["skill"] == best
    assert len(model.requests) == paid


def _can_be_looked_at(here: Path, program: Program) -> None:
    before = {path: path.read_bytes() for path in (here / "out").rglob("*.json*")}
    for verb in ("show", "report", "blame", "diff"):
        looked = program(verb, "out")
        assert looked.exit_code == 0, looked.stderr
    assert rule(KIND) in program("blame", "out").stdout
    for path in before:
        path.unlink()
    rebuilt = program("rebuild", "out")
    assert rebuilt.exit_code == 0, rebuilt.stderr
    check_layout(here / "out")
    for path, content in before.items():
        if "_generated_splits" not in path.parts and path != here / "out" / "summary.json":  # which has times
            assert path.read_bytes() == content, path
