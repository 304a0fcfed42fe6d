"""`sharpen export`: a folder that clients load, or what to do about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sharpen.skills import Skill, lint_path

from .conftest import Program

SAID = ("--name", "pdf-forms", "--description", "Fills in forms. Use when a PDF has fields.")
REGIONS = (
    "<!-- SLOW_UPDATE_START -->\nslow\n<!-- SLOW_UPDATE_END -->\n\n"
    "<!-- APPENDIX_START -->\nnote\n<!-- APPENDIX_END -->\n"
)


def test_a_plain_text_becomes_a_folder(program: Program, here: Path) -> None:
    (here / "skill.md").write_text(f"# Forms\n\n- Read the fields first.\n\n{REGIONS}")
    result = program("export", "skill.md", "--to", "skills", *SAID)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "skills/pdf-forms\n"
    assert not [one for one in lint_path(here / "skills/pdf-forms") if one.level == "error"]
    written = Skill.read(here / "skills/pdf-forms")
    assert written.name == "pdf-forms"
    assert written.body.endswith(REGIONS)


def test_a_folder_that_has_the_name_already_is_the_folder(program: Program, here: Path) -> None:
    (here / "skill.md").write_text("# Forms\n")
    assert program("export", "skill.md", "--to", "out/pdf-forms", *SAID).stdout == "out/pdf-forms\n"


def test_files_go_along_and_fields_stay(program: Program, here: Path) -> None:
    files = {"references/a.md": b"a\n", "scripts/run.sh": b"#!/bin/sh\n"}
    front = '---\nname: "forms"\ndescription: "Use when asked."\nlicense: "MIT"\n---\n# Forms\n'
    Skill.from_text(front, files=files).write(here / "forms")
    found = json.loads(program("export", "forms", "--to", "out", "--name", "better-forms", "--json").stdout)
    written = Skill.read(found["folder"])
    assert written.digest == found["digest"]
    assert written.files == files
    assert written.frontmatter is not None
    assert (written.name, written.frontmatter.license) == ("better-forms", "MIT")


def test_a_skills_file_stands_for_its_folder(program: Program, here: Path) -> None:
    front = '---\nname: "forms"\ndescription: "Use when asked."\n---\n# Forms\n'
    Skill.from_text(front, files={"references/a.md": b"a\n"}).write(here / "forms")
    assert program("export", "forms/SKILL.md", "--to", "out").exit_code == 0
    assert (here / "out/forms/references/a.md").is_file()


def test_a_run_exports_its_best_skill_and_nothing_else(program: Program, finished: Path, here: Path) -> None:
    assert program("export", finished, "--to", "out", *SAID).exit_code == 0
    written = here / "out/pdf-forms"
    assert [path.name for path in written.iterdir()] == ["SKILL.md"]
    assert Skill.read(written).body.strip() == (finished / "best_skill.md").read_text().strip()


def test_what_is_missing_is_asked_for(program: Program, here: Path) -> None:
    (here / "skill.md").write_text("# Forms\n")
    result = program("export", "skill.md", "--to", "out")
    assert result.exit_code == 2
    assert "--name" in result.stderr
    assert "--description" in result.stderr
    assert not (here / "out").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# F\nRun !`rm -rf /` first.\n", "line 2: '!`rm -rf /`' is run as a command"),
        ("# F\n<!-- APPENDIX_START -->\n", "never closed"),
        ("---\nname: x\ntrigger: always\n---\n# F\n", "'trigger' is none of the standard's six"),
    ],
)
def test_what_does_not_lint_is_refused(program: Program, here: Path, text: str, reason: str) -> None:
    (here / "skill.md").write_text(text)
    result = program("export", "skill.md", "--to", "out", *SAID)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert not (here / "out").exists()


def test_a_name_the_standard_does_not_know(program: Program, here: Path) -> None:
    (here / "skill.md").write_text("# F\n")
    result = program("export", "skill.md", "--to", "out", "--name", "PDF forms", "--description", "Use it.")
    assert result.exit_code == 2
    assert "lower-case" in result.stderr


def test_a_skill_that_is_there_is_not_written_over_unasked(program: Program, here: Path) -> None:
    (here / "skill.md").write_text("# Forms\n")
    assert program("export", "skill.md", "--to", "out", *SAID).exit_code == 0
    (here / "out/pdf-forms/references").mkdir()
    (here / "out/pdf-forms/references/old.md").write_text("old")
    again = program("export", "skill.md", "--to", "out", *SAID)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    forced = program("export", "skill.md", "--to", "out", *SAID, "--force")
    assert forced.exit_code == 0
    assert "left alone: out/pdf-forms/references/old.md" in forced.stderr
