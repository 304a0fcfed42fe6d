from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import SkillError
from sharpen.skills import Edit, EditReport, Skill, Status, apply_edits
from sharpen.skills.regions import find_regions

from .strategies import any_text, documents, edits_for

SLOW = "<!-- SLOW_UPDATE_START -->\nslow rule\n<!-- SLOW_UPDATE_END -->"
APPENDIX = "<!-- APPENDIX_START -->\nnote\n<!-- APPENDIX_END -->"
FRONT = '---\nname: "a"\ndescription: "fixed text"\n---\n'


def one(text: str, edit: Edit, *, first_occurrence: bool = False) -> tuple[str, str]:
    applied = apply_edits(Skill.from_text(text), [edit], first_occurrence=first_occurrence)
    (report,) = applied.reports
    assert report.took_effect == applied.changed == (applied.applied == (edit,))
    assert report.reason
    return applied.skill.text, report.status


@pytest.mark.parametrize(
    ("text", "content", "result"),
    [
        ("- a\n", "- b", "- a\n- b\n"),
        ("- a", "- b\n\n", "- a\n- b\n"),
        ("- a\n\n\n", "\n- b\n- c", "- a\n- b\n- c\n"),
        ("1. a\n", "2. b", "1. a\n2. b\n"),
        ("- a\n  more\n", "- b", "- a\n  more\n- b\n"),
        ("Rules:\n", "- b", "Rules:\n- b\n"),
        ("Rule a.\n", "Rule b.", "Rule a.\nRule b.\n"),
        ("| a |\n", "| b |", "| a |\n| b |\n"),
        ("# Skill\n", "- b", "# Skill\n\n- b\n"),
        ("- a\n", "prose", "- a\n\nprose\n"),
        ("prose\n", "one\n\ntwo", "prose\n\none\n\ntwo\n"),
        ("prose\n", "## Part", "prose\n\n## Part\n"),
        ("prose\n", "---", "prose\n\n---\n"),
        ("```\ncode\n```\n", "prose", "```\ncode\n```\n\nprose\n"),
        (FRONT, "- b", FRONT + "\n- b\n"),
        (FRONT.rstrip("\n"), "- b", FRONT + "\n- b\n"),
        (FRONT + "\n\n", "- b", FRONT + "\n- b\n"),
    ],
)
def test_append_begins_a_line_and_the_text_ends_in_one_newline(text: str, content: str, result: str) -> None:
    assert one(text, Edit.append(content)) == (result, "applied_append")


def test_append_goes_before_the_regions_at_the_tail() -> None:
    status = "applied_append_before_protected_region"
    tail = f"{SLOW}\n\n{APPENDIX}"
    assert one(f"- a\n{tail}", Edit.append("- b")) == (f"- a\n- b\n\n{tail}\n", status)
    assert one(f"- a\n\n{tail}\n\n", Edit.append("- b")) == (f"- a\n- b\n\n{tail}\n", status)
    assert one(SLOW, Edit.append("- b")) == (f"- b\n\n{SLOW}\n", status)
    unclosed = "<!-- APPENDIX_START -->\nnote"
    assert one(f"- a\n{unclosed}", Edit.append("- b")) == (f"- a\n- b\n\n{unclosed}", status)


def test_append_goes_to_the_end_when_text_follows_the_region() -> None:
    text = f"- a\n{SLOW}\n- c\n"
    assert one(text, Edit.append("- b")) == (text + "- b\n", "applied_append")


@pytest.mark.parametrize("content", ["- b", "- b\n", "- b  ", "- b\n- c", "slow rule"])
def test_appending_what_is_already_there_is_a_duplicate(content: str) -> None:
    text = f"- a\n- b \n- c\n{SLOW}\n"
    expected = "applied_append_before_protected_region" if content == "- b\n- c" else "skipped_duplicate"
    assert one(text, Edit.append(content))[1] == expected
    assert one("- a\n- b\n- c", Edit.append("- b\n- c"))[1] == "skipped_duplicate"


