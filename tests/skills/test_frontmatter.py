from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import SkillError
from sharpen.skills import Frontmatter, Skill, render_frontmatter
from sharpen.skills.frontmatter import violations

from .strategies import frontmatters


def read(block: str) -> Frontmatter:
    front = Skill.from_text(f"---\n{block}\n---\nbody\n").frontmatter
    assert front is not None
    return front


def test_the_six_fields() -> None:
    front = read(
        "name: a-b\ndescription: Use when x.\nlicense: MIT\ncompatibility: needs git\n"
        "metadata:\n  sharpen-version: '1'\nallowed-tools: Bash(git:*) Read"
    )
    assert front == Frontmatter(
        "a-b", "Use when x.", "MIT", "needs git", {"sharpen-version": "1"}, "Bash(git:*) Read"
    )
    assert list(violations(front, folder_name="a-b")) == []


@pytest.mark.parametrize(
    ("block", "description"),
    [
        ("description: Use when: always", "Use when: always"),
        ("description: it's a: b", "it's a: b"),
        ("description: a: b\n  and: more\nname: x", "a: b and: more"),
        ("description: ends with:", "ends with:"),
        ("description: `cmd` does", "`cmd` does"),
        ("description: @file: x", "@file: x"),
        ("description: a\r\nname: x\r", "a"),
        ('description: "a: b"', "a: b"),
        ("description: >\n  folded\n  text", "folded text\n"),
        ("description: |\n  a: b\nlicense: x: y", "a: b\n"),
        ("description: 5", "5"),
        ("description: yes", "yes"),
        ("description:", ""),
        ("{description: flow}", "flow"),
    ],
)
def test_reading_is_lenient(block: str, description: str) -> None:
    assert read(block).description == description


def test_byte_order_mark_and_trailing_spaces() -> None:
    skill = Skill.from_text("\ufeff--- \nname: a\n---\t\r\nbody")
    assert (skill.name, skill.body) == ("a", "body")


def test_unknown_and_misshapen_fields_are_kept_for_lint() -> None:
    front = read("name: [a]\nmodel: x\nmetadata:\n  a: [b]\nallowed-tools: [Read, Write]")
    assert front.extra == {"name": ["a"], "model": "x", "metadata": {"a": ["b"]}}
    assert front.allowed_tools == "Read Write"


HOSTILE = {
    "alias bomb": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: *c",
    "anchor": "name: &x foo",
    "unknown alias": "name: *x",
    "recursive alias": "name: &a [*a]",
    "python tag": "name: !!python/object/apply:os.system ['true']",
    "local tag": "name: !secret value",
    "tagged mapping": "!!omap\nname: x",
    "deep flow": "name: " + "[" * 20_000,
    "deep block": "- " * 15_000,
    "deep maps": "{a: " * 7_000,
    "deep indentation": "name:\n" + "".join(" " * depth + "a:\n" for depth in range(1, 150)),
    "deep explicit keys": "? " * 15_000,
    "sequence as key": "? [a]\n: b",
    "NUL": "name: a\0b",
    "surrogate": "name: \ud800",
    "bell": "name: \x07",
    "tab indentation": "\tname: x",
    "duplicate key": "name: a\nname: b",
    "duplicate after repair": "name: a\nname: b: c",
    "sequence": "- a\n- b",
    "scalar": "just text",
    "nothing": "",
    "comment only": "# nothing",
    "two documents": "name: a\n...\nname: b",
    "directive": "%YAML 1.1\nname: x",
    "bad escape": 'name: "\\q"',
    "impossible escape": 'name: "\\UFFFFFFFF"',
    "open quote": 'name: "abc',
    "open bracket": "name: [a, b",
    "colons": ":" * 30_000,
    "percents": "%" * 30_000,
    "commas": "[" + "," * 30_000,
    "newlines": "\n" * 30_000,
    "huge": "name: " + "x" * 1_000_000,
    "huge key": "x" * 30_000 + ": y\n" + "x" * 2_000 + "[: z",
}


