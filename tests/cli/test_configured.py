"""`sharpen train --config` and `sharpen eval --config`: from a SkillOpt file to a run, over a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faults import FaultServer, Seen
from sharpen.cli.config import read_config
from tasks.test_skillopt_split import make_ratio_split

from .config.skillopt_files import BASE, write
from .conftest import Program

RULE = "Answer with the number alone."
TEACHER = f"""
import sharpen

class Teacher:
    fingerprint = "quizmaster"

    async def propose(self, skill, evidence, *, limit, memory, trial):
        return [sharpen.Edit.append("- {RULE}")]
"""


def contestant(seen: Seen) -> str:
    """Knows every answer, and says it right when the skill has the rule; the other model teaches it."""
    if seen.body["model"] == "quizmaster":
        return json.dumps({"reasoning": "", "edits": [{"op": "append", "content": f"- {RULE}"}]})
    *system, asked = (str(message["content"]) for message in seen.body["messages"])
    number = re.findall(r"number (\d+)", asked)[-1]
    return number if RULE in "".join(system) else f"It is, of course, {number}!"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    with FaultServer(reply=contestant) as running:
        monkeypatch.setenv("OPENAI_COMPATIBLE_BASE_URL", running.v1)
        yield running


@pytest.fixture
def quiz(here: Path) -> Path:
    """A project of a SkillOpt user: raw items, a configuration on its base, and a teacher without a model."""
    items = [{"id": f"q{n}", "question": f"number {n}", "answers": [str(n)]} for n in range(60)]
    (here / "quiz.json").write_text(json.dumps(items))
    (here / "quizmaster.py").write_text(TEACHER)
    write(here / "_base_" / "default.yaml", BASE)
    own: dict[str, Any] = {
        "_base_": "../_base_/default.yaml",
        "model": {"backend": "openai_compatible", "target": "contestant"},
        "train": {"num_epochs": 1, "batch_size": 6},
        "evaluation": {"gate": "strict"},
        "env": {
            "name": "searchqa",
            "data_path": "quiz.json",
            "split_ratio": "1:1:1",
            "workers": 8,
            "max_completion_tokens": 64,
            "out_root": "out",
        },
    }
    return write(here / "searchqa" / "default.yaml", own)


TRAIN = ("train", "--config", "searchqa/default.yaml", "--teacher", "quizmaster:Teacher")


def test_a_configuration_trains(server: FaultServer, quiz: Path, here: Path, program: Program) -> None:
    done = program(*TRAIN, "optimizer.use_slow_update=false", "--cfg-options", "optimizer.use_meta_skill=no")
    assert done.exit_code == 0, done.stderr
    assert "no limit was set" in done.stderr
    assert RULE in (here / "out" / "best_skill.md").read_text()
    assert server.requests[0].body["model"] == "contestant"
    kept = read_config(here / "out" / "config.yaml").config
    assert (kept.train.batch_size, kept.optimizer.use_slow_update) == (6, False)


def test_teacher_and_student_come_from_the_file(
    server: FaultServer, quiz: Path, here: Path, program: Program
) -> None:
    plain = ("optimizer.use_slow_update=false", "optimizer.use_meta_skill=false", "gradient.merging=plain")
    done = program("train", "--config", quiz, "model.teacher=quizmaster", *plain)
    assert done.exit_code == 0, done.stderr
    assert RULE in (here / "out" / "best_skill.md").read_text()
    assert {seen.body["model"] for seen in server.requests} == {"contestant", "quizmaster"}


def test_a_ratio_split_is_written_where_and_as_skillopt_does(
    server: FaultServer, quiz: Path, here: Path, program: Program
) -> None:
    assert program(*TRAIN, "--dry-run").exit_code == 0
    made, expected = here / "out" / "_generated_splits" / "searchqa_1-1-1_seed42", here / "expected"
    make_ratio_split(Path("quiz.json"), expected, ratio="1:1:1", seed=42)
    for name in ("train/items.json", "val/items.json", "test/items.json", "split_manifest.json"):
        assert (made / name).read_bytes() == (expected / name).read_bytes()
    again = program(
        "eval",
        "--config",
        quiz,
        "env.split_mode=split_dir",
        f"env.split_dir={made}",
        "--split",
        "train",
        "-n",
    )
    assert "20 train tasks" in again.stdout
    assert not server.requests


def test_eval_measures_with_the_configurations_student(
    server: FaultServer, quiz: Path, here: Path, program: Program
) -> None:
    (here / "better.md").write_text(f"# Quiz\n\n- {RULE}\n")
    result = program(
        "eval", "better.md", "--bare", "--config", quiz, "evaluation.sel_env_num=12", "--json", "-q"
    )
    found = json.loads(result.stdout)
    assert result.exit_code == 0, result.stderr
    assert found["verdict"]["decision"] == "better"
    assert found["first"]["score"]["mean"] == 1


def test_what_is_typed_wins(server: FaultServer, quiz: Path, here: Path, program: Program) -> None:
    plan = json.loads(program(*TRAIN, "--dry-run", "--json", "--budget", "300").stdout)
    assert plan["plan"]["total"] == 300
    (here / "own.md").write_text(f"# Mine\n\n- {RULE}\n")
    scored = program("eval", "own.md", "-c", quiz, "env.limit=4", "--metric", "soft", "-q", "--json")
    assert json.loads(scored.stdout)["score"]["mean"] == 1


def test_a_preset_without_a_file(agents: Path, program: Program) -> None:
    own = ("skill.md", "-t", "tasks.jsonl", "-s", "agents:Student", "--teacher", "agents:Teacher")
    done = program("train", *own, "--preset", "default", "--budget", "200", "--run", "run")
    assert done.exit_code == 0, done.stderr
    assert "a better skill" in done.stdout
    bare = program("train", *own, "--budget", "200", "--run", "run", "--json", "-q")
    assert json.loads(bare.stdout)["accepted"], "the preset is what happens without one: the same run"


def test_secrets_of_a_file_are_used_and_never_stored(
    server: FaultServer, quiz: Path, here: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARGET_OPENAI_COMPATIBLE_API_KEY", "before")  # restored afterwards
    key = "model.target_openai_compatible_api_key=hush-0815-very-secret"
    done = program(*TRAIN, key, "optimizer.use_slow_update=false", "optimizer.use_meta_skill=false")
    assert done.exit_code == 0, done.stderr
    assert server.requests[0].headers["authorization"] == "Bearer hush-0815-very-secret"
    assert "hush" not in done.stdout + done.stderr
    kept = [path for path in (here / "out").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if b"hush" in path.read_bytes()]


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (["env.skill_init=nowhere/initial.md"], "env.skill_init: nowhere/initial.md does not exist"),
        (["env.name="], "env.name is empty, and no tasks were named"),
        (["env.name=serchqa"], "did you mean 'searchqa'"),
        (["env.data_path="], "env.data_path is empty"),
        (["env.data_path=none.json"], "none.json does not exist"),
        (["env.split_mode=split_dir"], "env.split_dir is empty"),
        (["env.split_mode=split_dir", "env.split_dir=none"], "none is not a folder"),
        (["env.split_mode=split_dir", "env.split_dir=overlap"], "'q1'"),
        (["env.split_mode=split_dir", "env.split_dir=hollow"], "selection"),
        (["env.data_path=overlap"], "is divided already; set env.split_mode=split_dir"),
        (["env.data_path=twice.json"], "the id 'q1' was used before"),
        (["env.split_ratio=1:0:1"], "train:val:test"),
        (["train.train_size=7"], "train.train_size is 7, but the train split has 20 tasks"),
        (["train.batchsize=7"], "did you mean train.batch_size"),
        (["human_feedback.enabled=true"], "human_feedback.enabled is on, but"),
        (["env.mdoe=multi"], "did you mean env.mode"),
    ],
)
def test_bad_input_is_named_before_any_call(
    server: FaultServer, quiz: Path, here: Path, program: Program, said: list[str], complaint: str
) -> None:
    one = {"id": "q1", "question": "number 1", "answers": ["1"]}
    two = {**one, "id": "q2"}
    (here / "twice.json").write_text(json.dumps([one, two, one] * 4))
    for name, splits in {
        "overlap": {"train": [one], "val": [one], "test": [two]},
        "hollow": {"train": [one], "val": [], "test": [two]},
    }.items():
        for split, items in splits.items():
            (here / name / split).mkdir(parents=True)
            (here / name / split / "items.json").write_text(json.dumps(items))
    result = program(*TRAIN, *said)
    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())
    assert not server.requests
    assert not (here / "out" / "run.db").exists()