def test_part_of_a_line_is_no_duplicate() -> None:
    assert one("- ab\n", Edit.append("- a"))[0] == "- ab\n- a\n"
    assert one("x - a\n", Edit.append("- a"))[0] == "x - a\n- a\n"


def test_the_same_append_twice_counts_once() -> None:
    applied = apply_edits(Skill.from_text("# S\n"), [Edit.append("- a"), Edit.append("- a")])
    assert [report.status for report in applied.reports] == ["applied_append", "skipped_duplicate"]
    assert applied.applied == (Edit.append("- a"),)


def test_insert_after_goes_below_the_line_that_holds_the_end_of_the_target() -> None:
    status = "applied_insert_after"
    assert one("- a b\n- c\n", Edit.insert_after("a", "- x")) == ("- a b\n- x\n- c\n", status)
    assert one("- a\n- c\n", Edit.insert_after("- a\n", "- x")) == ("- a\n- x\n- c\n", status)
    assert one("- a\n- c\n", Edit.insert_after("a\n- c", "- x\n")) == ("- a\n- c\n- x\n", status)
    assert one("- a", Edit.insert_after("- a", "- x")) == ("- a\n- x\n", status)
    assert one(f"- a {SLOW}", Edit.insert_after("- a", "- x")) == (f"- a \n- x\n{SLOW}", status)
    assert one("- a\r\n- c\r\n", Edit.insert_after("- a", "- x")) == ("- a\r\n- x\n- c\r\n", status)


def test_insert_after_a_missing_target_appends() -> None:
    fallback = "applied_insert_after_fallback_append"
    assert one("- a\n", Edit.insert_after("zzz", "- b")) == ("- a\n- b\n", fallback)
    assert one("- a\n", Edit.insert_after("", "- b")) == ("- a\n- b\n", fallback)
    before = "applied_insert_after_fallback_before_protected_region"
    assert one(f"- a\n{SLOW}", Edit.insert_after("zzz", "- b")) == (f"- a\n- b\n\n{SLOW}\n", before)


def test_inserting_what_already_follows_is_a_duplicate() -> None:
    assert one("- a\n- b\n- c\n", Edit.insert_after("- a", "- b"))[1] == "skipped_duplicate"
    assert one("- a\n- b\n- c\n", Edit.insert_after("- c", "- b"))[1] == "applied_insert_after"
    assert one("- a\n- bb\n", Edit.insert_after("- a", "- b"))[1] == "applied_insert_after"


def test_replace_takes_the_exact_characters() -> None:
    status = "applied_replace"
    assert one("say yes now\n", Edit.replace("yes", "no")) == ("say no now\n", status)
    assert one("- a\n- b\n", Edit.replace("- a\n- b", "- c")) == ("- c\n", status)
    assert one("- a\n- b\n", Edit.replace("- a", "")) == ("- b\n", status)


def test_replace_keeps_lines_apart() -> None:
    assert one("- a\n- b\n", Edit.replace("- a\n", "- c"))[0] == "- c\n- b\n"
    assert one("- a\n- b\n", Edit.replace("- a", "- c\n"))[0] == "- c\n- b\n"


def test_delete_takes_the_newline_of_a_whole_line() -> None:
    status = "applied_delete"
    assert one("- a\n- b\n- c\n", Edit.delete("- b")) == ("- a\n- c\n", status)
    assert one("- a\n- b\n- c\n", Edit.delete("- b\n")) == ("- a\n- c\n", status)
    assert one("- a\n  - b  \n- c\n", Edit.delete("- b")) == ("- a\n- c\n", status)
    assert one("- a\r\n- b\r\n- c\r\n", Edit.delete("- b")) == ("- a\r\n- c\r\n", status)
    assert one("- a\n- b\n- c\n", Edit.delete("- a\n- b")) == ("- c\n", status)
    assert one("- a\n- b", Edit.delete("- b")) == ("- a\n", status)
    assert one("one two\n", Edit.delete(" two")) == ("one\n", status)


