"""The shipped configurations of the suites: they load, agree with the packaged ones, and open the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharpen.cli.config import read_config
from sharpen.tasks.suites import SUITES, suite_named

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "tasks" / "data"


@pytest.mark.parametrize("name", SUITES)
def test_a_configuration_loads_and_names_its_suite_and_where_fetch_puts_the_data(name: str) -> None:
    config = read_config(ROOT / "configs" / name / "default.yaml").config
    assert config.env.name == name
    assert config.env.data_path == f"data/{name}"
    assert (config.train.num_epochs, config.train.batch_size, config.gradient.minibatch_size) == (4, 40, 8)
    assert (config.optimizer.learning_rate, config.optimizer.min_learning_rate) == (4, 2)
    assert (config.env.split_ratio, config.env.split_seed) == ("2:1:7", 42)


@pytest.mark.parametrize("name", SUITES)
def test_the_packaged_configuration_says_the_same(name: str, tmp_path: Path) -> None:
    packaged = tmp_path / "config.yaml"
    packaged.write_text(suite_named(name).config)
    shipped = read_config(ROOT / "configs" / name / "default.yaml").config
    assert read_config(packaged).config == shipped


@pytest.mark.parametrize("name", ["searchqa", "spreadsheetbench", "livemathematicianbench", "mathverse"])
def test_its_keys_are_options_of_the_suite(name: str) -> None:
    given = [f"env.data_path={DATA / name}", "env.split_ratio=4:3:3"]
    env = read_config(ROOT / "configs" / name / "default.yaml", given).config.env
    suite = suite_named(name)
    options = suite.options_in({**env.model_dump(), **env.options})
    found = suite.open(env.data_path, options=options, seed=env.split_seed, ratio=env.split_ratio)
    assert found.tasks.train
    assert found.student == {"spreadsheetbench": "turns", "mathverse": "images"}.get(name, "chat")
