"""Skills that a person points at: a file, a skill folder, or a run folder, which stands for its best."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sharpen.errors import RunFolderError
from sharpen.evaluate.compare import KIND
from sharpen.report import RunView, is_skillopt_run, load_run, load_skillopt
from sharpen.skills import Skill
from sharpen.store import SqliteStore
from sharpen.store.sqlite import DB_NAME


def is_run(path: Path) -> bool:
    return (path / DB_NAME).is_file()


def view_of(run: Path) -> RunView:
    """A training run of ours; RunFolderError for a folder that is none."""
    if is_skillopt_run(run):
        raise RunFolderError(
            f"{run} was made by SkillOpt and has no database of attempts and verdicts, which this needs; "
            f"`sharpen show {run}` shows what its files tell"
        )
    view = load_run(run)
    if view.config.get("kind") == KIND:
        raise RunFolderError(f"{run} keeps attempts for `sharpen eval`; it holds no training run")
    return view


def skill_at(path: Path) -> Skill:
    """The skill at `path`; of a run the best accepted one, or the one it started with."""
    if is_skillopt_run(path):
        return skillopt_pair(path)[1]
    return text_of(view_of(path), path, best=True) if is_run(path) else Skill.read(path)


def skillopt_pair(path: Path) -> tuple[Skill, Skill]:
    """The starting and the best skill of a run that SkillOpt made."""
    run = load_skillopt(path)
    for name, text in (("skills/skill_v0000.md", run.start_skill), ("best_skill.md", run.best_skill)):
        if text is None:
            raise RunFolderError(
                f"{path} was made by SkillOpt and has no readable {name}: "
                "what the run changed cannot be known. Give two skill files instead"
            )
    assert run.start_skill is not None
    assert run.best_skill is not None
    return Skill(run.start_skill), Skill(run.best_skill)


def text_of(view: RunView, path: Path, *, best: bool) -> Skill:
    """The best or the starting skill of a run, with its files."""
    version = view.version(view.best if best else "start")
    if version is None:
        raise RunFolderError(f"{path} holds no skill yet: its process ended before anything was recorded")
    with closing(SqliteStore.read(path)) as store:
        return next(kept.skill for kept in store.versions() if kept.digest == version.digest)
