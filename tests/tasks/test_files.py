"""Reading tasks: three shapes of files, and complaints that name the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import TaskError
from sharpen.tasks import read_tasks

ROWS = [
    {"id": "a", "prompt": "do a", "data": {"x": [1, None]}, "group": "g", "split": "train"},
    {"id": "b", "split": "val"},
    {"id": 3, "split": "test"},
]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_jsonl_and_an_array_read_the_same(tmp_path: Path) -> None:
    lines = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, ROWS)) + "\n\n")
    array = write(tmp_path / "b.json", json.dumps(ROWS, indent=1))
    found = read_tasks(lines)
    assert found.digest == read_tasks(array).digest
    assert (found.train[0].prompt, found.train[0].data, found.train[0].group) == (
        "do a",
        {"x": [1, None]},
        "g",
    )
    assert [task.id for task in found.selection + found.test] == ["b", "3"]


def test_tasks_without_a_split_are_divided_by_the_seed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", "\n".join(json.dumps({"id": str(n)}) for n in range(20)))
    found = read_tasks(path, seed=1)
    assert (len(found.train), len(found.selection), len(found.test)) == (8, 4, 8)
    assert read_tasks(path, seed=2).digest != found.digest


def test_a_folder_of_splits(tmp_path: Path) -> None:
    write(tmp_path / "train" / "items.json", json.dumps([{"id": "a", "question": "why?", "answers": ["so"]}]))
    write(tmp_path / "val" / "items.json", json.dumps([{"id": "b", "instruction": "go"}]))
    write(tmp_path / "split_manifest.json", "{}")
    found = read_tasks(tmp_path)
    assert (found.train[0].prompt, found.train[0].data) == ("why?", {"answers": ["so"]})
    assert found.selection[0].prompt == "go"
    assert found.test == ()


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(ROWS).encode())
    assert read_tasks(path).train[0].id == "a"


BAD = {
    "not JSON": ('{"id": "a"}\n{"id": \n', "line 2: not valid JSON"),
    "not an object": ('{"id": "a"}\n[1]\n', "line 2: a task must be an object"),
    "no id": ('{"prompt": "x"}\n', "line 1: the task has no id"),
    "empty id": ('{"id": ""}\n{"id": "b"}\n{"id": "c"}\n', "non-empty"),
    "id of the wrong kind": ('{"id": null}\n', "line 1: id"),
    "unknown field": ('{"id": "a", "expected": 1}\n', "put what your student needs under 'data'"),
    "misspelt field": ('{"id": "a", "promt": "x"}\n', "did you mean 'prompt'?"),
    "prompt of the wrong kind": ('{"id": "a", "prompt": 3}\n', "line 1: prompt"),
    "unknown split": ('{"id": "a", "split": "dev"}\n', "'dev' is not a split"),
    "split for some": ('{"id": "a", "split": "train"}\n{"id": "b"}\n', "line 2: no split is given"),
    "no selection": ('{"id": "a", "split": "train"}\n', "the selection split is empty"),
    "twice": ('{"id": "a"}\n\n{"id": "a"}\n', "line 3: the id 'a' was used before, at"),
    "NaN": ('{"id": "a", "data": {"x": NaN}}\n', "line 1: not valid JSON"),
    "nothing": ("\n\n", "holds no task"),
    "deep": ('{"id": "a", "data": {"x": ' + "[" * 100_000 + "\n", "line 1: not valid JSON"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, what: str) -> None:
    text, reason = BAD[what]
    with pytest.raises(TaskError) as error:
        read_tasks(write(tmp_path / "tasks.jsonl", text))
    assert reason in str(error.value)
    assert "tasks.jsonl" in str(error.value)


def test_overlapping_splits_name_both_files(tmp_path: Path) -> None:
    for split in ("train", "val"):
        write(tmp_path / split / "items.json", '[{"id": "same"}]')
    with pytest.raises(
        TaskError, match=r"val/items.json, item 1: the id 'same' was used before, at .*train/items.json"
    ):
        read_tasks(tmp_path)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda p: p, "has no folder train/"),
        (lambda p: p / "missing.jsonl", "cannot be read"),
        (lambda p: (p / "train").mkdir() or p, "holds no JSON file"),
        (lambda p: write(p / "train" / "items.json", "{}") and p, "must hold a JSON array"),
        (lambda p: write(p / "train" / "items.json", '[{"question": "?"}]') and p, "item 1: id"),
        (lambda p: (p / "latin.jsonl").write_bytes(b"\xff") and p / "latin.jsonl", "is not UTF-8"),
    ],
)
def test_bad_places(tmp_path: Path, make: object, reason: str) -> None:
    assert callable(make)
    with pytest.raises(TaskError, match=reason):
        read_tasks(make(tmp_path))


@given(st.text(max_size=200))
def test_no_text_crashes_the_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("tasks") / "tasks.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(TaskError):
        read_tasks(path)
