"""Reading tasks from files. Every complaint names the file and the line or item.

    tasks.jsonl      one object per line: {"id", "prompt", "answer"?, "check"?, "data"?, "group"?, "split"?}
    tasks.json       an array of such objects
    evals.json       the skill creator's, or a skill's folder that holds evals/evals.json
    folder/          SkillOpt's: train/, val/ (or selection/) and test/, each with a JSON array of items

Either every task names its split or none does; then `split.py` divides them. SkillOpt's items carry their
fields at the top: id and prompt (or question) are taken out, the rest becomes the task's data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError, field_validator

from sharpen.errors import TaskError
from sharpen.tasks.evals import eval_rows, evals_file
from sharpen.tasks.scorers.checks import read_check
from sharpen.tasks.split import split_tasks
from sharpen.types import Split, Task, TaskSet

SPLIT_NAMES: dict[str, Split] = {
    "train": "train",
    "selection": "selection",
    "val": "selection",
    "valid": "selection",
    "valid_seen": "selection",
    "test": "test",
    "valid_unseen": "test",
}
PROMPT_KEYS = ("prompt", "question", "instruction")
"""Where SkillOpt's environments keep what the student is asked."""


class Row(BaseModel):
    """One task as a file spells it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    prompt: StrictStr = ""
    answer: Any = None
    check: Any = None
    data: dict[str, Any] = {}
    group: StrictStr | None = None
    split: StrictStr | None = None

    @field_validator("id", mode="before")
    @classmethod
    def _number_as_text(cls, value: object) -> object:
        """Data sets number their items; a number is as good an id as its digits."""
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("split")
    @classmethod
    def _known_split(cls, value: str | None) -> str | None:
        if value is not None and value not in SPLIT_NAMES:
            raise ValueError(f"{value!r} is not a split; it can be train, selection or test")
        return value


class Found(NamedTuple):
    """A row and where it stands."""

    row: Row
    where: str


def read_tasks(path: str | Path, *, seed: int = 0) -> TaskSet:
    """The tasks at `path`; tasks without a split are divided by `seed`."""
    path = Path(path)
    try:
        place = evals_file(path) or path
        found = list(_folder(place) if place.is_dir() else _file(place))
    except OSError as error:
        raise TaskError(f"{path}: the tasks cannot be read ({error.strerror or error})") from error
    if not found:
        raise TaskError(f"{path} holds no task")
    _refuse_repeats(found)
    return _task_set(path, found, seed=seed)


def _task_set(path: Path, found: list[Found], *, seed: int) -> TaskSet:
    open_ones = [one for one in found if one.row.split is None]
    if len(open_ones) == len(found):
        return split_tasks([_task(one) for one in found], seed=seed)
    if open_ones:
        raise TaskError(
            f"{open_ones[0].where}: no split is given, but other tasks have one; give all or none"
        )
    splits: dict[Split, list[Task]] = {"train": [], "selection": [], "test": []}
    for one in found:
        splits[SPLIT_NAMES[one.row.split or ""]].append(_task(one))
    try:
        return TaskSet(**splits)
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from error


def _task(found: Found) -> Task:
    try:
        task = Task(found.row.id, found.row.prompt, _data(found), found.row.group)
        _ = task.digest  # made here, where the place of data that has none can still be named
    except TaskError as error:
        raise TaskError(f"{found.where}: {error}") from error
    return task


def _data(found: Found) -> dict[str, Any]:
    """What stands beside `data` goes into it: the answer, and the check in its one spelling."""
    row, given = found.row, dict(found.row.data)
    for name in ("answer", "check"):
        if name in row.model_fields_set and name in given:
            raise TaskError(f"{found.where}: {name!r} stands both in the row and in its data; give it once")
    if "answer" in row.model_fields_set:
        given["answer"] = row.answer
    if "check" in row.model_fields_set:
        has_answer = "answer" in given or "answers" in given
        given["check"] = read_check(row.check, has_answer=has_answer, where=found.where)
    return given


def _refuse_repeats(found: list[Found]) -> None:
    first: dict[str, str] = {}
    for row, where in found:
        if row.id in first:
            raise TaskError(
                f"{where}: the id {row.id!r} was used before, at {first[row.id]}; ids must be unique"
            )
        first[row.id] = where


# -- files ----------------------------------------------------------------------------------------------


def _file(path: Path) -> Iterator[Found]:
    text = _text(path)
    if path.name == "evals.json":
        yield from (
            Found(_row(item, where), where) for item, where in eval_rows(path, _json(text, str(path)))
        )
        return
    if text.lstrip().startswith("["):
        yield from (Found(_row(item, where), where) for item, where in _array(path, text))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield Found(_row(_json(line, where), where), where)


def _folder(path: Path) -> Iterator[Found]:
    """SkillOpt's split folder: the first JSON file in each split's folder."""
    homes = [home for home in sorted(path.iterdir()) if home.is_dir() and home.name in SPLIT_NAMES]
    if not homes:
        raise TaskError(
            f"{path} has no folder train/, val/ (or selection/) or test/ with a JSON file of items"
        )
    for home in homes:
        files = sorted(home.glob("*.json"))
        if not files:
            raise TaskError(f"{home} holds no JSON file; it should hold items.json, an array of items")
        for item, where in _array(files[0], _text(files[0])):
            yield Found(_item(item, home.name, where), where)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def _array(path: Path, text: str) -> Iterator[tuple[object, str]]:
    items = _json(text, str(path))
    if not isinstance(items, list):
        raise TaskError(f"{path} must hold a JSON array of tasks, not {_kind(items)}")
    return ((item, f"{path}, item {number}") for number, item in enumerate(items, 1))


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "\n" in text.strip() else ""
        raise TaskError(f"{where}{line}: not valid JSON, {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{where}: not valid JSON, {error}") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


# -- rows -----------------------------------------------------------------------------------------------


def _row(item: object, where: str) -> Row:
    if not isinstance(item, Mapping):
        raise TaskError(
            f'{where}: a task must be an object like {{"id": "t1", "prompt": "…"}}, not {_kind(item)}'
        )
    try:
        return Row.model_validate(dict(item))
    except ValidationError as error:
        raise TaskError(f"{where}: {_complaint(error)}") from error


def _item(item: object, split: str, where: str) -> Row:
    """A SkillOpt item: whatever is not ours to know goes into the data."""
    if not isinstance(item, Mapping):
        raise TaskError(f"{where}: an item must be an object with an id, not {_kind(item)}")
    rest = dict(item)
    row = {"id": rest.pop("id", None), "split": split}
    for key in PROMPT_KEYS:
        if isinstance(rest.get(key), str):
            row["prompt"] = rest.pop(key)
            break
    return _row({**row, "data": rest}, where)


def _complaint(error: ValidationError) -> str:
    """The first thing that is wrong, in our words where they are better than pydantic's."""
    first = error.errors()[0]
    field = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"the task has no {field}"
    if first["type"] == "extra_forbidden":
        near = get_close_matches(field, Row.model_fields, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else "put what your student needs under 'data'"
        return f"unknown field {field!r}; {remedy}"
    return f"{field}: {first['msg'].removeprefix('Value error, ')}"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a string", type(None): "null", bool: "true or false"}
    return names.get(type(value), "a number")
