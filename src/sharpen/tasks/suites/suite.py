"""A suite: a benchmark as tasks, a scorer, a skill to start from and a configuration, under one name.

A suite says how one row of its data becomes a task; reading files, refusing what is wrong with them and
dividing what is not divided are the same for all. Data are not part of a suite, only where they can be
had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from sharpen.errors import SettingsError, TaskError
from sharpen.models import Model
from sharpen.skills import Skill
from sharpen.tasks.extras import require
from sharpen.tasks.prompting import packaged
from sharpen.tasks.scorers.judging import Judge, as_judge
from sharpen.tasks.scoring import Scorer
from sharpen.tasks.skillopt_ratio import DEFAULT_SEED, Ratio, divide
from sharpen.tasks.split import split_tasks
from sharpen.tasks.suites.rows import Row, rows_of
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.turns import Turns
from sharpen.types import Json, Split, Task, TaskSet

StudentKind = Literal["chat", "images", "tools", "turns"]
"""Who can attempt a suite: any model, one that sees, one with tools and files, one that is talked with."""


@runtime_checkable
class Checking(Protocol):
    """A scorer that can say before the first attempt that it could not judge one of the tasks."""

    def refuse_unready(self, tasks: Iterable[Task]) -> None: ...


@dataclass(frozen=True)
class Tools:
    """What a scorer or a dialogue may need beside the task: the folder of the data, the options, a judge."""

    folder: Path
    options: Json = field(default_factory=dict)
    judge: Judge | None = None

    def judged_by(self, scorer: str) -> Judge:
        if self.judge is None:
            raise SettingsError(
                f"the scorer {scorer} asks a model; name a judge, for example --judge openai:gpt-5-mini"
            )
        return self.judge


@dataclass(frozen=True)
class Opened:
    """A suite with its data: everything a run needs but the student."""

    suite: Suite
    tasks: TaskSet
    scorer: Scorer
    turns: Turns | None = None  # for a student that talks with the task; None when one answer is all

    @property
    def skill(self) -> Skill:
        """What training starts from."""
        return self.suite.skill

    @property
    def student(self) -> StudentKind:
        """The kind of student that is needed."""
        if self.turns is not None:
            return "turns"
        return "chat" if self.suite.student == "turns" else self.suite.student

    def first(self, limit: int) -> Opened:
        """The first so many tasks of each split; 0 keeps all, as SkillOpt's `env.limit` does."""
        if limit <= 0:
            return self
        splits = {name: self.tasks.split(name)[:limit] for name in ("train", "selection", "test")}
        return replace(self, tasks=TaskSet(**splits))


@dataclass(frozen=True)
class Suite:
    """One benchmark. The first of `scorers` is the usual one; the others go by their own names."""

    name: str
    about: str
    files: tuple[str, ...]  # patterns of the files that hold the rows
    task: Callable[[Row, Json], Task]  # a row and the options, as a task
    scorers: Mapping[str, Callable[[Tools], Scorer]]
    options: Json = field(default_factory=dict)  # with their defaults; SkillOpt's names where it has one
    keeps: Callable[[Row, Json], bool] = lambda row, options: True  # rows that the options leave in
    turns: Callable[[Tools], Turns | None] = lambda tools: None  # for tasks that answer back
    needs: tuple[str, ...] = ()  # modules without which its rows cannot be read
    source: Source | None = None
    student: StudentKind = "chat"
    package: str = "sharpen.tasks.suites"  # where its texts lie: texts/NAME/prompt.md, skill.md, config.yaml

    @property
    def prompt(self) -> str:
        return self._text("prompt.md")

    @property
    def config(self) -> str:
        """A configuration in SkillOpt's keys, as YAML."""
        return self._text("config.yaml")

    @property
    def skill(self) -> Skill:
        """What training starts from."""
        return Skill.from_text(self._text("skill.md"))

    def open(
        self,
        place: str | Path,
        *,
        scorer: str = "",
        judge: Model | Judge | None = None,
        options: Json | None = None,
        seed: int = DEFAULT_SEED,
        ratio: str | None = None,
        data_root: str | Path | None = None,
    ) -> Opened:
        """The data at `place` as tasks; `ratio` divides as SkillOpt does, else groups stay together.

        Pictures and workbooks are looked for under `data_root`, else under the place itself.
        """
        for module in self.needs:
            require(module, for_what=f"the suite {self.name}")
        root = Path(data_root or place)
        chosen = self.chosen(options or {})
        judging = None if judge is None else as_judge(judge)
        tools = Tools(root.parent if root.is_file() else root, chosen, judging)
        judged, turns = self.scorer_named(scorer, tools), self.turns(tools)
        rows = [replace(row, root=tools.folder) for row in self._rows(Path(place), chosen)]
        tasks = self._tasks(rows, chosen)
        if isinstance(judged, Checking):
            judged.refuse_unready(tasks)
        return Opened(self, _divided(rows, tasks, seed=seed, ratio=ratio), judged, turns)

    def chosen(self, given: Json) -> Json:
        """All options, with these values for some of them; an unknown one is refused."""
        for name in given:
            if name not in self.options:
                near = get_close_matches(name, self.options, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(self.options) or 'none'}"
                raise SettingsError(f"the suite {self.name} has no option {name!r}; {hint}")
        return {**self.options, **given}

    def options_in(self, values: Json) -> Json:
        """Those of a configuration's values that are options of this suite and are set."""
        return {name: values[name] for name in self.options if values.get(name) not in (None, "")}

    def scorer_named(self, name: str, tools: Tools) -> Scorer:
        """The scorer of that name, the usual one for an empty name; the version may be left out."""
        wanted = name or next(iter(self.scorers))
        for known, make in self.scorers.items():
            if wanted in (known, known.partition("@")[0]):
                return make(tools)
        near = get_close_matches(wanted, self.scorers, n=1)
        hint = f"; did you mean {near[0]!r}" if near else ""
        raise SettingsError(
            f"the suite {self.name} has no scorer {name!r}{hint}; it has {', '.join(self.scorers)}"
        )

    def _rows(self, place: Path, options: Json) -> list[Row]:
        """The rows that the options leave in, in the order of the files."""
        found = [row for row in rows_of(place, self.files, suite=self.name) if self.keeps(row, options)]
        if not found:
            raise TaskError(f"{place} holds no item of {self.name}")
        return found

    def _tasks(self, rows: list[Row], options: Json) -> list[Task]:
        """The rows as tasks, in their order; ids that occur twice are refused."""
        first: dict[str, str] = {}
        tasks = []
        for row in rows:
            task = self.task(row, options)
            if task.id in first:
                raise TaskError(
                    f"{row.where}: the id {task.id!r} was used before, at {first[task.id]}; "
                    "ids must be unique"
                )
            first[task.id] = row.where
            tasks.append(task)
        return tasks

    def _text(self, name: str) -> str:
        return packaged(self.package, f"texts/{self.name}/{name}")


def _divided(rows: list[Row], tasks: list[Task], *, seed: int, ratio: str | None) -> TaskSet:
    splits: dict[Split, list[Task]] = {"train": [], "selection": [], "test": []}
    if rows[0].split is None:
        if ratio is None:
            return split_tasks(tasks, seed=seed)
        cut = divide(tasks, Ratio.parse(ratio), seed=seed)
        return TaskSet(train=cut.train, selection=cut.val, test=cut.test)
    for row, task in zip(rows, tasks, strict=True):
        splits[row.split or "train"].append(task)
    return TaskSet(**splits)
