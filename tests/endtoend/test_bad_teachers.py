"""Teachers that are of no use: one that only talks, and one that gives the answers away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopback import School
from loopback.school import nonsense, quoting

from .conftest import Program, Serve
from .quiz import CONFIG, write_quiz

CONFIGURED = (
    "train", "--config", CONFIG, "env.data_path=quiz.json", "env.split_ratio=4:3:3", "env.out_root=out",
    "model.backend=openai_compatible", "train.batch_size=8", "train.num_epochs=2",
)  # fmt: skip
OWN = (
    "train", "skill.md", "-t", "tasks.jsonl", "-s", "compatible:student", "--teacher", "compatible:teacher",
    "--run", "out",
)  # fmt: skip


@pytest.fixture
def quiz(here: Path, serve: Serve) -> School:
    """A school whose teacher is to be chosen; the questions lie there as a suite's and as a newcomer's."""
    school = School.of(write_quiz(here / "quiz.json"))
    items = json.loads((here / "quiz.json").read_text())
    rows = [{"id": one["id"], "prompt": one["question"], "answer": one["answers"][0]} for one in items]
    (here / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (here / "skill.md").write_text("# Riddles\n")
    serve(school)
    return school


@pytest.mark.parametrize("command", [CONFIGURED, OWN], ids=["batch", "draft"])
def test_nonsense_ends_with_3_and_a_clear_message(
    quiz: School, program: Program, command: tuple[object, ...]
) -> None:
    quiz.teach = nonsense
    done = program(*command)
    assert done.exit_code == 3, done.stderr
    assert "no usable answer" in done.stderr
    assert "there is no JSON object in it" in done.stderr
    assert not done.stdout


LOOK_BACK = ("optimizer.use_meta_reflect=true", "optimizer.use_skill_aware_reflection=true")
MODE = "optimizer.skill_update_mode="


@pytest.mark.parametrize(
    "command",
    [
        OWN,
        (*CONFIGURED, *LOOK_BACK),
        (*CONFIGURED, f"{MODE}rewrite_from_suggestions"),
        (*CONFIGURED, f"{MODE}full_rewrite_minibatch"),
        (*CONFIGURED, "evaluation.use_gate=false", *LOOK_BACK),
    ],
    ids=["draft", "batch", "rewrite", "candidates", "no gate"],
)
def test_quoted_answers_are_refused_and_the_output_says_so(
    quiz: School, here: Path, program: Program, command: tuple[object, ...]
) -> None:
    quiz.teach = quoting
    done = program(*command)
    assert done.exit_code == 0, done.stderr
    assert "solution number" not in (here / "out" / "best_skill.md").read_text()
    assert "nothing was accepted" in done.stdout
    assert "quotes the right answer of task" in done.stderr
    assert "edits that give answers away" in done.stdout
    assert "refused by the leak check" in program("show", "out").stdout
