"""Mistakes in configurations: each names the file, the line, the key and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharpen.cli.config import read_config
from sharpen.errors import SettingsError


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("train: {batchsize: 4}", r":2: unknown key train\.batchsize; did you mean train\.batch_size\?"),
        ("trian: {batch_size: 4}", r":2: unknown key trian\.batch_size; did you mean train\.batch_size\?"),
        ("gradient: {batch_size: 4}", r"unknown key gradient\.batch_size; did you mean train\.batch_size\?"),
        ("batchsize: 4", r"unknown key batchsize; did you mean train\.batch_size\?"),
        ("model: {techer: x}", r"unknown key model\.techer; did you mean model\.teacher\?"),
        ("env: {wrokers: 4}", r"unknown key env\.wrokers; did you mean env\.workers\?"),
        ("qqq: 4", r"unknown key qqq; the sections are model, train"),
        ("env: {qqq: 4}", r"unknown key env\.qqq; keys of a suite of your own"),
        ("train: {qqq: 4}", r"unknown key train\.qqq; `sharpen config show` lists"),
        ("train: 4", "train is a section"),
        ("train: {batch_size: forty}", r"train\.batch_size must be a whole number, not 'forty'"),
        ("train: {batch_size: 0}", r"train\.batch_size must be at least 1, not 0"),
        ("train: {batch_size: 040}", r"train\.batch_size must be a whole number, not '040'"),
        ("train: {batch_size: [4]}", r"train\.batch_size must be a whole number, not \[4\]"),
        ("train: {batch_size: null}", r"train\.batch_size must be a whole number, not None"),
        ("train: {concurrency: -1}", r"train\.concurrency must be at least 1"),
        ("gradient: {merge_batch_size: 1}", r"must be at least 2, not 1"),
        ("evaluation: {gate_mixed_weight: 1.5}", r"must be at most 1(\.0)?, not 1\.5"),
        ("evaluation: {alpha: 0}", r"must be more than 0"),
        ("budget: {usd: 1e999}", r"budget\.usd"),
        ("evaluation: {use_gate: 1}", r"evaluation\.use_gate must be true or false, not 1"),
        ("env: {name: [a]}", r"env\.name must be text"),
        ("optimizer: {lr_scheduler: cosin}", r"cannot be 'cosin'; did you mean cosine\?"),
        ("optimizer: {lr_scheduler: steps}", r"it can be constant, linear, cosine, autonomous"),
        ("model: {target_backend: opanai_chat}", r"did you mean openai_chat\?"),
        ("preset: papers", r":2: there is no preset 'papers'; it can be paper, default"),
        ("model: {azure_openai_api_key: [hush]}", r"azure_openai_api_key must be text$"),
        ("train: {seed: 1}\ntrain: {seed: 2}", r":3: train stands here again, after line 2; keep one"),
        ("train: {seed: 1, seed: 2}", "seed stands here again"),
        ("train: {seed: 1}\nseed: 2", r":3: train\.seed has another value at .*:2; keep one"),
        ("model: {teacher: a, optimizer: b}", r"model\.optimizer has another value"),
        ("train: [", r":\d: this is not YAML"),
        ("env: {data_root: !!python/object:os.system {}}", r"env\.data_root must be text"),
        ("env: {data_root: !secret x}", "the tag !secret is not read"),
        ("env: {data_dirs: &a [*a]}", "nested more than|not YAML"),
        ("? [a]\n: b", "a key must be a plain word"),
        ("_base_: nowhere.yaml", r":2: the _base_ file .*nowhere\.yaml cannot be read"),
        ("_base_: [a.yaml]", r":2: _base_ must be the path of one YAML file"),
        ("_base_: own.yaml", r":2: _base_ leads back to"),
    ],
)
def test_a_mistake_is_named(line: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(f"# a comment\n{line}\n")
    with pytest.raises(SettingsError, match=complaint) as caught:
        read_config(tmp_path / "own.yaml")
    assert str(tmp_path / "own.yaml") in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "4\n"])
def test_a_file_that_is_no_mapping(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(SettingsError, match="a configuration is a mapping of sections"):
        read_config(tmp_path / "own.yaml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"the configuration .*none\.yaml cannot be read"):
        read_config(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"env: {name: caf\xe9}\n")
    with pytest.raises(SettingsError, match=r"latin\.yaml is not UTF-8"):
        read_config(tmp_path / "latin.yaml")


def test_a_circle_of_bases_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("_base_: sub/b.yaml\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.yaml").write_text("train: {seed: 1}\n_base_: ../a.yaml\n")
    with pytest.raises(SettingsError, match=r"sub/b\.yaml:2: _base_ leads back to .*a\.yaml"):
        read_config(tmp_path / "a.yaml")


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("# nothing\n")
    assert read_config(tmp_path / "own.yaml").config == read_config().config


@pytest.mark.parametrize(
    ("override", "complaint"),
    [
        ("train.batch_size", "is not an override; write key=value"),
        ("=4", "is not an override"),
        ("train.batch_size=x", r"argument train\.batch_size: train\.batch_size must be a whole number"),
        ("train.bach_size=4", r"did you mean train\.batch_size"),
        ("env.data_dirs=[a", "this is not YAML"),
    ],
)
def test_an_override_that_is_wrong(override: str, complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        read_config(overrides=[override])
