"""Writing the files: each in one piece, one that is right already left alone.

Knows the disk. What the files are and say is `layout`'s business.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

from sharpen.store.failures import DiskErrors
from sharpen.store.projections.layout import PACKAGE, files_of
from sharpen.store.records import Store
from sharpen.store.sqlite import SqliteStore


def write_projections(store: Store, run_dir: Path) -> list[Path]:
    """Write every file in one piece and return their paths; one that is right already is left alone."""
    written = []
    for name, content in files_of(store):
        path = run_dir / name
        with DiskErrors(path):
            if name.startswith(f"{PACKAGE}/"):
                _make_way(path, run_dir / PACKAGE)
            _write_atomically(path, content)
        written.append(path)
    _remove_others(run_dir / PACKAGE, keep=set(written))
    return written


def rebuild(run_dir: Path) -> list[Path]:
    """Write the files again from the folder's database, also beside a live run."""
    with closing(SqliteStore.read(run_dir)) as store:
        return write_projections(store, run_dir)


def _make_way(path: Path, folder: Path) -> None:
    """An earlier skill may have had a file where this one has a folder, or the other way round."""
    for above in path.parents[: len(path.relative_to(folder).parts)]:
        if above.is_file():
            above.unlink()
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)


def _remove_others(folder: Path, *, keep: set[Path]) -> None:
    """A folder of the best skill holds that skill and nothing of an earlier one."""
    if folder.is_symlink() or not folder.is_dir():
        return
    with DiskErrors(folder):
        for path in sorted(folder.rglob("*"), reverse=True):  # what a folder holds comes before the folder
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in keep and not _is_draft(path):
                path.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def _is_draft(path: Path) -> bool:
    """Another process may be writing the same files at this moment."""
    return path.name.startswith(".") and path.suffix == ".tmp"


def _write_atomically(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