@pytest.mark.parametrize(
    "make", [Edit.delete, lambda t: Edit.replace(t, "x"), lambda t: Edit.insert_after(t, "x")]
)
def test_a_target_that_occurs_twice_is_ambiguous(make) -> None:  # type: ignore[no-untyped-def]
    text = "- a\n- b\n- a\n"
    assert one(text, make("- a")) == (text, "skipped_ambiguous_target")
    assert one("aaa\n", make("aa"))[1] == "skipped_ambiguous_target"
    changed, status = one(text, make("- a"), first_occurrence=True)
    assert status.startswith("applied")
    assert changed.endswith("- b\n- a\n")


def test_an_occurrence_out_of_reach_does_not_make_a_target_ambiguous() -> None:
    text = f"{FRONT}\n- fixed text\n- slow rule\n{SLOW}\n"
    assert one(text, Edit.delete("- slow rule")) == (f"{FRONT}\n- fixed text\n{SLOW}\n", "applied_delete")
    assert one(text, Edit.replace("fixed text", "x"))[0] == f"{FRONT}\n- x\n- slow rule\n{SLOW}\n"


@pytest.mark.parametrize(
    "target",
    [
        "slow rule",
        "<!-- SLOW_UPDATE_START -->",
        "- a\n<!-- SLOW",
        f"- a\n{SLOW}\n- b",
        "END -->\n- b",
        "fixed text",
        "---\n\n- a",
        'name: "a"',
    ],
)
@pytest.mark.parametrize(
    "make", [Edit.delete, lambda t: Edit.replace(t, "x"), lambda t: Edit.insert_after(t, "x")]
)
def test_a_target_that_touches_what_is_protected_is_refused(make, target: str) -> None:  # type: ignore[no-untyped-def]
    text = f"{FRONT}\n- a\n{SLOW}\n- b\n"
    assert one(text, make(target)) == (text, "skipped_protected_region")


def test_markers_are_taken_out_of_content() -> None:
    hidden = "<!-- SLOW_<!-- APPENDIX_END -->UPDATE_START -->- x"
    assert one("- a\n", Edit.append(hidden))[0] == "- a\n- x\n"
    assert one("- a\n", Edit.append("<!-- APPENDIX_START -->"))[1] == "skipped_no_change"
    assert one("- a\n", Edit.replace("- a", "<!-- APPENDIX_START -->")) == ("- a\n", "skipped_no_change")


def test_an_edit_cannot_assemble_a_marker() -> None:
    text = "<!-- SLOW_UPDATE_|START -->\n- a\n"
    assert one(text, Edit.delete("|")) == (text, "skipped_protected_region")


def test_no_effect_is_reported() -> None:
    assert one("- a\n", Edit.replace("- a", "- a"))[1] == "skipped_no_change"
    assert one("- a\n", Edit.replace("- a", "- a\n"))[1] == "skipped_no_change"
    assert one("- a\n", Edit.append(" \n"))[1] == "skipped_no_change"
    assert one("- a\n", Edit.insert_after("- a", ""))[1] == "skipped_no_change"


def test_targets_that_are_missing_or_not_found() -> None:
    assert one("- a\n", Edit.replace("", "x"))[1] == "skipped_replace_missing_target"
    assert one("- a\n", Edit.replace("b", "x"))[1] == "skipped_replace_target_not_found"
    assert one("- a\n", Edit.delete("\n"))[1] == "skipped_delete_missing_target"
    assert one("- a\n", Edit.delete("b"))[1] == "skipped_delete_target_not_found"


def test_a_result_that_could_not_be_read_back_is_refused() -> None:
    assert one("- a\n", Edit.delete("- a")) == ("- a\n", "skipped_unreadable_result")
    assert one("- a\n---\n- b\n", Edit.delete("- a"))[1] == "skipped_unreadable_result"
    assert one("- a\n", Edit.replace("- a", "---\nname: x\n---"))[1] == "skipped_unreadable_result"
    assert one(f"{FRONT}- a\n", Edit.delete("- a")) == (FRONT, "applied_delete")


