"""Reading configurations: every key keeps its value, later wins, every spelling works, mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from cli.config.skillopt_files import BASE, SUITES, dotted, write
from sharpen.cli.config import read_config
from sharpen.cli.config.names import dotted_keys, flat_names
from sharpen.cli.config.record import SECTION_TYPES, Config
from sharpen.cli.config.writing import as_flat, as_sections, as_yaml
from sharpen.errors import SettingsError
from tasks.skillopt_environment import ask_skillopt

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Co", "Cn"]), max_size=12)


def values_of(info: FieldInfo) -> st.SearchStrategy[Any]:
    """Values a key may have, as a file would spell them."""
    least = max((getattr(one, "ge", 0) for one in info.metadata), default=0)
    return _values(info.annotation, least or 0)


def _values(annotation: Any, least: float) -> st.SearchStrategy[Any]:
    if annotation in (str, SecretStr):
        return TEXT
    if get_origin(annotation) is Literal:
        return st.sampled_from([word for word in get_args(annotation) if word])
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return st.integers(int(least), 10**6)
    if annotation is float:
        return st.floats(0.015625, 0.984375)  # inside of every bound
    if annotation is type(None):
        return st.none()
    if get_origin(annotation) is list:
        return st.lists(TEXT, max_size=3)
    parts = [one for one in get_args(annotation) if one is not dict]
    if hasattr(annotation, "__metadata__"):
        return _values(parts[0], max(least, *(getattr(one, "ge", 1) or 1 for one in annotation.__metadata__)))
    return st.one_of([_values(one, max(least, 1)) for one in parts])


FIELDS = {
    key: SECTION_TYPES[key.partition(".")[0]].model_fields[key.partition(".")[2]]
    for key in dotted_keys()
    if key not in ("env.options", "env.name")
}
SETTINGS = st.fixed_dictionaries({}, optional={key: values_of(info) for key, info in FIELDS.items()})


def in_sections(values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        section, _, leaf = key.partition(".")
        found.setdefault(section, {})[leaf] = value
    return found


@given(values=SETTINGS)
def test_whatever_is_written_is_what_is_read(
    values: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("config")
    resolved = read_config(write(folder / "a.yaml", in_sections(values)))
    for key, value in values.items():
        assert resolved.config.get(key) == value, key
        assert resolved.origin(key).startswith(f"{folder / 'a.yaml'}:")
    untouched = {key: value for key, value in Config().values(secrets=True) if key not in values}
    assert {key: resolved.config.get(key) for key in untouched} == untouched


@given(values=SETTINGS)
def test_a_configuration_says_itself(
    values: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    public = {key: value for key, value in values.items() if FIELDS[key].annotation is not SecretStr}
    folder = tmp_path_factory.mktemp("config")
    resolved = read_config(write(folder / "a.yaml", in_sections(public)))
    for name, text in (
        ("b.yaml", as_yaml(resolved)),
        ("c.yaml", as_yaml(resolved, origins=True)),
        ("d.json", json.dumps(as_sections(resolved.config))),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        assert read_config(folder / name).config == resolved.config, name


def test_every_key_of_skillopts_base_file_keeps_its_value(tmp_path: Path) -> None:
    resolved = read_config(write(tmp_path / "base.yaml", BASE))
    assert {key: resolved.config.get(key) for key in dotted(BASE)} == dotted(BASE)


def test_built_in_defaults_are_skillopts_but_for_the_gate_of_the_slow_update() -> None:
    ours = Config()
    different = {key for key, value in dotted(BASE).items() if ours.get(key) != value}
    assert different == {"optimizer.slow_update_gate_with_selection"}


@pytest.mark.parametrize("suite", SUITES)
def test_a_suites_file_lies_over_its_base(suite: str, tmp_path: Path) -> None:
    write(tmp_path / "_base_" / "default.yaml", BASE)
    own = {**SUITES[suite], "env": {"name": suite, **SUITES[suite]["env"]}}
    resolved = read_config(
        write(tmp_path / suite / "default.yaml", {"_base_": "../_base_/default.yaml", **own})
    )
    for key, value in {**dotted(BASE), **dotted(own)}.items():
        assert resolved.config.get(key) == value, key
    assert resolved.origin("env.name").startswith(str(tmp_path / suite / "default.yaml"))
    assert resolved.origin("train.seed").startswith(str(tmp_path / "_base_" / "default.yaml"))


@pytest.mark.parametrize("flat", sorted(flat_names()))
def test_every_flat_name_means_its_key(flat: str, tmp_path: Path) -> None:
    key = flat_names()[flat]
    value = {"env": "searchqa"}.get(flat, Config().get(key))
    info = SECTION_TYPES[key.partition(".")[0]].model_fields[key.partition(".")[2]]
    if info.annotation in (str, SecretStr):
        value = "searchqa"
    elif isinstance(value, bool):
        value = not value
    elif isinstance(value, int):
        value = value + 1
    assert read_config(write(tmp_path / "flat.yaml", {flat: value})).config.get(key) == value


@pytest.mark.slow
def test_the_flat_mapping_equals_that_of_the_published_loader(tmp_path: Path) -> None:
    """For files SkillOpt 0.2.0 knows; newer keys it drops."""
    write(tmp_path / "_base_" / "default.yaml", BASE)
    requests, ours = [], []
    for suite, sections in SUITES.items():
        own = {**sections, "env": {"name": suite, **sections["env"]}}
        path = write(tmp_path / suite / "default.yaml", {"_base_": "../_base_/default.yaml", **own})
        overrides = [
            "train.batch_size=17",
            "optimizer.learning_rate=3",
            "env.limit=5",
            "evaluation.use_gate=no",
        ]
        requests.append({"kind": "config", "path": str(path), "overrides": overrides})
        ours.append(as_flat(read_config(path, overrides).config))
    for mine, theirs in zip(ours, ask_skillopt(requests), strict=True):
        assert {key: mine[key] for key in theirs} == theirs
        assert theirs["batch_size"] == 17
        assert theirs["edit_budget"] == 3


def test_the_older_names_of_the_roles(tmp_path: Path) -> None:
    text = """
