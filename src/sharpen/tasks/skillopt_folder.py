"""SkillOpt's raw items, and the split folders its `ratio` mode makes of them, byte for byte.

    folder/train/items.json      a JSON array, as in val/ and test/; of several files the first by name counts
    folder/split_manifest.json   where the items came from, ratio, seed and counts; informative only

It knows items as JSON objects. What an item means (prompt, answer, files) is the suite's business, and so is
reading a split folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sharpen.errors import TaskError
from sharpen.tasks.skillopt_ratio import DEFAULT_RATIO, DEFAULT_SEED, Divided, Ratio, divide
from sharpen.types import Json

SPLITS = ("train", "val", "test")
MANIFEST = "split_manifest.json"


def generated_folder(
    out_root: str | Path, env: str, *, ratio: str = DEFAULT_RATIO, seed: int = DEFAULT_SEED
) -> Path:
    """Where SkillOpt puts the split it makes when no folder is named."""
    return Path(out_root, "_generated_splits", f"{env}_{ratio.replace(':', '-')}_seed{seed}")


def write_ratio_split(
    items: Sequence[Json],
    folder: str | Path,
    *,
    data_path: str | Path,
    ratio: str = DEFAULT_RATIO,
    seed: int = DEFAULT_SEED,
) -> Divided[Json]:
    """Divide the raw items and write the split folder; what SkillOpt's `split_mode: ratio` does."""
    _refuse_repeats(items, str(data_path))
    try:
        divided = divide(items, Ratio.parse(ratio), seed=seed)
    except TaskError as error:
        raise TaskError(f"{data_path}: {error}") from error
    write_split(divided, folder, data_path=data_path, ratio=ratio, seed=seed)
    return divided


def write_split(
    divided: Divided[Json], folder: str | Path, *, data_path: str | Path, ratio: str, seed: int
) -> None:
    """Write items that are divided already, with the manifest that says how."""
    home = Path(folder)
    for name in SPLITS:
        _write(home / name / "items.json", list(getattr(divided, name)))
    _write(
        home / MANIFEST,
        {
            # Without following links, as SkillOpt spells it.
            "source_data_path": os.path.abspath(data_path),  # noqa: PTH100
            "split_mode": "ratio",
            "split_ratio": ratio,
            "split_seed": seed,
            "counts": divided.counts._asdict(),
        },
    )


def read_raw_items(path: str | Path) -> list[Json]:
    """Items of a JSON array, of an object (its `data`, else its values), or of JSON lines.

    A folder is read when it holds exactly one such file.
    """
    source = _raw_file(Path(path))
    text = _text(source).strip()
    try:
        found: object = json.loads(text) if text else []
    except json.JSONDecodeError:
        found = [
            _line(line, source, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()
        ]
    if isinstance(found, dict):
        found = found["data"] if isinstance(found.get("data"), list) else list(found.values())
    items = _objects(found, source)
    if not items:
        raise TaskError(f"{source} holds no item; there is nothing to split")
    return items


def _raw_file(path: Path) -> Path:
    if not path.is_dir():
        if not path.is_file():
            raise TaskError(f"{path} does not exist; name the JSON or JSONL file with the raw items")
        return path
    if any((path / name).is_dir() for name in SPLITS):
        raise TaskError(f"{path} is a split folder; use it with split_mode split_dir instead of ratio")
    files = [*sorted(path.glob("*.json")), *sorted(path.glob("*.jsonl"))]
    if len(files) != 1:
        raise TaskError(f"{path} holds {len(files)} JSON files; name the one with the raw items")
    return files[0]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise TaskError(f"{path} cannot be read ({error.strerror or error})") from error


def _line(line: str, source: Path, number: int) -> object:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise TaskError(f"{source}, line {number}: not valid JSON, {error.msg}") from error


def _objects(found: object, source: Path) -> list[Json]:
    if not isinstance(found, list):
        raise TaskError(f"{source} must hold an array of items or one item per line")
    items: list[Json] = []
    for number, item in enumerate(found, 1):
        if not isinstance(item, Mapping):
            raise TaskError(f"{source}, item {number}: an item must be an object, not {type(item).__name__}")
        items.append(item)
    return items


def _refuse_repeats(items: Sequence[Json], source: str) -> None:
    seen: set[str] = set()
    for number, item in enumerate(items, 1):
        if "id" not in item:
            continue  # some raw data get their ids from the suite, later
        name = str(item["id"])
        if name in seen:
            raise TaskError(f"{source}, item {number}: the id {name!r} was used before; ids must be unique")
        seen.add(name)


def _write(path: Path, value: object) -> None:
    """Written beside its place and moved there, so that nobody reads half a split."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.half")
    half.write_bytes(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8"))
    half.replace(path)
