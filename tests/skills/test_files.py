"""Edits to the files beside SKILL.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.skills import Applied, Edit, Skill, apply_edits
from sharpen.skills.edits import OPS

from .strategies import any_text, bodies, documents, edits_for
from .test_apply import protected_parts

UNITS = "references/units.md"
FILES = {
    UNITS: b"- metres\n- feet\n",
    "scripts/run.py": b"#!/usr/bin/env python3\nprint(1)\n",
    "assets/x.png": b"\x89\xff",
}


def applied(*edits: Edit, files: dict[str, bytes] | None = None) -> Applied:
    return apply_edits(Skill.from_text("# S\n", files=FILES if files is None else files), edits)


def status(edit: Edit, files: dict[str, bytes] | None = None) -> str:
    result = applied(edit, files=files)
    (report,) = result.reports
    assert report.reason
    assert report.took_effect == result.changed == (result.applied == (edit,))
    assert report.file == edit.file[:200]
    return report.status


@pytest.mark.parametrize(
    ("edit", "content"),
    [
        (Edit.append("- inches", file=UNITS), b"- metres\n- feet\n- inches\n"),
        (Edit.insert_after("- metres", "- miles", file=UNITS), b"- metres\n- miles\n- feet\n"),
        (Edit.replace("metres", "meters", file=UNITS), b"- meters\n- feet\n"),
        (Edit.delete("- feet", file=UNITS), b"- metres\n"),
    ],
)
def test_every_op_works_in_a_file_and_leaves_the_others_alone(edit: Edit, content: bytes) -> None:
    result = applied(edit)
    assert result.skill.files == {**FILES, UNITS: content}
    assert result.skill.text == "# S\n"
    assert result.skill.digest != Skill("# S\n", FILES).digest
    assert result.reports[0].to_json()["file"] == UNITS


def test_appending_to_a_missing_file_makes_it() -> None:
    result = applied(Edit.append("print(2)", file="scripts/deep/two.py"))
    assert result.skill.files["scripts/deep/two.py"] == b"print(2)\n"
    assert (result.reports[0].status, result.reports[0].reason) == (
        "applied_append",
        "made scripts/deep/two.py",
    )
    fallback = applied(Edit.insert_after("x", "- y", file="references/new.md"))
    assert fallback.reports[0].status == "applied_insert_after_fallback_append"
    assert fallback.skill.files["references/new.md"] == b"- y\n"


def test_deleting_all_of_a_file_removes_it() -> None:
    result = applied(Edit.delete("- metres\n- feet\n", file=UNITS))
    assert UNITS not in result.skill.files
    assert "removed the file" in result.reports[0].reason
    step_by_step = applied(Edit.delete("- metres", file=UNITS), Edit.replace("- feet", "", file=UNITS))
    assert UNITS not in step_by_step.skill.files


def test_a_file_made_and_removed_again_changes_nothing() -> None:
    skill = Skill.from_text("# S\n")
    result = apply_edits(skill, [Edit.append("- a", file=UNITS), Edit.delete("- a", file=UNITS)])
    assert result.skill is skill
    assert len(result.applied) == 2
    assert not result.changed


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x.md",
        "references/../SKILL.md",
        "references/../../x.md",
        "./references/x.md",
        "references//x.md",
        "references/",
        "references",
        "references/.",
        "notes/x.md",
        "x.md",
        "LICENSE",
        ".git/hooks/post-commit",
        "references/.git/config",
        "scripts/__pycache__/x.py",
        "references\\x.md",
        "C:/x.md",
        "references/a:b.md",
        "references/x.md ",
        "references/x.",
        "references/\0.md",
        "references/\ud800.md",
        "references/" + "x" * 300,
        "References/x.md",
        " ",
        "SKILL.md",
        "skill.md",
        "./SKILL.md",
        "SKILL.MD",
        "/SKILL.md",
    ],
)
@pytest.mark.parametrize("op", OPS)
def test_places_a_step_may_not_reach(path: str, op: str) -> None:
    assert status(Edit(op, "- metres", "- x", file=path)) == "skipped_file_out_of_reach"  # type: ignore[arg-type]


def test_the_document_is_told_apart_from_other_places() -> None:
    reason = applied(Edit.append("x", file="Skill.md")).reports[0].reason
    assert "leave `file` out" in reason
    assert "leave `file` out" not in applied(Edit.append("x", file="x.md")).reports[0].reason


@pytest.mark.parametrize("path", ["references/Units.md", "references/units.md/x.md", "scripts/run.py/x"])
def test_names_that_collide_on_some_disk(path: str) -> None:
    result = applied(Edit.append("x", file=path))
    assert result.reports[0].status == "skipped_file_out_of_reach"
    assert "collides" in result.reports[0].reason
    assert (
        "collides" in applied(Edit.append("x", file="assets/a"), files={"assets/a/b": b""}).reports[0].reason
    )


def test_a_file_that_is_no_text_is_left_alone() -> None:
    assert status(Edit.append("x", file="assets/x.png")) == "skipped_file_not_text"


def test_half_a_character_is_no_content_of_a_file() -> None:
    assert status(Edit.append("\ud83d", file=UNITS)) == "skipped_unreadable_result"


def test_the_reports_of_a_file_are_those_of_the_document() -> None:
    assert status(Edit.append("- feet", file=UNITS)) == "skipped_duplicate"
    assert status(Edit.replace("x", "y", file="references/none.md")) == "skipped_replace_target_not_found"
    assert status(Edit.delete("x", file="references/none.md")) == "skipped_delete_target_not_found"
    assert status(Edit.delete("e", file=UNITS)) == "skipped_ambiguous_target"
    assert status(Edit.replace("- feet", "- feet", file=UNITS)) == "skipped_no_change"
    assert status(Edit.append(" ", file=UNITS)) == "skipped_no_change"
    missing = applied(Edit.delete("x", file="references/none.md")).reports[0].reason
    assert missing == "the skill has no file references/none.md"


def test_the_limit_counts_edits_to_all_files() -> None:
    skill = Skill.from_text("# S\n")
    edits = [Edit.append("- a", file=UNITS), Edit.append("- b"), Edit.append("- c", file=UNITS)]
    result = apply_edits(skill, edits, limit=2)
    assert [report.status for report in result.reports][2] == "skipped_over_budget"
    assert result.skill.files == {UNITS: b"- a\n"}


def test_broken_file_names_end_in_a_report() -> None:
    for value in (None, 7, b"references/x.md"):
        broken = Edit.append("x")
        object.__setattr__(broken, "file", value)
        (report,) = applied(broken).reports
        assert report.status == "error"
        assert "file" in report.reason


def test_what_edits_made_can_be_written_and_read_back(tmp_path: Path) -> None:
    skill = Skill.from_text('---\nname: "a"\ndescription: "b"\n---\n# S\n')
    made = apply_edits(skill, [Edit.append("#!/bin/sh\necho 1", file="scripts/run.sh")]).skill
    made.write(tmp_path / "a")
    assert Skill.read(tmp_path / "a").digest == made.digest
    assert (tmp_path / "a/scripts/run.sh").stat().st_mode & 0o111


paths = st.one_of(
    st.sampled_from(
        [UNITS, "scripts/run.py", "assets/x.png", "SKILL.md", "skill.md", "", "../x", "references/new.md"]
    ),
    any_text,
    any_text.map(lambda name: f"references/{name}"),
)


@st.composite
def edits_to_files(draw: st.DrawFn, document: str) -> Edit:
    edit = draw(edits_for(draw(st.sampled_from([document, "- metres\n- feet\n"]))))
    return Edit(edit.op, edit.target, edit.content, file=draw(paths))


@given(st.data())
def test_no_sequence_of_edits_to_any_files_changes_a_protected_character(data: st.DataObject) -> None:
    text = data.draw(documents())
    skill = Skill(text, FILES)
    edits = data.draw(st.lists(edits_to_files(text), max_size=8))
    result = apply_edits(skill, edits, first_occurrence=data.draw(st.booleans()))
    assert len(result.reports) == len(edits)
    assert result.skill.text.startswith(text[: skill.body_start])
    after = result.skill.body_start
    assert protected_parts(result.skill.text, after)[1:] == protected_parts(text, skill.body_start)[1:]
    assert result.skill.files["assets/x.png"] == FILES["assets/x.png"]
    assert all(path in FILES or path.startswith("references/") for path in result.skill.files)
    assert result.changed == (result.skill.digest != skill.digest)


@given(any_text, any_text, bodies(), st.sampled_from(OPS))
def test_applying_is_total_on_any_path_and_text(path: str, target: str, content: str, op: str) -> None:
    edit = Edit(op, target, content, file=path)  # type: ignore[arg-type]
    result = apply_edits(Skill("# S\n", FILES), [edit])
    assert len(result.reports) == 1
    Skill.from_text(result.skill.text, files=result.skill.files)  # every path and content can be kept


@given(st.from_regex(r"(references|scripts|assets)/[\w. -]{1,20}", fullmatch=True), any_text)
def test_a_file_that_was_made_can_be_written_to_a_disk(
    tmp_path_factory: object, path: str, content: str
) -> None:
    result = apply_edits(Skill("# S\n"), [Edit.append(content, file=path)])
    for name, data in result.skill.files.items():
        home = tmp_path_factory.mktemp("made")  # type: ignore[attr-defined]
        (home / name).parent.mkdir(parents=True)
        (home / name).write_bytes(data)
        assert [found.name for found in (home / name).parent.iterdir()] == [Path(name).name]
