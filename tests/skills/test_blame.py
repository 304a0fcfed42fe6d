from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sharpen.skills import BlameLine, Edit, Skill, Step, apply_edits, blame

from .strategies import any_text, documents, edits_for


def origins(*texts: str) -> list[tuple[str, str]]:
    steps = [Step(text, f"step {number}") for number, text in enumerate(texts)]
    return [(line.text, line.origin) for line in blame(steps)]


def test_lines_keep_the_origin_of_the_step_that_brought_them() -> None:
    assert origins("# S\n", "# S\n\n- a\n", "# S\n\n- a\n- b\n", "# S\n\n- b\n- c\n") == [
        ("# S", "step 0"),
        ("", "step 1"),
        ("- b", "step 2"),
        ("- c", "step 3"),
    ]


def test_a_changed_line_belongs_to_its_last_change() -> None:
    assert origins("a\nb\nc\n", "a\nB\nc\n") == [("a", "step 0"), ("B", "step 1"), ("c", "step 0")]


def test_a_line_that_comes_back_is_new() -> None:
    assert origins("a\nb\n", "a\n", "a\nb\n") == [("a", "step 0"), ("b", "step 2")]


def test_a_blame_line_carries_the_steps_detail() -> None:
    steps = [Step("a\n", "start"), Step("a\nb\n", "edit", {"task": "t1"})]
    assert blame(steps) == (
        BlameLine(1, "a", "start", {}, 0),
        BlameLine(2, "b", "edit", {"task": "t1"}, 1),
    )
    assert blame([]) == ()


@given(st.lists(documents() | any_text, min_size=1, max_size=6))
def test_every_line_of_the_last_text_has_exactly_one_origin(texts: list[str]) -> None:
    steps = [Step(text, str(number)) for number, text in enumerate(texts)]
    lines = blame(steps)
    assert [line.text for line in lines] == texts[-1].splitlines()
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    for line in lines:
        assert line.text in texts[line.step].splitlines()
        assert line.origin == str(line.step)
        assert all(line.text in text.splitlines() for text in texts[line.step :])


@given(st.data())
def test_blame_follows_applied_edits(data: st.DataObject) -> None:
    skill = Skill.from_text("# S\n\n- one\n- two\n")
    steps = [Step(skill.text, "start")]
    for number in range(data.draw(st.integers(0, 5))):
        skill = apply_edits(skill, [data.draw(edits_for(skill.text))]).skill
        steps.append(Step(skill.text, f"edit {number}"))
    assert len(blame(steps)) == len(skill.text.splitlines())


def test_appends_alone_never_change_an_owner() -> None:
    skill = Skill.from_text("# S\n")
    steps = [Step(skill.text, "start")]
    for number in range(30):
        skill = apply_edits(skill, [Edit.append(f"- rule {number}")]).skill
        steps.append(Step(skill.text, f"edit {number}"))
    rules = [line for line in blame(steps) if line.text.startswith("- ")]
    assert [(line.text, line.origin) for line in rules] == [(f"- rule {n}", f"edit {n}") for n in range(30)]
