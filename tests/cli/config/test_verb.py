"""`sharpen config`: what is shown reads back, secrets are not shown, and the page says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.config.skillopt_files import BASE, SUITES, dotted, write
from cli.conftest import Program
from sharpen.cli.config import read_config
from sharpen.cli.config.names import is_secret
from sharpen.cli.config.page import filled

ROOT = Path(__file__).parents[3]


def test_what_is_shown_reads_back(program: Program, here: Path) -> None:
    write(here / "own.yaml", {"train": {"batch_size": 8}, "env": {"name": "searchqa"}})
    shown = program("config", "show", "own.yaml", "optimizer.learning_rate=3", "--cfg-options", "seed=7")
    assert shown.exit_code == 0
    (here / "again.yaml").write_text(shown.stdout)
    again = read_config(here / "again.yaml").config
    assert (again.train.batch_size, again.optimizer.learning_rate, again.train.seed) == (8, 3, 7)
    assert again == read_config(here / "own.yaml", ["optimizer.learning_rate=3", "seed=7"]).config


def test_overrides_alone_and_origins(program: Program) -> None:
    shown = program("config", "show", "train.batch_size=9", "--preset", "paper", "--origins").stdout
    lines = {line.split(":")[0].strip(): line for line in shown.splitlines()}
    assert "# argument train.batch_size" in lines["batch_size"]
    assert "# preset paper" in lines["max_analyst_rounds"]


def test_the_flat_names_of_skillopt(program: Program) -> None:
    flat = json.loads(program("config", "show", "optimizer.learning_rate=3", "--flat").stdout)
    assert (flat["edit_budget"], flat["target_model"], flat["split_seed"]) == (3, "gpt-5.5", 42)


def test_json_names_what_is_refused_and_what_is_idle(program: Program) -> None:
    result = program("config", "show", "human_feedback.enabled=true", "train.lanes=2", "--json")
    found = json.loads(result.stdout)
    assert list(found["refused"]) == ["human_feedback.enabled"]
    assert found["idle"] == ["train.lanes"]
    assert found["config"]["train"]["lanes"] == 2


def test_secrets_are_not_shown(program: Program, here: Path) -> None:
    write(here / "own.yaml", {"model": {"azure_openai_api_key": "hush-0815"}})
    for args in (("show", "own.yaml"), ("show", "own.yaml", "--json", "--origins"), ("migrate", "own.yaml")):
        result = program("config", *args)
        assert result.exit_code == 0
        assert "hush" not in result.stdout + result.stderr
    assert "better place" in result.stdout


def test_migrate_says_what_changed_meaning(program: Program, here: Path) -> None:
    write(
        here / "own.yaml", {"optimizer": {"lr_control_mode": "none"}, "gradient": {"max_analyst_rounds": 3}}
    )
    told = program("config", "migrate", "own.yaml").stdout
    for key in ("evaluation.gate", "optimizer.lr_control_mode", "gradient.max_analyst_rounds", "errors"):
        assert f"\n{key}\n" in f"\n{told}"
    kept = json.loads(program("config", "migrate", "own.yaml", "--json", "evaluation.gate=strict").stdout)
    assert "evaluation.gate" not in [change["key"] for change in kept["changes"]]


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (("show", "none.yaml"), "none.yaml cannot be read"),
        (("show", "train.bach_size=4"), "did you mean train.batch_size"),
        (("show", "a.yaml", "b.yaml"), "b.yaml is one too many"),
    ],
)
def test_mistakes_end_with_two(program: Program, args: tuple[str, ...], complaint: str) -> None:
    result = program("config", *args)
    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())
    assert not result.stdout


def test_the_base_file_has_skillopts_values() -> None:
    """All but the keys, which belong into the environment, and the gate of the slow update."""
    resolved = read_config(ROOT / "configs" / "_base_" / "default.yaml")
    for key, value in dotted(BASE).items():
        if is_secret(key):
            assert not resolved.is_given(key)
        else:
            expected = True if key == "optimizer.slow_update_gate_with_selection" else value
            assert resolved.is_given(key), key
            assert resolved.config.get(key) == expected, key


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_has_a_file_on_the_base(suite: str, program: Program) -> None:
    file = ROOT / "configs" / suite / "default.yaml"
    shown = program("config", "show", file, "--json")
    assert shown.exit_code == 0, shown.stderr
    found = json.loads(shown.stdout)
    assert found["config"]["env"]["name"] == suite
    assert (found["refused"], found["idle"]) == ({}, [])
    assert [path.parent.name for path in read_config(file).files] == ["_base_", suite]


def test_the_page_is_what_the_program_says() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert filled(text) == text, "run python -m sharpen.cli.config.page docs/configuration.md"


def test_the_first_word_may_be_a_value_with_slashes(program: Program) -> None:
    said = program("config", "show", "model.openai_compatible_base_url=http://host:8000/v1")
    assert '"http://host:8000/v1"' in said.stdout


def test_a_password_in_a_url_is_not_shown(program: Program) -> None:
    said = program("config", "show", "model.openai_compatible_base_url=http://me:hunter2hunter2@host/v1")
    assert said.exit_code == 0
    assert "hunter2" not in said.stdout + said.stderr
