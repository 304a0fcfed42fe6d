"""The readable files: complete, relative, rebuilt after any damage, and nothing but the run in them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sharpen.errors import RunFolderError, SkillError, StoreError
from sharpen.skills import Edit, Skill
from sharpen.store import MemoryStore, SqliteStore, Version, rebuild, write_projections

from .samples import event, finish_small_run, record_small_run

FILES = [
    "best_skill.md",
    "config.json",
    "events.jsonl",
    "history.json",
    "runtime_state.json",
    "skills/skill_v0000.md",
    "skills/skill_v0001.md",
    "summary.json",
    *(
        f"steps/step_000{step}/{name}"
        for step in (1, 2, 3)
        for name in (
            "candidate_skill.md",
            "edit_apply_report.json",
            "selection_eval/results.jsonl",
            "selection_eval/summary.json",
            "step_record.json",
        )
    ),
]


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A finished run on disk, without projections."""
    store = SqliteStore.open(tmp_path / "run")
    record_small_run(store)
    finish_small_run(store)
    store.close()
    return tmp_path / "run"


def projected(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("run.")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_layout_is_skillopts(run_dir: Path) -> None:
    written = rebuild(run_dir)
    assert sorted(projected(run_dir)) == sorted(FILES)
    assert sorted(path.relative_to(run_dir).as_posix() for path in written) == sorted(FILES)


def test_the_files_say_what_the_run_did(run_dir: Path) -> None:
    rebuild(run_dir)
    assert load(run_dir / "config.json") == {"settings": {"seed": 1}}
    assert [record["step"] for record in load(run_dir / "history.json")] == [1, 2, 3]
    assert load(run_dir / "steps/step_0002/step_record.json") == load(run_dir / "history.json")[1]
    assert load(run_dir / "runtime_state.json") == {
        "last_completed_step": 3,
        "current_skill_path": "skills/skill_v0001.md",
        "current_score": 0.75,
        "current_origin": "step_0001",
        "best_skill_path": "best_skill.md",
        "best_score": 0.75,
        "best_step": 1,
        "best_origin": "step_0001",
    }
    assert (run_dir / "best_skill.md").read_bytes() == b"# Skill\n- rule d1\n"
    assert (run_dir / "skills/skill_v0000.md").read_bytes() == b"# Skill\n"
    assert (run_dir / "steps/step_0003/candidate_skill.md").read_bytes() == b"# Skill\n- rule d3\n"
    (report,) = load(run_dir / "steps/step_0001/edit_apply_report.json")
    assert (report["op"], report["content_preview"]) == ("append", "- rule d1")


def test_the_summary_adds_up(run_dir: Path) -> None:
    rebuild(run_dir)
    summary = load(run_dir / "summary.json")
    assert summary["finished"] and summary["reason"] == "the budget is spent"
    counts = ("total_steps", "total_accepts", "total_rejects", "total_skips", "rollouts", "lost")
    assert [summary[name] for name in counts] == [3, 1, 1, 1, 12, 0]
    assert summary["token_summary"] == {
        "calls": 24,
        "prompt_tokens": 1440,
        "completion_tokens": 96,
        "usd": pytest.approx(0.03),
    }
    assert [one["skill"] for one in summary["evaluations"]] == ["d1", "d2", "d3"]


def test_a_step_shows_its_attempts(run_dir: Path) -> None:
    rebuild(run_dir)
    lines = (run_dir / "steps/step_0001/selection_eval/results.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert json.loads(lines[0]) == {
        "id": "s1",
        "trial": 1,
        "outcome": "failed",
        "hard": 0.0,
        "soft": 0.75,
        "fail_reason": "s1 went so-so",
        "agent_ok": True,
    }
    summary = load(run_dir / "steps/step_0001/selection_eval/summary.json")
    assert (summary["hard"], summary["soft"], summary["estimate"]["mean"]) == (0.0, 0.75, 0.75)


def test_deleted_and_truncated_files_are_rebuilt_byte_for_byte(run_dir: Path) -> None:
    rebuild(run_dir)
    before = projected(run_dir)
    shutil.rmtree(run_dir / "steps")
    (run_dir / "history.json").write_text('[{"step"')
    (run_dir / "best_skill.md").unlink()
    rebuild(run_dir)
    assert projected(run_dir) == before


def test_a_moved_folder_and_a_copy_give_the_same_files(run_dir: Path, tmp_path: Path) -> None:
    rebuild(run_dir)
    before = projected(run_dir)
    shutil.copytree(run_dir, tmp_path / "copy")
    run_dir.rename(tmp_path / "moved")
    for folder in (tmp_path / "copy", tmp_path / "moved"):
        shutil.rmtree(folder / "steps")
        rebuild(folder)
        assert projected(folder) == before
    assert not any(str(tmp_path).encode() in content for content in before.values())


def test_both_stores_give_the_same_files_apart_from_seconds(run_dir: Path, tmp_path: Path) -> None:
    rebuild(run_dir)
    store = MemoryStore()
    record_small_run(store)
    finish_small_run(store)
    write_projections(store, tmp_path / "memory")
    ours, theirs = projected(run_dir), projected(tmp_path / "memory")
    for files in (ours, theirs):
        summary = json.loads(files.pop("summary.json"))
        summary.pop("seconds")
        files["summary without seconds"] = json.dumps(summary).encode()
    assert ours == theirs


def test_projections_beside_a_live_writer_follow_the_run(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.add_version(Version("d0", None, "# Skill\r\n", (), "start"))
    rebuild(tmp_path)
    assert (tmp_path / "best_skill.md").read_bytes() == b"# Skill\r\n"
    record_small_run(store)
    rebuild(tmp_path)
    assert (tmp_path / "best_skill.md").read_bytes() == b"# Skill\n- rule d1\n"
    assert load(tmp_path / "summary.json")["finished"] is False
    store.close()


def test_an_empty_run_has_files_without_a_skill(tmp_path: Path) -> None:
    written = write_projections(MemoryStore(), tmp_path)
    names = [path.name for path in written]
    assert names == ["config.json", "history.json", "runtime_state.json", "summary.json", "events.jsonl"]


def test_text_without_a_utf8_form_is_written_as_readable_json(tmp_path: Path) -> None:
    store = MemoryStore()
    store.set_config({"note": "half \ud83d"})
    store.add_event(event(1, "drop", why="ü \ud83d"))
    write_projections(store, tmp_path)
    assert load(tmp_path / "config.json") == {"note": "half \ud83d"}
    assert load(tmp_path / "events.jsonl")["data"]["why"] == "ü \ud83d"


def test_a_file_that_is_right_is_left_alone_and_no_draft_stays(run_dir: Path) -> None:
    rebuild(run_dir)
    before = (run_dir / "history.json").stat().st_mtime_ns
    rebuild(run_dir)
    assert (run_dir / "history.json").stat().st_mtime_ns == before
    assert not list(run_dir.rglob("*.tmp"))


def test_what_cannot_be_written_is_named(run_dir: Path) -> None:
    (run_dir / "history.json").mkdir()
    with pytest.raises(StoreError, match=r"history\.json: a folder stands where a file is needed"):
        rebuild(run_dir)
    assert not list(run_dir.rglob("*.tmp"))


def test_a_folder_that_holds_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="is not a run folder"):
        rebuild(tmp_path)


def test_a_skill_with_files_is_written_as_a_folder_too(tmp_path: Path) -> None:
    store = MemoryStore()
    files = {"references/a.md": b"a\n", "references/deep/b.md": b"b\n", "assets/x.png": b"\xff"}
    store.add_version(Version("d0", None, "# Skill\n", (), "start", files))
    write_projections(store, tmp_path)
    assert Skill.read(tmp_path / "best_skill") == Skill("# Skill\n", files)
    assert (tmp_path / "best_skill.md").read_bytes() == b"# Skill\n"


def test_the_folder_follows_the_best_skill_and_keeps_nothing_of_an_earlier_one(tmp_path: Path) -> None:
    store = MemoryStore()
    record_small_run(store)
    store.add_version(Version("with", "d1", "# Skill\n", files={"references/deep/b.md": b"b\n"}))
    store.set_result({"skill": "# Skill\n", "digest": "with"})
    written = write_projections(store, tmp_path)
    assert tmp_path / "best_skill/references/deep/b.md" in written
    store.set_result({"skill": "# Skill\n- rule d1\n", "digest": "d1"})
    write_projections(store, tmp_path)
    assert not (tmp_path / "best_skill").exists()
    assert (tmp_path / "best_skill.md").read_bytes() == b"# Skill\n- rule d1\n"


def test_a_file_may_become_a_folder_and_a_folder_a_file(tmp_path: Path) -> None:
    store = MemoryStore()
    for digest, files in (("d0", {"references/a": b"1"}), ("d1", {"references/a/b.md": b"2"})):
        store.add_version(Version(digest, None, "# Skill\n", files=files))
    for digest, name in (("d0", "a"), ("d1", "a/b.md"), ("d0", "a")):
        store.set_result({"skill": "# Skill\n", "digest": digest})
        write_projections(store, tmp_path)
        assert list(Skill.read(tmp_path / "best_skill").files) == [f"references/{name}"]


def test_a_path_out_of_the_folder_is_not_written(tmp_path: Path) -> None:
    store = MemoryStore()
    store.add_version(Version("d0", None, "# Skill\n", (), "start", {"../../outside": b"x"}))
    with pytest.raises(SkillError, match="cannot be a skill's file"):
        write_projections(store, tmp_path / "run")
    assert not (tmp_path / "outside").exists()


def test_the_report_of_an_edit_names_its_file(tmp_path: Path) -> None:
    store = MemoryStore()
    entry = {**Edit.append("- x", file="references/a.md").to_json(), "status": "applied_append"}
    store.add_version(Version("d0", None, "# Skill\n", (), "start"))
    store.add_version(Version("d1", "d0", "# Skill\n", (entry,), "accepted", {"references/a.md": b"- x\n"}))
    verdict = {"decision": "better"}
    store.add_event(event(1, "gate", step=1, candidate="d1", parent="d0", edits=[entry], verdict=verdict))
    write_projections(store, tmp_path)
    (report,) = load(tmp_path / "steps/step_0001/edit_apply_report.json")
    assert report["file"] == "references/a.md"
