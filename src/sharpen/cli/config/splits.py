"""The tasks a configuration means: a folder that is divided already, or raw data divided as SkillOpt does it.

In ratio mode the split is also written down where SkillOpt puts it: whole items, byte for byte its own, when
the raw data are one JSON file; for data of any other shape the ids.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sharpen.cli.config.record import Config
from sharpen.errors import SettingsError, TaskError
from sharpen.models import Model
from sharpen.tasks.skillopt_folder import (
    SPLITS,
    generated_folder,
    read_raw_items,
    write_ratio_split,
    write_split,
)
from sharpen.tasks.skillopt_ratio import Divided, split_seed_or
from sharpen.tasks.suites import Opened, Suite
from sharpen.types import Json, TaskSet


def open_suite(config: Config, suite: Suite, *, scorer: str = "", judge: Model | None = None) -> Opened:
    """The suite's tasks, divided and cut as the configuration says."""
    env = config.env
    options = {**suite.options_in(env.model_dump()), **env.options}
    seed, root = split_seed_or(env.split_seed, config.train.seed), files_root(config)
    place = Path(env.split_dir if env.split_mode == "split_dir" else env.data_path)
    _refuse_wrong_place(config)
    opened = suite.open(
        place,
        scorer=scorer,
        judge=judge,
        options=options,
        seed=seed,
        ratio=env.split_ratio,
        data_root=root,
    )
    if env.split_mode == "ratio":
        _write_down(config, place, opened.tasks, seed)
    return replace(opened, tasks=cut(opened.tasks, config))


def split_folder(config: Config) -> Path:
    """Where ratio mode writes the split."""
    env = config.env
    if env.split_output_dir:
        return Path(env.split_output_dir)
    seed = split_seed_or(env.split_seed, config.train.seed)
    return generated_folder(env.out_root or "runs", env.name, ratio=env.split_ratio, seed=seed)


def files_root(config: Config) -> Path | None:
    """The folder of pictures, workbooks and documents; None leaves it to the place of the items."""
    env = config.env
    listed = env.data_dirs or env.docs_dirs or []
    first = env.data_root or (listed if isinstance(listed, str) else next(iter(listed), ""))
    return Path(first) if first else None


def cut(tasks: TaskSet, config: Config) -> TaskSet:
    """The splits as `limit`, `train_size`, `sel_env_num`, `test_env_num` and `eval_test` want them."""
    most, wanted, judged = config.env.limit or None, config.train.train_size, config.evaluation
    train, selection, test = tasks.train[:most], tasks.selection[:most], tasks.test[:most]
    if wanted not in (0, len(train)):
        raise TaskError(
            f"train.train_size is {wanted}, but the train split has {len(train)} tasks; "
            "set it to 0 to take the split as it is"
        )
    test = test[: judged.test_env_num or None] if judged.eval_test else ()
    return TaskSet(train=train, selection=selection[: judged.sel_env_num or None], test=test)


def _refuse_wrong_place(config: Config) -> None:
    env = config.env
    if env.split_mode == "split_dir":
        if not env.split_dir:
            raise SettingsError("env.split_mode is split_dir, but env.split_dir is empty; name the folder")
        if not Path(env.split_dir).is_dir():
            raise TaskError(f"env.split_dir: {env.split_dir} is not a folder with train/, val/ and test/")
        return
    if not env.data_path:
        raise SettingsError(
            "env.split_mode is ratio, but env.data_path is empty; name the raw items, "
            "or set env.split_mode=split_dir and env.split_dir"
        )
    if any((Path(env.data_path) / name).is_dir() for name in SPLITS):
        raise TaskError(
            f"env.data_path: {env.data_path} is divided already; set env.split_mode=split_dir and "
            f"env.split_dir={env.data_path}"
        )


def _write_down(config: Config, place: Path, tasks: TaskSet, seed: int) -> None:
    """The split as files, where and as SkillOpt writes it."""
    folder, ratio = split_folder(config), config.env.split_ratio
    items = read_raw_items(place) if place.suffix in (".json", ".jsonl") else []
    if len(items) == len(tasks.train) + len(tasks.selection) + len(tasks.test):
        write_ratio_split(items, folder, data_path=place, ratio=ratio, seed=seed)
        return
    splits = (tasks.train, tasks.selection, tasks.test)
    ids = Divided[Json](*(tuple({"id": task.id} for task in split) for split in splits))
    write_split(ids, folder, data_path=place, ratio=ratio, seed=seed)