model:
  teacher: gpt-5.5
  student: gpt-5.5-codex
  teacher_backend: openai_chat
  student_backend: codex_exec
  codex_trace_to_teacher: false
gradient: {use_deep_reflect: true, deep_reflect_failures: 3}
optimizer: {use_meta_reflect: yes}
"""
    (tmp_path / "old.yaml").write_text(text)
    config = read_config(tmp_path / "old.yaml", ["teacher_model=a", "model.student_backend=claude"]).config
    assert (config.model.optimizer, config.model.target) == ("a", "gpt-5.5-codex")
    assert (config.model.optimizer_backend, config.model.target_backend) == ("openai_chat", "claude_chat")
    assert config.model.codex_trace_to_optimizer is False
    assert config.gradient.use_deep_reflect
    assert config.optimizer.use_meta_reflect


def test_words_mean_what_skillopts_reader_takes_them_for(tmp_path: Path) -> None:
    text = """
env: {split_ratio: 2:1:7, workers: 1_0, name: on, data_root: 007}
evaluation: {use_gate: off, gate_mixed_weight: 1}
optimizer: {lr_control_mode: none, use_meta_skill: "no"}
"""
    (tmp_path / "a.yaml").write_text(text.replace('"no"', "No"))
    config = read_config(tmp_path / "a.yaml").config
    assert (config.env.split_ratio, config.env.workers) == ("2:1:7", 10)
    assert (config.env.name, config.env.data_root) == ("on", "007")
    assert (config.evaluation.use_gate, config.optimizer.use_meta_skill) == (False, False)
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(SettingsError, match=r"a\.yaml:4: optimizer\.use_meta_skill must be true or false"):
        read_config(tmp_path / "a.yaml")


def test_later_wins_whatever_the_spelling(tmp_path: Path) -> None:
    write(tmp_path / "deep.yaml", {"batch_size": 1, "edit_budget": 9, "seed": 1})
    write(tmp_path / "base.yaml", {"_base_": "deep.yaml", "train": {"batch_size": 2}, "model": None})
    own = write(tmp_path / "own.yaml", {"_base_": "base.yaml", "batch_size": 3, "env": "searchqa"})
    resolved = read_config(own, ["seed=5", "train.seed=6", "env.data_dirs=[x, y]"])
    assert resolved.config.train.batch_size == 3
    assert resolved.config.optimizer.learning_rate == 9
    assert resolved.config.train.seed == 6
    assert resolved.config.env.name == "searchqa"
    assert resolved.config.env.data_dirs == ["x", "y"]
    assert [path.name for path in resolved.files] == ["deep.yaml", "base.yaml", "own.yaml"]


def test_a_preset_lies_under_the_file_that_names_it_and_over_files_on_the_command_line(
    tmp_path: Path,
) -> None:
    own = write(tmp_path / "own.yaml", {"preset": "paper", "train": {"batch_size": 8}})
    resolved = read_config(own)
    assert (resolved.config.train.batch_size, resolved.config.evaluation.gate) == (8, "strict")
    assert resolved.origin("evaluation.gate") == "preset paper"
    for over in (read_config(own, preset="paper"), read_config(own, ["preset=paper"])):
        assert over.config.train.batch_size == 40
    assert read_config(own, ["train.batch_size=7"], preset="paper").config.train.batch_size == 7


def test_the_paper_preset_is_what_was_published() -> None:
    config = read_config(preset="paper").config
    assert (config.train.num_epochs, config.train.batch_size, config.train.loop) == (4, 40, "batch")
    assert (config.gradient.minibatch_size, config.gradient.analyst_workers) == (8, 16)
    assert config.gradient.max_analyst_rounds == 3
    optimizer = config.optimizer
    assert (optimizer.learning_rate, optimizer.min_learning_rate, optimizer.lr_scheduler) == (4, 2, "cosine")
    assert optimizer.slow_update_gate_with_selection
    assert (config.evaluation.gate, config.gradient.merging) == ("strict", "model")
    assert optimizer.first_match
    assert (config.env.split_mode, config.env.split_ratio, config.env.split_seed) == ("ratio", "2:1:7", 42)


def test_keys_of_a_suite_of_ones_own(tmp_path: Path) -> None:
    own = write(tmp_path / "own.yaml", {"env": {"name": "my_suite", "colours": ["red"], "depth": 3}})
    config = read_config(own, ["env.depth=4"]).config
    assert config.env.options == {"colours": ["red"], "depth": 4}
    with pytest.raises(SettingsError, match=r"unknown key env\.split_moed; did you mean env\.split_mode"):
        read_config(own, ["env.split_moed=ratio"])
    with pytest.raises(SettingsError, match=r"own\.yaml:\d: unknown key env\.colours"):
        read_config(own, ["env.name=searchqa"])


def test_secrets_are_kept_and_not_shown(tmp_path: Path) -> None:
    own = write(tmp_path / "own.yaml", {"model": {"azure_openai_api_key": "not-so-secret-0815"}})
    resolved = read_config(own)
    assert resolved.config.model.azure_openai_api_key.get_secret_value() == "not-so-secret-0815"
    shown = as_yaml(resolved, origins=True) + json.dumps(as_flat(resolved.config)) + repr(resolved)
    assert "0815" not in shown
    (tmp_path / "b.yaml").write_text(as_yaml(resolved))
    assert read_config(tmp_path / "b.yaml").config.model.azure_openai_api_key.get_secret_value() == ""