@pytest.mark.parametrize("block", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_frontmatter_is_a_skill_error(block: str) -> None:
    with pytest.raises(SkillError, match="frontmatter"):
        Skill.from_text(f"---\n{block}\n---\nbody\n")


@pytest.mark.parametrize(
    "text", ["---", "---\n", "---\nname: a\n", "---\nname: a\n--- x\n", "\ufeff---\nx\n----\n"]
)
def test_unclosed_frontmatter_is_a_skill_error(text: str) -> None:
    with pytest.raises(SkillError, match="never closed"):
        Skill.from_text(text)


yaml_noise = st.lists(
    st.sampled_from(
        [*"abc:-?[]{},#&*!|>'\"%@` \n\t\\", "name", ": ", "\n  ", "<<: ", "---", "...", "\r\n", "\x85"]
    ),
    max_size=40,
).map("".join)


@given(yaml_noise | st.text(st.characters(), max_size=40))
def test_any_block_is_read_or_refused(block: str) -> None:
    try:
        Skill.from_text(f"---\n{block}\n---\nbody\n")
    except SkillError as error:
        assert str(error)


@given(frontmatters, st.sampled_from(["\n# Body\n", "", "---\nrule\n---\n", "text: x"]))
def test_reading_what_was_written_gives_the_same(front: Frontmatter, body: str) -> None:
    written = render_frontmatter(front)
    assert written.isascii() or written.isprintable() or "\n" in written
    assert written.count("---") == 2
    skill = Skill.from_text(written + body)
    assert skill.frontmatter == front
    assert skill.body == body
    assert skill.with_frontmatter(front).text.startswith(written)


def test_the_written_form() -> None:
    front = Frontmatter(
        "a", 'says "x": yes', None, "git", {"yes": "1", "sharpen-gain": "+3", "two words": ""}
    )
    assert render_frontmatter(front) == (
        '---\nname: "a"\ndescription: "says \\"x\\": yes"\ncompatibility: "git"\n'
        'metadata:\n  "yes": "1"\n  sharpen-gain: "+3"\n  "two words": ""\n---\n'
    )


VALID = {"name": "a", "description": "Use when x."}
BROKEN = [
    ("name-missing", {"name": None}),
    ("name-missing", {"name": ""}),
    ("name-length", {"name": "a" * 65}),
    ("name-format", {"name": "A"}),
    ("name-format", {"name": "a--b"}),
    ("name-format", {"name": "-a"}),
    ("name-format", {"name": "a-"}),
    ("name-format", {"name": "a\n"}),
    ("name-format", {"name": "é"}),
    ("description-missing", {"description": None}),
    ("description-missing", {"description": " "}),
    ("description-length", {"description": "x" * 1025}),
    ("description-angle-brackets", {"description": "use <x>"}),
    ("compatibility-length", {"compatibility": ""}),
    ("compatibility-length", {"compatibility": "x" * 501}),
    ("unknown-field", {"extra": {"model": "x"}}),
    ("field-type", {"extra": {"metadata": ["x"]}}),
    ("field-type", {"metadata": {"version": 1}}),
    ("not-unicode", {"license": "\ud800"}),
    ("not-unicode", {"metadata": {"\ud800": ""}}),
]


@pytest.mark.parametrize(("rule", "change"), BROKEN)
def test_the_standards_limits(rule: str, change: dict[str, object]) -> None:
    front = Frontmatter(**{**VALID, **change})  # type: ignore[arg-type]
    assert [violation.rule for violation in violations(front)] == [rule]
    with pytest.raises(SkillError, match="cannot be written"):
        render_frontmatter(front)


def test_the_limits_themselves_are_allowed() -> None:
    front = Frontmatter("a" * 64, "x" * 1024, compatibility="x" * 500)
    assert list(violations(front, folder_name="a" * 64)) == []
    assert [v.rule for v in violations(front, folder_name="b")] == ["name-folder"]
