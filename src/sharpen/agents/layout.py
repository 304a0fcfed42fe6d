"""The files a task brings, laid out in the folder an attempt works in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from sharpen.errors import TaskError
from sharpen.types import Task


def lay_out(task: Task, work: Path) -> None:
    """Write the files a task brings (`data["files"]`: relative paths to texts) into the work folder."""
    files = task.data.get("files", {})
    if not isinstance(files, Mapping):
        raise TaskError(f"task {task.id!r}: data['files'] must map paths to texts")
    for name, text in files.items():
        pure = PurePosixPath(str(name))
        if pure.is_absolute() or ".." in pure.parts or not pure.parts or not isinstance(text, str):
            raise TaskError(f"task {task.id!r}: {name!r} must be a relative path with a text")
        path = work / pure
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
