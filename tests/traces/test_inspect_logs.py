"""Inspect's logs: a recorded JSON log of `mockllm` with a tool, and `.eval` files the package makes of it."""

from __future__ import annotations

import json
import zipfile

import pytest

from sharpen.errors import UsageError

from .readings import only_session, sessions_in, story
from .recordings import DATA
from .stories import document

STORY = [
    ("system", "You build."),
    ("user", "Fix the build"),
    (
        "agent",
        "Two at once.",
        [("c0", "bash", {"command": "make fail"}), ("c1", "bash", {"command": "make -k"})],
        [("c0", "cc: error: no input files"), ("c1", "built app")],
    ),
    ("agent", "The build works again."),
]


def test_a_recorded_log_is_one_session_per_sample():
    first, second = sessions_in(DATA / "inspect_log.json")
    assert story(first) == story(second) == STORY
    assert first.steps[2].reasoning_content == "think first"
    assert [result.extra for result in first.steps[2].results] == [{"failed": True}, {}]
    assert (first.ending.state, first.ending.reward, first.about.model) == ("completed", 1.0, "mockllm/model")
    assert (first.ending.spent.prompt_tokens, first.ending.spent.completion_tokens) == (398, 34)
    assert first.about.session_id.endswith("/s0/1")


@pytest.mark.parametrize(
    ("change", "state", "reward"),
    [
        ({"scores": {"a": {"value": {"x": 1}}, "b": {"value": 0.25}}}, "completed", 0.25),
        ({"scores": {"a": {"value": True}}}, "completed", 1.0),
        ({"scores": {"a": {"value": "I"}}}, "completed", 0.0),
        ({"scores": None}, "completed", None),
        ({"limit": {"type": "message", "limit": 3}}, "stopped", 1.0),
        ({"error": {"message": "boom"}}, "failed", 1.0),
    ],
)
def test_verdicts_limits_and_errors(tmp_path, change, state, reward):
    log = json.loads((DATA / "inspect_log.json").read_text())
    log["samples"] = [{**log["samples"][0], **change}]
    ending = only_session(document(tmp_path / "x.json", log)).ending
    assert (ending.state, ending.reward) == (state, reward)


def test_zip_files_that_are_no_logs_say_so(tmp_path):
    path = tmp_path / "book.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(UsageError, match="no log of Inspect's"):
        sessions_in(path)
    path.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(UsageError, match="damaged"):
        sessions_in(path)


def test_without_its_package_it_says_what_to_install(tmp_path):
    try:
        import inspect_ai  # noqa: F401
    except ModuleNotFoundError:
        path = tmp_path / "x.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", "{}")
        with pytest.raises(UsageError, match="sharpen\\[inspect\\]"):
            sessions_in(path)


def test_eval_files_as_the_package_writes_them(tmp_path):
    log = pytest.importorskip("inspect_ai.log")
    recorded = log.read_eval_log(str(DATA / "inspect_log.json"))
    log.write_eval_log(recorded, str(tmp_path / "x.eval"))
    packed = sessions_in(tmp_path / "x.eval")
    plain = sessions_in(DATA / "inspect_log.json")
    assert [session.steps for session in packed] == [session.steps for session in plain]
    assert [session.ending for session in packed] == [session.ending for session in plain]
