"""Skills that a person points at: a file, a skill folder, or a run folder, which stands for its best."""

from __future__ import annotations

from pathlib import Path

from sharpen.errors import RunFolderError
from sharpen.evaluate.compare import KIND
from sharpen.report import RunView, load_run
from sharpen.skills import Skill
from sharpen.store.sqlite import DB_NAME


def is_run(path: Path) -> bool:
    return (path / DB_NAME).is_file()


def view_of(run: Path) -> RunView:
    """A training run; RunFolderError for a folder that is none."""
    view = load_run(run)
    if view.config.get("kind") == KIND:
        raise RunFolderError(f"{run} keeps attempts for `sharpen eval`; it holds no training run")
    return view


def skill_at(path: Path) -> Skill:
    """The skill at `path`; of a run the best accepted one, or the one it started with."""
    return text_of(view_of(path), path, best=True) if is_run(path) else Skill.read(path)


def text_of(view: RunView, path: Path, *, best: bool) -> Skill:
    """The best or the starting skill of a run."""
    version = view.version(view.best if best else "start")
    if version is None:
        raise RunFolderError(f"{path} holds no skill yet: its process ended before anything was recorded")
    return Skill(version.text)
