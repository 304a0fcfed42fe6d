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


def test_every_file_has_its_own_history() -> None:
    steps = [
        Step("# S\n", "start", files={"references/a.md": b"old\n", "assets/x.png": b"\xff"}),
        Step("# S\n", "one", files={"references/a.md": b"old\nnew\n", "references/b.md": b"b\n"}),
        Step("# S\n- x\n", "two", files={"references/a.md": b"old\nnew\n", "assets/x.png": b"\xff\xfe"}),
    ]
    assert [(line.file, line.number, line.text, line.origin) for line in blame(steps)] == [
        ("", 1, "# S", "start"),
        ("", 2, "- x", "two"),
        ("references/a.md", 1, "old", "start"),
        ("references/a.md", 2, "new", "one"),
    ]


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["references/a.md", "scripts/b.py"]), any_text),
        min_size=1,
        max_size=5,
    )
)
def test_every_line_of_every_file_has_exactly_one_origin(chain: list[dict[str, str]]) -> None:
    kept = [{path: text.encode("utf-8", "replace") for path, text in files.items()} for files in chain]
    steps = [Step("# S\n", str(number), files=files) for number, files in enumerate(kept)]
    lines = blame(steps)
    for path, data in kept[-1].items():
        own = [line for line in lines if line.file == path]
        assert [line.text for line in own] == data.decode().splitlines()
        assert [line.number for line in own] == list(range(1, len(own) + 1))
        for line in own:
            assert line.text in kept[line.step][path].decode().splitlines()
    assert {line.file for line in lines} <= {"", *kept[-1]}
