from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import EditError
from sharpen.skills import Edit, dedupe

from .strategies import any_text, edits_for


def test_constructors_fill_the_fields_their_op_uses() -> None:
    assert Edit.append("c") == Edit("append", "", "c")
    assert Edit.insert_after("t", "c") == Edit("insert_after", "t", "c")
    assert Edit.replace("t", "c") == Edit("replace", "t", "c")
    assert Edit.delete("t") == Edit("delete", "t", "")
    assert Edit.append("c").support_count == 1


def test_reads_what_a_model_writes() -> None:
    edit = Edit.from_json({"op": "append", "content": "- x", "update_origin": "ignored"})
    assert edit == Edit.append("- x")
    edit = Edit.from_json({"op": "delete", "target": "x", "support_count": 3, "source_type": "failure"})
    assert (edit.support_count, edit.source_type) == (3, "failure")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "JSON object, not NoneType"),
        ("append", "JSON object, not str"),
        ([], "JSON object, not list"),
        ({}, "unknown op null"),
        ({"op": "add"}, "unknown op 'add'"),
        ({"op": ["append"]}, "unknown op"),
        ({"op": "append", "content": None}, "content must be a string, not null"),
        ({"op": "append", "content": 5}, "content must be a string, not 5"),
        ({"op": "delete", "target": ["x"]}, "target must be a string"),
        ({"op": "delete", "target": None}, "target must be a string, not null"),
        ({"op": "append", "support_count": "3"}, "support_count must be a whole number"),
        ({"op": "append", "support_count": True}, "support_count must be a whole number"),
        ({"op": "append", "merge_level": -1}, "merge_level must be a whole number"),
    ],
)
def test_nonsense_is_an_edit_error_with_its_reason(value: object, reason: str) -> None:
    with pytest.raises(EditError, match=reason.replace("[", "\\[")):
        Edit.from_json(value)


@given(edits_for("some text"), st.integers(0, 9), any_text)
def test_json_round_trip(edit: Edit, count: int, source: str) -> None:
    edit = Edit(edit.op, edit.target, edit.content, count, source, 2)
    assert Edit.from_json(json.loads(json.dumps(edit.to_json()))) == edit


def test_keys_ignore_white_space_and_unused_fields() -> None:
    assert Edit.append("- a  b\n").key == Edit.append(" - a b").key
    assert Edit("append", "x", "a").key == Edit.append("a").key
    assert Edit("delete", "x", "a").key == Edit.delete("x").key
    assert Edit.append("a").key != Edit.insert_after("", "a").key
    assert Edit.replace("a", "b").key != Edit.replace("b", "a").key


def test_dedupe_adds_up_support_in_order_of_appearance() -> None:
    edits = [Edit.append("b"), Edit("append", "", "a", 2), Edit("append", "", " a ", 3, "success")]
    assert dedupe(edits) == (Edit.append("b"), Edit("append", "", "a", 5))
    assert dedupe([]) == ()


@given(st.lists(edits_for("- a\n- a b\n"), max_size=6))
def test_dedupe_keeps_every_key_once_and_all_support(edits: list[Edit]) -> None:
    kept = dedupe(edits)
    assert {edit.key for edit in kept} == {edit.key for edit in edits}
    assert len(kept) == len({edit.key for edit in edits})
    assert sum(edit.support_count for edit in kept) == len(edits)


def test_a_file_is_named_in_json_only_where_there_is_one() -> None:
    plain = {"op", "target", "content", "support_count", "source_type", "merge_level"}
    assert set(Edit.append("x").to_json()) == plain
    named = Edit.append("x", file="references/a.md")
    assert named.to_json()["file"] == "references/a.md"
    assert Edit.from_json(named.to_json()) == named
    assert Edit.from_json({"op": "append", "content": "x", "file": "SKILL.md"}) == Edit.append("x")
    with pytest.raises(EditError, match="file must be a string"):
        Edit.from_json({"op": "append", "file": 7})


def test_the_same_words_in_two_files_are_two_edits() -> None:
    here, there = Edit.append("x"), Edit.append("x", file="references/a.md")
    assert here.key != there.key
    assert here.key == ("append", "", "x")
    assert dedupe([here, there, there]) == (here, Edit("append", "", "x", 2, file="references/a.md"))
