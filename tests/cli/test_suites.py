"""`sharpen suites`: a list, a look, data from a hub with checksums, and a new suite that runs at once."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import sharpen
from sharpen.cli.config import read_config
from sharpen.skills import Edit, Skill
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites import SUITES, suite_named
from sharpen.types import Rollout, Task

from .conftest import Program

DATA = Path(__file__).parents[1] / "tasks" / "data"
COMMIT = "c" * 40


# -- looking ---------------------------------------------------------------------------------------------


def test_the_list_holds_every_suite(program: Program) -> None:
    listed = program("suites")
    assert listed.exit_code == 0
    assert all(name in listed.stdout for name in SUITES)
    rows = json.loads(program("suites", "list", "--json").stdout)
    assert {row["name"]: row["student"] for row in rows}["alfworld"] == "turns"


def test_one_suite_is_shown_with_its_source_and_its_configuration(program: Program) -> None:
    shown = program("suites", "show", "officeqa").stdout
    for words in ("officeqa@1, officeqa_5_percent@1, officeqa_f1@1", "CC-BY-SA-4.0", "asks for consent"):
        assert words in shown
    assert "option documents=True" in shown
    told = json.loads(program("suites", "show", "searchqa", "--json").stdout)
    assert told["options"] == {"context_chars": 6000}
    assert program("suites", "show", "searchqa", "--config").stdout == SUITES["searchqa"].config


def test_mistakes_are_named(program: Program) -> None:
    for words, said in (
        (("show",), "say which suite"),
        (("show", "serchqa"), "did you mean 'searchqa'"),
        (("fetch", "alfworld"), "alfworld-download"),
        (("new", "My Suite"), "a suite's name has small letters"),
    ):
        result = program("suites", *words)
        assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


# -- fetching --------------------------------------------------------------------------------------------


class Hub:
    """A hub of one data set on loopback: the two calls of its interface, and the files."""

    def __init__(self, dataset: str, files: dict[str, bytes]) -> None:
        self.dataset, self.files = dataset, files
        self.large = {path for path in files if not path.endswith(".json")}
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()
        self.spoiled: set[str] = set()
        self.status = 200
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.tokens.add(self.headers.get("Authorization"))
                hub.answer(self)

            def log_message(self, *words: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        api, files = f"/api/datasets/{self.dataset}", f"/datasets/{self.dataset}/resolve/{COMMIT}/"
        if self.status != 200:
            return self._send(to, b"no", self.status)
        if to.path == f"{api}/revision/main":
            return self._send(to, json.dumps({"sha": COMMIT}).encode())
        if to.path.startswith(f"{api}/tree/{COMMIT}"):
            return self._tree(to)
        name = to.path.removeprefix(files)
        self.asked.append(name)
        content = self.files[name]
        return self._send(to, b"x" * len(content) if name in self.spoiled else content)

    def _tree(self, to: BaseHTTPRequestHandler) -> None:
        """Two pages, as large data sets have."""
        entries = [self._entry(path) for path in sorted(self.files)]
        second = "cursor=2" in to.path
        more = f'<{self.url}{to.path}&cursor=2>; rel="next"'
        page = entries[1:] if second else entries[:1]
        self._send(to, json.dumps(page).encode(), link="" if second else more)

    def _entry(self, path: str) -> dict[str, Any]:
        content = self.files[path]
        oid = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
        entry: dict[str, Any] = {"type": "file", "path": path, "size": len(content), "oid": oid}
        if path in self.large:
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content)}
        return entry

    def _send(self, to: BaseHTTPRequestHandler, body: bytes, status: int = 200, link: str = "") -> None:
        to.send_response(status)
        if link:
            to.send_header("Link", link)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        to.wfile.write(body)


def archive() -> bytes:
    """The miniature as its publisher packs it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.add(DATA / "spreadsheetbench", "spreadsheetbench_verified_400")
    return packed.getvalue()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    files = {
        "README.md": b"about",
        "spreadsheetbench_verified_400.tar.gz": archive(),
        "other.json": b"{}",
    }
    found = Hub("KAKA22/SpreadsheetBench", files)
    thread = threading.Thread(target=found.server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", found.url)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def test_data_are_fetched_verified_unpacked_and_open(
    hub: Hub, program: Program, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    result = program("suites", "fetch", "spreadsheetbench")
    assert (result.exit_code, result.stdout.strip()) == (0, "data/spreadsheetbench")
    assert hub.asked == ["spreadsheetbench_verified_400.tar.gz"]  # only what the suite reads
    assert hub.tokens == {"Bearer hf_secret"}
    receipt = json.loads((here / "data/spreadsheetbench/fetched.json").read_text())
    assert receipt["commit"] == COMMIT
    content = hub.files["spreadsheetbench_verified_400.tar.gz"]
    noted = receipt["files"]["spreadsheetbench_verified_400.tar.gz"]
    assert noted["sha256"] == hashlib.sha256(content).hexdigest()
    assert "hf_secret" not in json.dumps(receipt)
    opened = suite_named("spreadsheetbench").open(here / "data/spreadsheetbench")
    assert len(opened.tasks.train) == 3


def test_what_is_there_already_is_not_fetched_again(hub: Hub, program: Program, here: Path) -> None:
    program("suites", "fetch", "spreadsheetbench", "place")
    again = program("suites", "fetch", "spreadsheetbench", "place")
    assert "is here already" in again.stderr
    assert len(hub.asked) == 1
    (here / "place/spreadsheetbench_verified_400.tar.gz").write_bytes(b"damaged")
    program("suites", "fetch", "spreadsheetbench", "place")
    assert len(hub.asked) == 2


def test_a_wrong_checksum_leaves_nothing(hub: Hub, program: Program, here: Path) -> None:
    hub.spoiled.add("spreadsheetbench_verified_400.tar.gz")
    result = program("suites", "fetch", "spreadsheetbench")
    assert result.exit_code == 3
    assert "came with another checksum than the hub states" in result.stderr
    assert not [path for path in (here / "data").rglob("*") if path.is_file()]


def test_small_files_are_verified_by_the_checksum_of_git(hub: Hub, program: Program, here: Path) -> None:
    hub.dataset = "LiveMathematicianBench/LiveMathematicianBench"
    name = "data/202511/qa_202511_final.json"
    hub.files = {name: (DATA / "livemathematicianbench" / name).read_bytes(), "z.md": b""}
    assert program("suites", "fetch", "livemathematicianbench", "place").exit_code == 0
    assert len(suite_named("livemathematicianbench").open(here / "place").tasks.test) == 3
    (here / "place" / name).unlink()
    hub.spoiled.add(name)
    assert "another checksum" in program("suites", "fetch", "livemathematicianbench", "place").stderr


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "accept its conditions at https://huggingface.co/datasets/"), (404, "the hub answers 404")],
)
def test_a_refusal_is_said_plainly(hub: Hub, program: Program, status: int, said: str) -> None:
    hub.status = status
    result = program("suites", "fetch", "spreadsheetbench")
    assert (result.exit_code, said in result.stderr) == (3, True), result.stderr


