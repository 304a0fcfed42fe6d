"""SkillOpt's splits: the same items, counts and bytes as its own loader, and clear words for bad input."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import TaskError
from sharpen.tasks import read_tasks
from sharpen.tasks.skillopt_folder import generated_folder, read_raw_items, write_ratio_split
from sharpen.tasks.skillopt_ratio import Divided, Ratio, divide, split_seed_or
from sharpen.types import Json
from tasks.skillopt_environment import ask_skillopt

GOLDEN = json.loads((Path(__file__).parent / "data" / "skillopt_splits.json").read_text())["rows"]
NAMES = ("train", "val", "test")
FULL = os.environ.get("SHARPEN_TEST_FULL") == "1"


def item(number: int) -> dict[str, Any]:
    """Item `number` of the golden vectors."""
    return {
        "id": f"q{number}",
        "question": f"Wer war der {number}. „König“?",
        "answers": [f"A{number}", "é☃"],
        "n": number / 4,
        "x": None,
    }


def raw(path: Path, count: int) -> Path:
    path.write_text(json.dumps([item(n) for n in range(count)]))
    return path


def make_ratio_split(data: str | Path, folder: Path, **how: Any) -> Divided[Json]:
    return write_ratio_split(read_raw_items(data), folder, data_path=data, **how)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['items']}-{row['ratio']}-{row['seed']}")
def test_a_ratio_split_has_the_bytes_skillopt_writes(row: dict[str, Any], tmp_path: Path) -> None:
    data, seed = raw(tmp_path / "raw.json", row["items"]), split_seed_or(row["seed"], 42)
    folder = generated_folder(tmp_path, "golden", ratio=row["ratio"], seed=seed)
    divided = make_ratio_split(data, folder, ratio=row["ratio"], seed=seed)
    assert folder.name == row["folder"]
    assert list(divided.counts) == row["counts"]
    written = {name: (folder / name / "items.json").read_bytes() for name in NAMES}
    assert {n: hashlib.sha256(b).hexdigest() for n, b in written.items()} == row["sha256"]
    manifest = (folder / "split_manifest.json").read_text()
    assert manifest == row["manifest"].replace('"SOURCE"', json.dumps(str(data)))
    for name, order in row.get("order", {}).items():
        assert [one["id"] for one in getattr(divided, name)] == [f"q{n}" for n in order]


@pytest.mark.slow
def test_splits_equal_those_of_the_published_loader(tmp_path: Path) -> None:
    dice = random.Random(20_260_523)
    requests = []
    for at in range(300 if FULL else 40):
        ratio = ":".join(str(dice.randint(1, 12)) for _ in NAMES)
        data = raw(tmp_path / f"raw{at}.json", dice.randint(40, 400))
        out, seed = str(tmp_path / f"their{at}"), dice.randint(0, 2**33)
        requests.append({"kind": "split", "data": str(data), "out": out, "ratio": ratio, "seed": seed})
    for request, answer in zip(requests, ask_skillopt(requests), strict=True):
        ours, theirs = Path(f"{request['out']}.ours"), Path(answer["folder"])
        seed = split_seed_or(request["seed"], 42)
        make_ratio_split(request["data"], ours, ratio=request["ratio"], seed=seed)
        for file in ("train/items.json", "val/items.json", "test/items.json", "split_manifest.json"):
            assert (ours / file).read_bytes() == (theirs / file).read_bytes(), (request, file)


@given(total=st.integers(40, 3000), parts=st.tuples(*[st.integers(1, 9)] * 3), seed=st.integers(0, 99))
def test_nothing_is_lost_and_counts_are_within_one(
    total: int, parts: tuple[int, int, int], seed: int
) -> None:
    ratio = Ratio.parse(":".join(map(str, parts)))
    divided = divide(range(total), ratio, seed=seed)
    assert sorted([*divided.train, *divided.val, *divided.test]) == list(range(total))
    for count, part in zip(divided.counts, parts, strict=True):
        assert abs(count - total * part / sum(parts)) < 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("raw.json", json.dumps([item(n) for n in range(20)])),
        ("raw.json", json.dumps({"data": [item(n) for n in range(20)], "version": 2})),
        ("raw.json", json.dumps({f"key{n}": item(n) for n in range(20)})),
        ("raw.jsonl", "\r\n".join(json.dumps(item(n), ensure_ascii=False) for n in range(20)) + "\r\n\r\n"),
    ],
    ids=["array", "data", "values", "lines"],
)
def test_every_shape_of_raw_file_holds_the_same_items(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text.encode())
    expected = [item(n) for n in range(20)]
    assert read_raw_items(tmp_path / name) == expected
    assert read_raw_items(tmp_path) == expected


def test_a_split_folder_gives_tasks(tmp_path: Path) -> None:
    divided = make_ratio_split(raw(tmp_path / "raw.json", 30), tmp_path / "split")
    tasks = read_tasks(tmp_path / "split")
    assert [task.id for task in tasks.selection] == [one["id"] for one in divided.val]


@pytest.mark.parametrize("ratio", ["", "2:1", "2:1:7:1", "2:0:7", "-2:1:7", "a:b:c", "2.5:1:7"])
def test_a_ratio_that_is_none(ratio: str) -> None:
    with pytest.raises(TaskError, match="train:val:test"):
        Ratio.parse(ratio)


def test_an_empty_split_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"3 items at 2:1:7 leave the val split empty"):
        make_ratio_split(raw(tmp_path / "raw.json", 3), tmp_path / "split")
    assert not (tmp_path / "split").exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": "a"}\n{"id": ', r"raw\.jsonl, line 2: not valid JSON"),
        ('{"id": "a"}\n[1]\n', r"raw\.jsonl, item 2: an item must be an object"),
        ("", "holds no item"),
        ("[]", "holds no item"),
        ("3", "must hold an array"),
    ],
)
def test_a_raw_file_that_cannot_be_used(text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "raw.jsonl").write_text(text)
    with pytest.raises(TaskError, match=complaint):
        read_raw_items(tmp_path / "raw.jsonl")


def test_paths_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="does not exist"):
        read_raw_items(tmp_path / "nowhere.json")
    with pytest.raises(TaskError, match="holds 0 JSON files"):
        read_raw_items(tmp_path)
    (tmp_path / "train").mkdir()
    with pytest.raises(TaskError, match="split_mode split_dir"):
        read_raw_items(tmp_path)


def test_the_same_id_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "raw.json").write_text(json.dumps([*map(item, range(30)), item(3)]))
    with pytest.raises(TaskError, match=r"item 31: the id 'q3' was used before"):
        make_ratio_split(tmp_path / "raw.json", tmp_path / "split")
