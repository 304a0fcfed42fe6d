"""Every suite reads the real format of its benchmark, and refuses data that are not whole."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sharpen.errors import SettingsError, TaskError
from sharpen.tasks.prompting import inputs_of
from sharpen.tasks.suites import SUITES, Opened, Suite, suite_named, suite_names

from . import miniatures

DATA = Path(__file__).parent / "data"
SIZES = {
    "searchqa": 12,
    "spreadsheetbench": 6,
    "alfworld": 6,
    "docvqa": 8,
    "officeqa": 7,
    "sealqa": 6,
    "babyvision": 8,
    "livemathematicianbench": 8,
    "mathverse": 20,
    "mmrb": 8,
    "swebench": 6,
}
KINDS = {
    "alfworld": "turns",
    "docvqa": "images",
    "babyvision": "images",
    "mathverse": "images",
    "mmrb": "images",
    "officeqa": "tools",
    "swebench": "tools",
}
OPTIONS: dict[str, dict[str, Any]] = {"alfworld": {"world": "tasks.toy_world:ToyWorld"}}
SCORERS = {"sealqa": "sealqa_f1"}  # its usual one asks a model


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Path]:
    """A miniature that may be spoiled."""

    def copy(name: str) -> Path:
        target = tmp_path / name
        shutil.copytree(DATA / name, target)
        if name == "swebench":
            miniatures.clone_small(target)
        return target

    return copy


def opened(name: str, place: Path, **more: Any) -> Opened:
    options = {**OPTIONS.get(name, {}), **more.pop("options", {})}
    scorer = more.pop("scorer", SCORERS.get(name, ""))
    return suite_named(name).open(place, scorer=scorer, options=options, **more)


def all_tasks(found: Opened) -> list[Any]:
    return [*found.tasks.train, *found.tasks.selection, *found.tasks.test]


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_opens_its_miniature_whole(name: str, copied: Callable[[str], Path]) -> None:
    found = opened(name, copied(name))
    tasks = all_tasks(found)
    assert len(tasks) == len({task.id for task in tasks}) == SIZES[name]
    assert all(task.digest and task.prompt.strip() and "{{" not in task.prompt for task in tasks)
    assert found.student == KINDS.get(name, "chat")
    assert found.skill.text.startswith("# ")
    assert "@1" in found.scorer.name
    assert all(bool(task.data.get("images")) == (found.student == "images") for task in tasks)


@pytest.mark.parametrize("name", SUITES)
def test_a_prompt_names_its_inputs_and_its_output(name: str) -> None:
    header, _, _ = suite_named(name).prompt.partition("-->")
    assert "output:" in header
    assert all(word in header for word in inputs_of(suite_named(name).prompt))


def test_divided_by_ratio_as_skillopt_does_and_the_first_of_each_split(tmp_path: Path) -> None:
    found = opened("searchqa", DATA / "searchqa", ratio="2:1:7", seed=42)
    again = opened("searchqa", DATA / "searchqa", ratio="2:1:7", seed=42)
    assert [len(found.tasks.split(name)) for name in ("train", "selection", "test")] == [2, 1, 9]
    assert found.tasks.digest == again.tasks.digest
    few = found.first(2)
    assert [len(few.tasks.split(name)) for name in ("train", "selection", "test")] == [2, 1, 2]
    assert found.first(0) is found


def test_a_split_folder_keeps_its_splits_and_finds_files_under_the_data_root(tmp_path: Path) -> None:
    items = json.loads((DATA / "spreadsheetbench" / "dataset.json").read_text())
    for at, split in enumerate(("train", "val", "test")):
        (tmp_path / split).mkdir()
        (tmp_path / split / "items.json").write_text(json.dumps(items[2 * at : 2 * at + 2]))
    found = opened("spreadsheetbench", tmp_path, data_root=DATA / "spreadsheetbench")
    assert [task.id for task in found.tasks.selection] == ["103-3", "104-4"]


@pytest.mark.parametrize("name", ["docvqa", "babyvision", "mathverse", "mmrb"])
def test_a_missing_image_is_named(name: str, copied: Callable[[str], Path]) -> None:
    place = copied(name)
    victim = min(place.rglob("*.png"))
    victim.unlink()
    with pytest.raises(TaskError, match=rf"item \d+: the image '.*{victim.name}' is neither in"):
        opened(name, place)
    victim.write_bytes(b"no picture")
    with pytest.raises(TaskError, match="is no PNG, JPEG, GIF or WebP"):
        opened(name, place)


@pytest.mark.parametrize("word", ["input", "answer"])
def test_a_missing_workbook_is_named(word: str, copied: Callable[[str], Path]) -> None:
    place = copied("spreadsheetbench")
    (place / "spreadsheet" / "103-3" / f"1_103-3_{word}.xlsx").unlink()
    with pytest.raises(TaskError, match=f"item 3: .*1_103-3_{word}.xlsx"):
        opened("spreadsheetbench", place)


def test_a_broken_workbook_is_named(copied: Callable[[str], Path]) -> None:
    place = copied("spreadsheetbench")
    (place / "spreadsheet" / "101-1" / "1_101-1_input.xlsx").write_bytes(b"PK nonsense")
    with pytest.raises(TaskError, match=r"1_101-1_input.xlsx cannot be read as a workbook"):
        opened("spreadsheetbench", place)


def test_other_missing_files_are_named(copied: Callable[[str], Path]) -> None:
    place = copied("officeqa")
    next(place.rglob("*1943_01.txt")).unlink()
    with pytest.raises(TaskError, match=r"treasury_bulletin_1943_01.txt"):
        opened("officeqa", place)
    place = copied("alfworld")
    shutil.rmtree(place / "json_2.1.1")
    with pytest.raises(TaskError, match=r"item 1: the game .*alfworld-download"):
        opened("alfworld", place)
    place = copied("swebench")
    shutil.rmtree(place / "repos")
    with pytest.raises(TaskError, match="'made__small-1': there is no clone of made/small"):
        opened("swebench", place)


@pytest.mark.parametrize("name", ["searchqa", "spreadsheetbench"])
def test_an_id_used_twice_is_named_with_both_places(name: str, copied: Callable[[str], Path]) -> None:
    place = copied(name)
    if name == "searchqa":
        file = place / "searchqa.jsonl"
        file.write_text(file.read_text() + file.read_text().splitlines()[0] + "\n")
        expected = r"item 13: the id 'q01' was used before, at .*item 1"
    else:
        file = place / "dataset.json"
        rows = json.loads(file.read_text())
        file.write_text(json.dumps([*rows, rows[2]]))
        expected = r"item 7: the id '103-3' was used before, at .*item 3"
    with pytest.raises(TaskError, match=expected):
        opened(name, place)


def test_splits_that_overlap_or_are_empty_are_refused(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (DATA / "searchqa" / "searchqa.jsonl").read_text().splitlines()]

    def laid_out(**splits: list[Any]) -> Path:
        for name, some in splits.items():
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "items.json").write_text(json.dumps(some))
        return tmp_path

    with pytest.raises(TaskError, match=r"val.*'q02' was used before, at .*train"):
        opened("searchqa", laid_out(train=rows[:2], val=rows[1:4], test=rows[4:]))
    with pytest.raises(TaskError, match="the selection split is empty"):
        opened("searchqa", laid_out(train=rows[:2], val=[], test=rows[4:]))


def test_no_data_is_an_error_that_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="does not exist; `sharpen suites fetch searchqa`"):
        opened("searchqa", tmp_path / "nothing")
    with pytest.raises(TaskError, match=r"holds no dataset.json .*`sharpen suites fetch spreadsheetbench`"):
        opened("spreadsheetbench", tmp_path)
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(TaskError, match="holds no item of searchqa"):
        opened("searchqa", tmp_path)
    (tmp_path / "a.jsonl").write_text('{"key": "1"\n')
    with pytest.raises(TaskError, match=r"a.jsonl, line 1: not valid JSON"):
        opened("searchqa", tmp_path)
    (tmp_path / "a.jsonl").write_text('{"key": "1", "question": "x", "answers": []}\n')
    with pytest.raises(TaskError, match=r"a.jsonl, item 1: has no answers"):
        opened("searchqa", tmp_path)


def test_the_receipt_of_a_fetch_is_no_item(copied: Callable[[str], Path]) -> None:
    place = copied("searchqa")
    (place / "fetched.json").write_text('{"dataset": "x"}')
    assert len(all_tasks(opened("searchqa", place))) == 12


def test_rows_from_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    picture = (DATA / "docvqa" / "images" / "page1.png").read_bytes()
    rows = [
        {
            "questionId": str(n),
            "question": "q",
            "answers": ["a", "b"],
            "docId": n,
            "image": {"bytes": picture, "path": None},
        }
        for n in range(5)
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "validation-00000.parquet")
    tasks = all_tasks(opened("docvqa", tmp_path))
    assert tasks[0].data["images"][0]["media_type"] == "image/png"
    assert tasks[0].data["answers"] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("spreadsheetbench", "openpyxl", "suites"),
        ("mathverse", "math_verify", "suites"),
        ("alfworld", "alfworld", "alfworld"),
        ("swebench", "swebench", "swebench"),
    ],
)
def test_a_missing_package_is_refused_with_its_extra_before_anything_is_read(
    name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    scorer = "swebench@1" if name == "swebench" else ""
    with pytest.raises(SettingsError, match=rf"sharpen\[{extra}\]"):
        suite_named(name).open(DATA / name, scorer=scorer)


def test_a_missing_judge_scorer_option_or_suite_is_refused() -> None:
    with pytest.raises(SettingsError, match="the scorer sealqa@1 asks a model; name a judge"):
        suite_named("sealqa").open(DATA / "sealqa")
    with pytest.raises(SettingsError, match="no scorer 'serchqa'; did you mean 'searchqa@1'"):
        suite_named("searchqa").open(DATA / "searchqa", scorer="serchqa")
    with pytest.raises(SettingsError, match="no option 'context_char'; did you mean 'context_chars'"):
        suite_named("searchqa").open(DATA / "searchqa", options={"context_char": 1})
    with pytest.raises(SettingsError, match="no suite is called 'searchq'; did you mean 'searchqa'"):
        suite_named("searchq")
    with pytest.raises(SettingsError, match=r"is no sharpen.tasks.suites.Suite but a "):
        suite_named("tasks.test_suites:DATA")


def test_options_of_a_configuration_are_picked_by_name() -> None:
    suite = suite_named("spreadsheetbench")
    assert suite.options_in({"mode": "multi", "max_turns": None, "workers": 3}) == {"mode": "multi"}


PLUGIN = """
from sharpen.tasks.suites import SUITES
import dataclasses
SUITE = dataclasses.replace(SUITES["searchqa"], name="mine", about="my own")
"""


def test_an_installed_package_adds_a_suite_and_a_broken_one_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_suite.py").write_text(PLUGIN)
    info = tmp_path / "my_suite-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-suite\nVersion: 1\n")
    points = "[sharpen.suites]\nmine = my_suite:SUITE\nbroken = my_suite:GONE\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert {"mine", "broken", "searchqa"} <= set(suite_names())
    assert suite_named("mine").about == "my own"
    with pytest.raises(SettingsError, match=r"'broken' \(my_suite:GONE\) cannot be loaded"):
        suite_named("broken")


def test_the_miniatures_are_what_their_program_writes(tmp_path: Path) -> None:
    program = "import sys; from pathlib import Path; from tasks import miniatures as m\n"
    program += f"m.HERE = Path({str(tmp_path)!r})\nfor make in m.ALL: make()\n"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=DATA.parents[1])
    kept = [path for path in DATA.rglob("*") if path.parts[-2] != "data" and path.is_file()]
    assert kept
    for path in kept:
        if path.suffix != ".xlsx":
            assert (tmp_path / path.relative_to(DATA)).read_bytes() == path.read_bytes(), path


def test_every_suite_says_where_its_data_come_from() -> None:
    for suite in SUITES.values():
        assert isinstance(suite, Suite)
        assert suite.source is not None
        assert suite.source.licence
        assert suite.source.dataset or suite.source.command
