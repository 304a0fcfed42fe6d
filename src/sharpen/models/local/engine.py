"""The engine that runs model files: the package `xllamacpp`, installed or fetched into the cache.

Who installs the extra `local` has it already, and that one is used. Otherwise a pinned version is fetched
once and unpacked beside the models, where only the server process sees it: the user's environment stays as
it is.
"""

from __future__ import annotations

import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path

from sharpen.models.local.cache import Progress, cache_folder, disk_refusals, held, ignore, require_room
from sharpen.models.local.catalogue import ENGINE
from sharpen.models.local.wheels import fetch

ROOM = 200_000_000
"""Bytes the largest engine takes, packed and unpacked together."""


def engine_folder() -> Path:
    """Where a fetched engine lies, or would."""
    return cache_folder() / "engines" / f"{ENGINE.package}-{ENGINE.version}"


def find_engine() -> Path | None:
    """The folder to import the engine from, or None when it has to be fetched."""
    spec = find_spec(ENGINE.package)
    if spec is not None and spec.origin:
        return Path(spec.origin).parent.parent
    folder = engine_folder()
    return folder if folder.is_dir() else None


def pull_engine(progress: Progress = ignore) -> Path:
    """The folder to import the engine from; fetched if it is not there."""
    found = find_engine()
    if found is not None:
        return found
    folder = engine_folder()
    with held(folder):
        if not folder.is_dir():
            require_room(folder.parent, ROOM, f"the engine {ENGINE.package}")
            _unpack(fetch(ENGINE, folder.parent / "downloads", progress), folder)
    return folder


def _unpack(wheel: Path, folder: Path) -> None:
    growing = folder.with_name(folder.name + ".part")
    with disk_refusals(folder):
        shutil.rmtree(growing, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(growing)
        growing.rename(folder)
        shutil.rmtree(wheel.parent)
