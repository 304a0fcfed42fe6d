from __future__ import annotations

import os
from pathlib import Path

import pytest

from sharpen.errors import SkillError
from sharpen.skills import Frontmatter, Skill, folder

VALID = Skill.from_text(
    "# S\n", files={"scripts/run.py": b"#!/usr/bin/env python\n", "a.bin": b"\xff\0"}
).with_frontmatter(Frontmatter("my-skill", "Does it. Use when asked."))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    VALID.write(tmp_path / "my-skill")
    return tmp_path / "my-skill"


def test_a_folder_comes_back_as_it_was_written(home: Path) -> None:
    assert Skill.read(home) == VALID
    assert Skill.read(str(home)).digest == VALID.digest
    assert sorted(path.name for path in home.rglob("*")) == ["SKILL.md", "a.bin", "run.py", "scripts"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bit")
def test_scripts_can_be_executed_and_texts_cannot(home: Path) -> None:
    assert os.access(home / "scripts" / "run.py", os.X_OK)
    assert not (home / "SKILL.md").stat().st_mode & 0o111


@pytest.mark.parametrize("text", ["# S", "# S\r\nx\r\n", "\ufeff# S\n", "é漢🙂\n"])
def test_a_file_comes_back_byte_for_byte(tmp_path: Path, text: str) -> None:
    Skill.from_text(text).write(tmp_path / "deep" / "best_skill.md")
    assert (tmp_path / "deep" / "best_skill.md").read_bytes() == text.encode()
    assert Skill.read(tmp_path / "deep" / "best_skill.md").text == text


def test_version_control_and_caches_are_skipped(home: Path) -> None:
    for name in (".git", "__pycache__", "scripts/__pycache__"):
        (home / name).mkdir()
        (home / name / "x").write_text("x")
    assert Skill.read(home) == VALID


def test_missing_paths_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match=r"does not exist; give a Markdown file or a folder"):
        Skill.read(tmp_path / "nothing")
    with pytest.raises(SkillError, match=r"holds no SKILL\.md"):
        Skill.read(tmp_path)
    with pytest.raises(SkillError):
        Skill.read("a\0b")


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"# \xff\n")
    with pytest.raises(SkillError, match=r"x\.md is not UTF-8 \(byte 2\)"):
        Skill.read(tmp_path / "x.md")


def test_errors_in_the_text_name_the_path(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(" \n")
    with pytest.raises(SkillError, match=r"x\.md: the skill is empty"):
        Skill.read(tmp_path / "x.md")


def test_links_inside_the_folder_are_followed(home: Path) -> None:
    (home / "link.py").symlink_to("scripts/run.py")
    (home / "more").symlink_to("scripts")
    files = Skill.read(home).files
    assert files["link.py"] == files["more/run.py"] == files["scripts/run.py"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "/etc", "scripts/../../outside"])
def test_links_out_of_the_folder_are_refused(home: Path, target: str) -> None:
    (home.parent / "outside").write_text("x")
    (home / "scripts" / "link").symlink_to(target if target.startswith("/") else home / target)
    with pytest.raises(SkillError, match="out of the skill's folder"):
        Skill.read(home)


@pytest.mark.parametrize("target", [".", "../my-skill", "loop", "dangling"])
def test_links_that_lead_nowhere_are_refused(home: Path, target: str) -> None:
    (home / "loop").symlink_to(target)
    with pytest.raises(SkillError):
        Skill.read(home)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
def test_a_pipe_does_not_hang_the_reader(home: Path) -> None:
    os.mkfifo(home / "pipe")
    with pytest.raises(SkillError, match="not a regular file"):
        Skill.read(home)
    with pytest.raises(SkillError, match="neither a file nor a folder"):
        Skill.read(home / "pipe")


def test_folders_that_are_no_skills_are_too_big(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_FILES", 2)
    with pytest.raises(SkillError, match="more than 2 files"):
        Skill.read(home)


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        (Frontmatter("other", "Use when."), "must equal the folder's name 'my-skill'"),
        (None, "needs frontmatter"),
    ],
)
def test_a_folder_is_written_strictly(tmp_path: Path, front: Frontmatter | None, reason: str) -> None:
    skill = Skill.from_text("# S\n")
    with pytest.raises(SkillError, match=reason):
        (skill.with_frontmatter(front) if front else skill).write(tmp_path / "my-skill")
    assert not (tmp_path / "my-skill").exists()


@pytest.mark.parametrize(
    "block",
    ["name: my-skill", "name: my-skill\ndescription: x\nmodel: y", "name: my-skill\ndescription: x: y"],
)
def test_frontmatter_only_some_clients_read_is_not_written(tmp_path: Path, block: str) -> None:
    skill = Skill.from_text(f"---\n{block}\n---\n# S\n")
    with pytest.raises(SkillError, match="not a valid skill folder"):
        skill.write(tmp_path / "my-skill")
    skill.write(tmp_path / "any.md")
    assert Skill.read(tmp_path / "any.md") == skill


def test_a_lone_surrogate_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="surrogate"):
        Skill.from_text("# \ud800").write(tmp_path / "x.md")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    (tmp_path / "x.md").mkdir()
    with pytest.raises(SkillError, match="cannot be written"):
        Skill.from_text("# S\n").write(tmp_path / "x.md")
    assert [path.name for path in tmp_path.iterdir()] == ["x.md"]


def test_writing_does_not_follow_links_out_of_the_folder(home: Path) -> None:
    outside = home.parent / "outside"
    outside.mkdir()
    (home / "refs").symlink_to(outside)
    skill = Skill.from_text(VALID.text, files={"refs/x": b"x"})
    with pytest.raises(SkillError, match="symbolic link"):
        skill.write(home)
    assert list(outside.iterdir()) == []
