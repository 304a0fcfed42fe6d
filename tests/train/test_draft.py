"""The draft: changes that can be put in, taken out again and cancelled, and the text that comes of them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sharpen.skills import Applied, Edit, Skill, apply_edits
from sharpen.train.draft import Change, Draft

BASE = Skill.from_text("# Skill\n\n- one\n- two\n")


def added(*lines: str) -> tuple[Change, ...]:
    return tuple(Change(Edit.append(f"- {line}"), witness=n) for n, line in enumerate(lines))


def drafted(*lines: str) -> Draft:
    draft = Draft(BASE).plus(added(*lines))
    assert draft is not None
    return draft


def test_an_empty_draft_is_its_base() -> None:
    assert Draft(BASE).skill is BASE


def test_plus_appends_and_leaves_the_old_draft_alone() -> None:
    first = drafted("three")
    second = first.plus(added("four"))
    assert second is not None
    assert first.skill.text == "# Skill\n\n- one\n- two\n- three\n"
    assert second.skill.text == "# Skill\n\n- one\n- two\n- three\n- four\n"
    assert [change.edit.content for change in second.changes] == ["- three", "- four"]


def test_plus_is_none_when_nothing_would_change() -> None:
    assert Draft(BASE).plus(added("one")) is None
    assert Draft(BASE).plus([]) is None
    assert Draft(BASE).plus([Change(Edit.delete("- nine"))]) is None
    assert drafted("three").plus(added("three")) is None


def test_plus_keeps_only_the_changes_that_take_effect() -> None:
    draft = drafted("one", "three")
    assert [change.edit.content for change in draft.changes] == ["- three"]


def test_deleting_what_was_appended_cancels_it() -> None:
    draft = drafted("three", "four").plus([Change(Edit.delete("- three"))])
    assert draft is not None
    assert draft.changes == (Change(Edit.append("- four"), witness=1),)
    assert draft.skill == drafted("four").skill


def test_adding_and_cancelling_at_once_is_no_change() -> None:
    assert Draft(BASE).plus([*added("three"), Change(Edit.delete("- three"))]) is None


def test_deleting_a_line_of_the_base_is_a_change_of_its_own() -> None:
    draft = drafted("three").plus([Change(Edit.delete("- one"))])
    assert draft is not None
    assert len(draft.changes) == 2
    assert draft.skill.text == "# Skill\n\n- two\n- three\n"


def test_without_takes_out_one_change() -> None:
    draft = drafted("three", "four", "five").without(1)
    assert draft is not None
    assert draft.skill == drafted("three", "five").skill
    assert [change.witness for change in draft.changes] == [0, 2]


def test_what_another_change_builds_on_stays() -> None:
    draft = drafted("three").plus([Change(Edit.replace("three", "thirty"))])
    assert draft is not None
    assert draft.without(0) is None
    assert draft.without(1) is not None


def test_without_the_last_change_the_base_is_left() -> None:
    draft = drafted("three").without(0)
    assert draft is not None
    assert draft.skill == BASE
    assert draft.changes == ()


def test_marking_changes_no_text() -> None:
    draft = drafted("three", "four").marked([1])
    assert [change.vetted for change in draft.changes] == [False, True]
    assert draft.skill == drafted("three", "four").skill
    assert [change.vetted for change in draft.marked([0]).changes] == [True, True]


def test_a_change_is_found_by_what_its_edit_says() -> None:
    draft = drafted("three", "four")
    assert draft.index_of(Edit.append("-   four ")) == 1
    assert draft.index_of(Edit.append("- five")) is None
    assert draft.index_of(Edit.delete("- four")) is None


LINES = st.sampled_from(["- one", "- two", "- three", "- four", "- one more"])
EDITS = st.one_of(
    st.builds(Edit.append, LINES),
    st.builds(Edit.delete, LINES),
    st.builds(Edit.replace, LINES, LINES),
    st.builds(Edit.insert_after, LINES, LINES),
)


@given(
    st.lists(EDITS, max_size=4),
    st.lists(st.one_of(EDITS, st.integers(0, 7), st.just("mark")), max_size=12),
)
def test_the_text_is_always_what_applying_the_changes_gives(
    held: list[Edit], steps: list[Edit | int | str]
) -> None:
    """Texts are carried along instead of being made anew; they must not drift."""
    draft = Draft(BASE, tuple(map(Change, held)))
    for step in steps:
        before = draft
        if isinstance(step, Edit):
            draft = draft.plus([Change(step)]) or draft
        elif isinstance(step, int):
            draft = _checked_without(draft, step)
        else:
            draft = draft.marked(range(len(draft.changes)))
            assert draft.skill == before.skill
        assert draft.skill == _made_anew(draft.changes).skill


def _checked_without(draft: Draft, k: int) -> Draft:
    """Without the change, exactly where all others still take effect and the text differs."""
    if k >= len(draft.changes):
        return draft
    shorter, others = draft.without(k), draft.changes[:k] + draft.changes[k + 1 :]
    anew = _made_anew(others)
    whole = all(report.took_effect for report in anew.reports)
    assert (shorter is not None) == (whole and anew.skill != draft.skill)
    if shorter is None:
        return draft
    assert shorter.changes == others
    return shorter


def _made_anew(changes: Sequence[Change]) -> Applied:
    return apply_edits(BASE, [change.edit for change in changes])


@given(st.lists(EDITS, max_size=8))
def test_plus_differs_or_is_none(edits: list[Edit]) -> None:
    draft = Draft(BASE).plus(Change(edit) for edit in edits)
    assert draft is None or draft.skill.digest != BASE.digest