def test_later_edits_cannot_pull_text_onto_the_closing_line() -> None:
    skill = Skill.from_text(FRONT.rstrip("\n"))
    applied = apply_edits(skill, [Edit.append("- b"), Edit.replace("\n\n- b", "x")])
    assert [report.status for report in applied.reports] == ["applied_append", "skipped_protected_region"]


def test_at_most_limit_edits_take_effect() -> None:
    edits = [Edit.append("- a"), Edit.append("- a"), Edit.append("- b"), Edit.append("- c")]
    applied = apply_edits(Skill.from_text("# S\n"), edits, limit=2)
    statuses = [report.status for report in applied.reports]
    assert statuses == ["applied_append", "skipped_duplicate", "applied_append", "skipped_over_budget"]
    assert applied.applied == (edits[0], edits[2])
    assert not apply_edits(Skill.from_text("# S\n"), edits, limit=0).changed


def test_broken_edit_objects_end_in_a_report() -> None:
    broken = Edit.append("x")
    object.__setattr__(broken, "content", None)
    odd = Edit("rename", "x", "y")  # type: ignore[arg-type]
    worse = Edit.delete("x")
    object.__setattr__(worse, "target", 7)
    object.__setattr__(worse, "op", None)
    applied = apply_edits(Skill.from_text("# S\n"), [broken, odd, worse])
    assert [report.status for report in applied.reports] == ["error", "skipped_unknown_op", "error"]
    assert applied.reports[0].to_json()["error"] == "the edit's content is NoneType, not a string"
    assert not applied.changed


def test_edits_that_cancel_out_change_nothing() -> None:
    skill = Skill.from_text("- a\n")
    applied = apply_edits(skill, [Edit.append("- b"), Edit.delete("- b")])
    assert len(applied.applied) == 2
    assert not applied.changed
    assert applied.skill is skill


def test_the_report_has_skillopts_shape() -> None:
    applied = apply_edits(Skill.from_text("# S\n"), [Edit.insert_after("t" * 300, "c" * 300)])
    assert applied.reports[0].to_json() == {
        "index": 1,
        "op": "insert_after",
        "target": "t" * 200,
        "content_preview": "c" * 200,
        "status": "applied_insert_after_fallback_append",
        "reason": "the target is not there; appended at the end instead",
    }


def test_every_status_is_one_of_the_list() -> None:
    took = [s for s in get_args(Status) if EditReport(1, "append", "", "", s, "").took_effect]
    assert len(took) == 7
    assert len(get_args(Status)) == 21


def protected_parts(text: str, start: int) -> list[str]:
    return [text[:start], *(text[r.start : r.end] for r in find_regions(text, start=start))]


@given(st.data())
def test_no_edit_changes_a_protected_character(data: st.DataObject) -> None:
    text = data.draw(documents())
    skill, is_readable = Skill(text), True
    try:
        Skill.from_text(text)
    except SkillError:
        is_readable = False  # must be survived, too
    edits = data.draw(st.lists(edits_for(text), max_size=5))
    applied = apply_edits(skill, edits, first_occurrence=data.draw(st.booleans()))
    assert len(applied.reports) == len(edits)
    assert applied.skill.text.startswith(text[: skill.body_start])
    after = applied.skill.body_start
    assert protected_parts(applied.skill.text, after)[1:] == protected_parts(text, skill.body_start)[1:]
    if applied.changed and is_readable:
        Skill.from_text(applied.skill.text)  # what comes out can be read back


@given(documents() | any_text, any_text)
def test_an_applied_append_adds_its_lines_and_nothing_else(text: str, content: str) -> None:
    skill = Skill("# S\n" + text)
    applied = apply_edits(skill, [Edit.append(content)])
    if applied.changed:
        assert content.strip() in applied.skill.text
        gone = "".join(skill.text.split())
        assert len("".join(applied.skill.text.split())) == len(gone) + len("".join(content.split()))
        assert apply_edits(applied.skill, [Edit.append(content)]).reports[0].status == "skipped_duplicate"
