"""Pictures of a task, in the form in which students send them: base64 with a media type.

A picture is a file beside the data, or bytes inside a Parquet row. What it is comes from its first bytes,
not from its name. A missing one is named when the data are read, before anything is paid.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

from sharpen.errors import TaskError
from sharpen.tasks.suites.rows import Row

Picture = dict[str, str]

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def pictures_of(row: Row, values: Sequence[object]) -> list[Picture]:
    """One picture per value; a row without any is an error."""
    if not values:
        raise TaskError(f"{row.where}: names no image")
    return [_picture(row, value) for value in values]


def _picture(row: Row, value: object) -> Picture:
    if isinstance(value, Mapping):
        inside = value.get("bytes")
        if isinstance(inside, bytes):
            return _encoded(inside, row, str(value.get("path") or "an image of the row"))
        value = value.get("path")
    if isinstance(value, bytes):
        return _encoded(value, row, "an image of the row")
    if not isinstance(value, str) or not value:
        raise TaskError(f"{row.where}: names no image")
    return _encoded(_found(row, value).read_bytes(), row, value)


def _found(row: Row, name: str) -> Path:
    """From the row's own folder, the folder that was opened, or `images` in either."""
    for place in (row.home, row.root, row.home / "images", row.root / "images", row.root / "data"):
        if (place / name).is_file():
            return place / name
    raise TaskError(
        f"{row.where}: the image {name!r} is neither in {row.home} nor in {row.root} (or images/ there); "
        "fetch the data again, or leave the item out"
    )


def _encoded(content: bytes, row: Row, name: str) -> Picture:
    kinds = [kind for magic, kind in _MAGIC if content.startswith(magic)]
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kinds = ["image/webp"]
    if not kinds:
        raise TaskError(f"{row.where}: {name!r} is no PNG, JPEG, GIF or WebP image; convert it")
    return {"data": base64.b64encode(content).decode("ascii"), "media_type": kinds[0]}
