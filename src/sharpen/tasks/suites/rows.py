"""Reading a benchmark's own files, row by row: JSON, JSON lines, CSV and Parquet, whole or in splits.

A row keeps its place, for complaints, and the folder its file lies in, because pictures and workbooks are
named from there. What the fields mean is the suite's business.
"""

from __future__ import annotations

import ast
import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from sharpen.errors import TaskError
from sharpen.tasks.extras import load
from sharpen.tasks.files import SPLIT_NAMES
from sharpen.tasks.suites.sources import RECEIPT
from sharpen.types import Json, Split

ENDINGS = (".json", ".jsonl", ".csv", ".parquet")


@dataclass(frozen=True)
class Row:
    """One item of the data, its place, and its split where the data are divided."""

    fields: Json
    where: str
    root: Path  # the folder that was opened
    home: Path  # the folder of the row's file
    number: int  # from 1, within its file
    split: Split | None = None

    def text(self, *names: str, default: str | None = None) -> str:
        """The first of these fields that is there, as text; without a default it must be."""
        for name in names:
            value = self.fields.get(name)
            if value is not None and (not isinstance(value, str) or value.strip()):
                return str(value).strip()
        if default is None:
            raise TaskError(f"{self.where}: the field {' or '.join(map(repr, names))} is missing or empty")
        return default

    def texts(self, *names: str) -> list[str]:
        """A field that holds a list, as such or spelled as one in a text; empty when it is not there."""
        for name in names:
            value = self.fields.get(name)
            if value is not None:
                return [str(one) for one in as_list(value)]
        return []


def as_list(value: object) -> list[object]:
    """A list from a list, from its spelling in JSON or Python, or from one value."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, str) and value.strip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(value)
            except (ValueError, SyntaxError):
                continue
            return list(found)
    return [] if value in (None, "") else [value]


def rows_of(place: Path, patterns: Sequence[str], *, suite: str) -> list[Row]:
    """Every row at `place`: a file, a folder of split folders, or a folder with files of these patterns."""
    if place.is_file():
        return list(_file(place, place.parent, None))
    if not place.is_dir():
        raise TaskError(f"{place} does not exist; `sharpen suites fetch {suite}` gets the data of {suite}")
    homes = [home for home in sorted(place.iterdir()) if home.is_dir() and home.name in SPLIT_NAMES]
    if homes:
        return [row for home in homes for row in _file(_only(home), place, SPLIT_NAMES[home.name])]
    every = {path for pattern in patterns for path in place.rglob(pattern) if path.is_file()}
    found = sorted(path for path in every if path.name != RECEIPT)
    if not found:
        raise TaskError(
            f"{place} holds no {' or '.join(patterns)}; "
            f"`sharpen suites fetch {suite}` gets the data of {suite}"
        )
    return [row for path in found for row in _file(path, place, None)]


def _only(home: Path) -> Path:
    found = sorted(path for path in home.iterdir() if path.suffix in ENDINGS)
    if not found:
        raise TaskError(f"{home} holds no file of items ({', '.join(ENDINGS)})")
    return found[0]


def _file(path: Path, root: Path, split: Split | None) -> Iterator[Row]:
    for number, fields in enumerate(_items(path), 1):
        where = f"{path}, item {number}"
        if not isinstance(fields, Mapping):
            raise TaskError(f"{where}: must be an object with named fields, not {type(fields).__name__}")
        yield Row(fields, where, root, path.parent, number, split)


def _items(path: Path) -> Sequence[object]:
    if path.suffix == ".parquet":
        parquet = load("pyarrow", for_what=f"reading {path.name}", part="parquet")
        rows: list[object] = parquet.read_table(path).to_pylist()
        return rows
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    if path.suffix == ".csv":
        return _csv(text)
    return _jsonl(path, text) if path.suffix == ".jsonl" else _json(path, text)


def _csv(text: str) -> list[object]:
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a page of text outgrows the usual limit
    try:
        return list(csv.DictReader(StringIO(text, newline="")))
    finally:
        csv.field_size_limit(before)


def _json(path: Path, text: str) -> list[object]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise TaskError(f"{path}: not valid JSON, {error}") from error
    if isinstance(found, Mapping):
        inside = found.get("data")
        found = inside if isinstance(inside, list) else list(found.values())
    if not isinstance(found, list):
        raise TaskError(f"{path} must hold an array of items")
    return found


def _jsonl(path: Path, text: str) -> list[object]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except ValueError as error:
                raise TaskError(f"{path}, line {number}: not valid JSON, {error}") from error
    return found
