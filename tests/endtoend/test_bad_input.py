"""Bad input through the command line: what is wrong and what helps, exit code 2, no request to anybody."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopback import LoopbackModel, School

from .conftest import Program, Serve
from .suites import CONFIGS, MORE, SCALED, laid_out

OWN = ("train", "skill.md", "-s", "compatible:student", "--teacher", "compatible:teacher", "-t")
Refused = Callable[..., str]


@pytest.fixture
def refused(here: Path, program: Program, serve: Serve) -> Refused:
    """Runs a command that must be refused; what it said comes back in one line."""
    model: LoopbackModel = serve(School.of(()))
    (here / "skill.md").write_text("# Skill\n")

    def run(*words: object) -> str:
        result = program(*words)
        assert result.exit_code == 2, result.stderr
        assert not model.requests
        assert not list(here.rglob("run.db"))
        return " ".join(result.stderr.split())

    return run


def row(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "prompt": f"do {name}", "answer": name, **more}


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_splits_that_overlap(refused: Refused, here: Path) -> None:
    rows = [row("a", split="train"), row("b", split="selection"), row("a", split="test")]
    assert "line 3: the id 'a' was used before, at" in refused(*OWN, lines(here / "t.jsonl", rows))
    for split, names in {"train": "ab", "val": "bc", "test": "d"}.items():
        (here / "split" / split).mkdir(parents=True)
        items = [{"id": name, "question": name, "answers": [name]} for name in names]
        (here / "split" / split / "items.json").write_text(json.dumps(items))
    assert "the id 'b' was used before" in refused(*OWN, "split")
    words = ("env.split_mode=split_dir", "env.split_dir=split", "model.backend=openai_compatible")
    said = refused("train", "-c", CONFIGS / "searchqa" / "default.yaml", *words)
    assert "'b' was used before" in said
    assert "ids must be unique" in said


def test_an_id_that_occurs_twice(refused: Refused, here: Path) -> None:
    said = refused(*OWN, lines(here / "t.jsonl", [row("a"), row("b"), row("a")]))
    assert "t.jsonl, line 3: the id 'a' was used before, at" in said
    assert "line 1; ids must be unique" in said


def test_a_split_that_is_empty(refused: Refused, here: Path) -> None:
    rows = [row("a", split="train"), row("b", split="test")]
    assert "the selection split is empty" in refused(*OWN, lines(here / "t.jsonl", rows))
    assert "give at least three" in refused(*OWN, lines(here / "two.jsonl", [row("a"), row("b")]))
    assert "holds no task" in refused(*OWN, lines(here / "none.jsonl", []))


@pytest.mark.parametrize(
    ("suite", "victim", "complaint"),
    [
        ("docvqa", "images/page3.png", "item 3: the image 'images/page3.png' is neither in"),
        ("mmrb", "counting/pictures/1_1.png", "1_1.png' is neither in"),
        ("spreadsheetbench", "spreadsheet/103-3/1_103-3_answer.xlsx", "item 3: "),
    ],
)
def test_a_missing_image_or_workbook(
    suite: str, victim: str, complaint: str, refused: Refused, here: Path
) -> None:
    place = laid_out(suite, here / "data")
    (place / victim).unlink()
    said = refused(
        "train", "-c", CONFIGS / suite / "default.yaml", f"env.data_path={place}", *SCALED, *BACKEND
    )
    assert complaint in said
    assert Path(victim).name in said


BACKEND = ("model.backend=openai_compatible", "env.out_root=out")


@pytest.mark.parametrize(
    ("suite", "module", "extra"),
    [
        ("spreadsheetbench", "openpyxl", "suites"),
        ("mathverse", "math_verify", "suites"),
        ("alfworld", "alfworld", "alfworld"),
    ],
)
def test_a_scorer_whose_extra_is_missing(
    suite: str, module: str, extra: str, refused: Refused, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    place = laid_out(suite, here / "data")
    said = refused(
        "train", "-c", CONFIGS / suite / "default.yaml", f"env.data_path={place}", *SCALED, *BACKEND
    )
    assert f"needs the package {module.replace('_', '-')}" in said
    assert f"pip install 'sharpen[{extra}]'" in said


def test_a_check_whose_extra_is_missing(
    refused: Refused, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    tasks = lines(here / "t.jsonl", [row(name, check={"schema": {"type": "object"}}) for name in "abc"])
    assert "pip install 'sharpen[schema]'" in refused(*OWN, tasks)


def test_a_typo_in_a_configuration(refused: Refused, here: Path) -> None:
    (here / "own.yaml").write_text(f"_base_: {CONFIGS}/searchqa/default.yaml\ntrain:\n  batchsize: 7\n")
    said = refused("train", "-c", "own.yaml", *BACKEND)
    assert "own.yaml:3: unknown key train.batchsize" in said
    assert "did you mean train.batch_size" in said
    assert "did you mean optimizer.learning_rate" in refused(
        "train", "-c", CONFIGS / "searchqa" / "default.yaml", "optimizer.learning_rat=3"
    )


def test_a_skill_that_does_not_exist(refused: Refused, here: Path) -> None:
    tasks = lines(here / "t.jsonl", [row("a"), row("b"), row("c")])
    assert "nowhere.md does not exist" in refused("train", "nowhere.md", *OWN[2:], tasks)
    place = laid_out("searchqa", here / "data")
    words = (
        "train",
        "-c",
        CONFIGS / "searchqa" / "default.yaml",
        f"env.data_path={place}",
        *SCALED,
        *BACKEND,
    )
    assert "env.skill_init: nowhere.md does not exist" in refused(*words, "env.skill_init=nowhere.md")
    assert "nowhere.md does not exist" in refused("eval", "nowhere.md", *OWN[2:4], "-t", tasks)
    assert "nowhere.md does not exist" in refused("eval", "skill.md", "nowhere.md", *OWN[2:4], "-t", tasks)


def test_a_suite_that_needs_a_judge_names_an_option_that_helps(
    refused: Refused, here: Path, program: Program
) -> None:
    place = laid_out("sealqa", here / "data")
    words = ("train", "-c", CONFIGS / "sealqa" / "default.yaml", f"env.data_path={place}", *SCALED, *BACKEND)
    said = refused(*words)
    assert "the scorer sealqa@1 asks a model; name a judge" in said
    assert "--judge openai:gpt-5-mini" in said
    for remedy in (("--judge", "compatible:judge"), ("--scorer", "sealqa_f1"), MORE["sealqa"]):
        assert program(*words, *remedy, "--dry-run").exit_code == 0


def test_a_judge_that_cannot_be_opened(refused: Refused, here: Path) -> None:
    tasks = lines(here / "t.jsonl", [row(name, check={"rubric": ["is good"]}) for name in "abc"])
    assert "openia" in refused(*OWN, tasks, "--judge", "openia:gpt-5-mini")