def test_files_that_are_gone_and_names_that_would_leave_the_folder_are_refused(
    hub: Hub, program: Program, here: Path
) -> None:
    content = hub.files.pop("spreadsheetbench_verified_400.tar.gz")
    gone = program("suites", "fetch", "spreadsheetbench")
    assert (gone.exit_code, "holds no spreadsheetbench_verified_400.tar.gz any more" in gone.stderr) == (
        2,
        True,
    )
    hub.files["../spreadsheetbench_verified_400.tar.gz"] = content
    assert "would leave the folder" in program("suites", "fetch", "spreadsheetbench").stderr


def test_no_network_is_said_plainly(program: Program, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    result = program("suites", "fetch", "searchqa")
    assert result.exit_code == 3
    assert "http://127.0.0.1:9 cannot be reached" in result.stderr
    assert "there seems to be no network" in result.stderr
    assert not (here / "data").exists()
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    assert "is no address of a hub" in program("suites", "fetch", "searchqa").stderr


# -- a suite of one's own --------------------------------------------------------------------------------


class Reader:
    """A student that needs to be told to answer with the bare word."""

    fingerprint = "reader"

    def __init__(self, scorer: Any) -> None:
        self.scorer = scorer

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        word = str(task.data["answer"])
        said = word if "without a full stop" in skill.text else f"{word}."
        return Rollout(task, self.scorer.score(task, Answer(said)))


class Stopper:
    fingerprint = "stopper"

    async def propose(self, skill: Skill, evidence: Any, **more: Any) -> list[Edit]:
        return [Edit.append("- Write it without a full stop.")]


def test_a_new_suite_passes_its_own_test_and_trains_at_once(program: Program, here: Path) -> None:
    result = program("suites", "new", "word-pairs")
    assert result.exit_code == 0
    assert "word-pairs/word_pairs_suite/__init__.py" in result.stdout
    place = here / "word-pairs"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=place,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    os.chdir(place)
    opened = suite_named("word_pairs_suite:SUITE").open("data", ratio="4:3:5", seed=42)
    trained = sharpen.train(
        skill=opened.skill,
        tasks=opened.tasks,
        student=Reader(opened.scorer),
        teacher=Stopper(),
        budget=sharpen.Budget(rollouts=200),
        settings=sharpen.TrainSettings(seed=1),
    )
    assert "without a full stop" in trained.skill.text
    assert trained.test is not None
    assert trained.test.mean == 1


def test_a_new_suite_has_an_entry_point_and_a_configuration_that_loads(program: Program, here: Path) -> None:
    program("suites", "new", "word-pairs", "place")
    project = tomllib.loads((here / "place/pyproject.toml").read_text())
    points = project["project"]["entry-points"]["sharpen.suites"]
    assert points == {"word-pairs": "word_pairs_suite:SUITE"}
    os.chdir(here / "place")
    env = read_config("word_pairs_suite/texts/word-pairs/config.yaml").config.env
    suite = suite_named(env.name)
    assert suite.name == "word-pairs"
    opened = suite.open(env.data_path, ratio=env.split_ratio, seed=env.split_seed)
    assert [len(opened.tasks.split(name)) for name in ("train", "selection", "test")] == [4, 3, 5]


def test_nothing_is_written_over(program: Program, here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "kept.txt").write_text("kept")
    result = program("suites", "new", "mine")
    assert (result.exit_code, "mine is not empty" in result.stderr) == (2, True)
    assert [path.name for path in (here / "mine").iterdir()] == ["kept.txt"]
