"""SkillOpt's EnvAdapter as a student: an adapter brings its own items, runs its own agent and scores it.

Nothing of SkillOpt is imported: an adapter is any object with its methods. Each attempt is a rollout of one
item in a fresh folder; the row it returns is the score, and `conversation.json` the trajectory. A row that
speaks of an error, a missing row or a row about another item measured nothing, so it is an error, never a
score. What an adapter spends is not known here.
"""

from __future__ import annotations

import asyncio
import inspect
import shutil
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from sharpen.agents.skill_files import with_references
from sharpen.agents.skillopt_conversation import read_conversation
from sharpen.errors import SettingsError, TaskError
from sharpen.skills import Skill
from sharpen.tasks.files import PROMPT_KEYS
from sharpen.tasks.own_code import load_own
from sharpen.types import Json, Rollout, Task, TaskSet, digest_of

SKILLOPT = "skillopt"
"""What the name of such a student begins with."""
NEEDED = ("build_train_env", "build_eval_env", "rollout")
SPLITS = {"train": "train", "selection": "val", "test": "test"}
"""Our splits, as SkillOpt calls them."""


@dataclass(frozen=True)
class BatchSpec:
    """What an adapter builds an environment from; the fields are SkillOpt's."""

    phase: Literal["train", "eval"]
    split: str
    seed: int
    batch_size: int
    payload: list[dict[str, Any]]
    metadata: dict[str, Any] = field(default_factory=dict)


def open_adapter(spec: str, options: Mapping[str, object] | None = None) -> AdapterStudent:
    """The adapter that MODULE:CLASS names, made with these options and set up as SkillOpt's trainer does."""
    given = dict(options or {})
    found: Any = load_own(spec, what="the adapter")
    if isinstance(found, type):
        _refuse_unknown(found, given, spec)
        try:
            found = found(**given)
        except Exception as error:
            raise SettingsError(
                f"the adapter {spec} cannot be made: {type(error).__name__}: {error}"
            ) from error
    elif given:
        raise SettingsError(f"{spec} is made already; options are for a class: {', '.join(given)}")
    return AdapterStudent(found, spec, given)


def _refuse_unknown(kind: type, given: Mapping[str, object], spec: str) -> None:
    parameters = inspect.signature(kind).parameters.values()
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        return
    names = [one.name for one in parameters]
    for name in given:
        if name not in names:
            raise SettingsError(f"the adapter {spec} takes no option {name!r}; it takes {', '.join(names)}")


class AdapterStudent:
    """An adapter that attempts its own items; `tasks` are these items."""

    def __init__(self, adapter: Any, name: str, options: Json | None = None) -> None:
        missing = [method for method in NEEDED if not callable(getattr(adapter, method, None))]
        if missing:
            raise SettingsError(f"{name} is no EnvAdapter of SkillOpt: it has no {' and no '.join(missing)}")
        self._adapter = adapter
        self._name = name
        self._options = dict(options or {})
        place = tempfile.mkdtemp(prefix="sharpen-")
        self._cleaned = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        if callable(getattr(adapter, "setup", None)):
            with redirect_stdout(sys.stderr):  # loaders of SkillOpt print
                adapter.setup({"env": name, "out_root": place, **self._options})

    @property
    def fingerprint(self) -> str:
        kind = type(self._adapter)
        return f"skillopt({kind.__module__}.{kind.__qualname__}, {digest_of(self._options)[:16]})"

    async def aclose(self) -> None:
        self._cleaned()

    @cached_property
    def tasks(self) -> TaskSet:
        """The adapter's items, each the data of one task."""
        splits = {ours: self._items(theirs) for ours, theirs in SPLITS.items()}
        return TaskSet(**{name: [_task(item) for item in items] for name, items in splits.items()})

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        with tempfile.TemporaryDirectory(prefix="sharpen-") as out_dir:
            rows = await asyncio.to_thread(self._rolled_out, task, skill, out_dir, trial)
            row = next((row for row in rows if str(row.get("id")) == task.id), None)
            if row is None:
                return Rollout.failed_to_run(task, reason=_stray(task, rows))
            fault = _fault(row)
            if fault:
                return Rollout.failed_to_run(task, reason=fault)
            return Rollout.scored(
                task,
                hard=float(row["hard"]),
                soft=float(row.get("soft", row["hard"])),
                feedback=str(row.get("fail_reason") or ""),
                trajectory=read_conversation(Path(out_dir, "predictions", task.id), agent=self._name),
            )

    def _rolled_out(self, task: Task, skill: Skill, out_dir: str, trial: int) -> Sequence[Json]:
        item = dict(task.data)
        if self._loader is None:
            return self._rows(self._adapter.rollout([item], with_references(skill), out_dir))
        in_train = task.id in self._train_ids
        batch = BatchSpec("train" if in_train else "eval", "train" if in_train else "val", trial, 1, [item])
        environment = self._adapter.build_env_from_batch(batch, out_root=out_dir)
        told = {"use_eval_feedback": True} if in_train else {}
        return self._rows(self._adapter.rollout(environment, with_references(skill), out_dir, **told))

    def _rows(self, found: object) -> Sequence[Json]:
        if not isinstance(found, Sequence) or not all(isinstance(row, Mapping) for row in found):
            raise TypeError(f"rollout of {self._name} must return a list of rows, not {type(found).__name__}")
        return found

    @cached_property
    def _loader(self) -> Any:
        get = getattr(self._adapter, "get_dataloader", None)
        return get() if callable(get) else None

    @cached_property
    def _train_ids(self) -> frozenset[str]:
        return frozenset(task.id for task in self.tasks.train)

    def _items(self, theirs: str) -> Sequence[Json]:
        """A loader's items; without a loader, what the adapter builds an environment of."""
        if self._loader is not None:
            found = getattr(self._loader, f"{theirs}_items", None)
            if found is None and callable(getattr(self._loader, "get_split_items", None)):
                found = self._loader.get_split_items(theirs)
        else:
            found = self._adapter.build_eval_env(env_num=0, split=theirs, seed=0)  # 0 means all of them
        if not isinstance(found, Sequence) or not all(isinstance(item, Mapping) for item in found):
            raise TaskError(
                f"{self._name} does not say which items its {theirs} split has: give it a dataloader with "
                f"{theirs}_items, or build environments that are lists of items"
            )
        return found


def _task(item: Json) -> Task:
    if item.get("id") in (None, ""):
        raise TaskError(f"an item without an id cannot be told apart: {str(dict(item))[:200]}")
    prompt = next((str(item[key]) for key in PROMPT_KEYS if isinstance(item.get(key), str)), "")
    return Task(str(item["id"]), prompt, dict(item))


def _fault(row: Json) -> str:
    """Why a row is no measurement; empty when it is one."""
    said = str(row.get("error") or "")
    if said:
        return said
    if row.get("agent_ok") is False or row.get("phase") in ("error", "timeout"):
        return f"the agent did not run: {row.get('fail_reason') or 'no reason given'}"
    for name in ("hard", "soft"):
        value = row.get(name, row.get("hard"))
        if isinstance(value, str) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            return f"its row has no {name} from 0 to 1 but {value!r}"
    return ""


def _stray(task: Task, rows: Sequence[Json]) -> str:
    others = ", ".join(str(row.get("id")) for row in rows[:5])
    return (
        f"the adapter gave no row for {task.id!r}"
        + (f" but for {others}" if others else "")
        + "; build_env_from_batch must take its items from batch.payload"
    )
