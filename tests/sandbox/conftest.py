"""Sandboxes are opened once per level and limits and shared by the tests, as they are meant to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sharpen.sandbox import Isolation, Limits, Sandbox, available_levels, open_sandbox

from . import world as worlds

WORKING = tuple(offer.level for offer in available_levels() if offer.works)
ISOLATING = tuple(level for level in WORKING if level != "none")

Opener = Callable[..., Sandbox]


@pytest.fixture(scope="session")
def opened() -> Iterator[Opener]:
    kept: dict[tuple[Isolation, Limits], Sandbox] = {}

    def get(level: Isolation, **limits: float) -> Sandbox:
        wanted = Limits(**{"seconds": 30, **limits})  # type: ignore[arg-type]
        if (level, wanted) not in kept:
            kept[level, wanted] = open_sandbox(level, limits=wanted, missing_limits_ok=True)
        return kept[level, wanted]

    yield get
    for sandbox in kept.values():
        sandbox.close()


@pytest.fixture(scope="session")
def shared_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[worlds.World]:
    with worlds.made(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture
def host(shared_world: worlds.World) -> worlds.World:
    shared_world.reset()
    return shared_world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "job"
    place.mkdir()
    return place
