"""The real small model, downloaded once into the project's own cache unless SHARPEN_CACHE names another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpen.models.local import cache_folder, pull, pull_engine

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def real_cache() -> Iterator[Path]:
    """A cache that holds SmolLM2 and an engine; kept between test runs."""
    before = os.environ.get("SHARPEN_CACHE")
    os.environ["SHARPEN_CACHE"] = before or str(PROJECT / ".cache" / "sharpen")
    try:
        pull("smollm2")
        pull_engine()
        yield cache_folder()
    finally:
        if before is None:
            del os.environ["SHARPEN_CACHE"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of this test's own."""
    monkeypatch.setenv("SHARPEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
