from __future__ import annotations

import pickle
from hashlib import sha256

import pytest
from hypothesis import given

from sharpen.errors import SkillError
from sharpen.skills import Frontmatter, Skill, tokens

from .strategies import documents

TEXT = '---\nname: "pdf"\ndescription: "Reads PDF. Use when asked."\nmetadata:\n  a: "b"\n---\n\n# PDF\n'


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff", "\ufeff \n"])
def test_an_empty_skill_is_refused(text: str) -> None:
    with pytest.raises(SkillError, match="empty"):
        Skill.from_text(text)


def test_a_plain_markdown_skill() -> None:
    skill = Skill.from_text("# Skill\n")
    assert (skill.name, skill.description, skill.frontmatter, skill.body_start) == (None, None, None, 0)
    assert skill.body == skill.text == "# Skill\n"
    assert skill.files == {}


def test_a_skill_with_frontmatter() -> None:
    skill = Skill.from_text(TEXT)
    assert skill.name == "pdf"
    assert skill.description == "Reads PDF. Use when asked."
    assert skill.frontmatter == Frontmatter("pdf", "Reads PDF. Use when asked.", metadata={"a": "b"})
    assert skill.body == "\n# PDF\n"
    assert skill.text[: skill.body_start] + skill.body == TEXT


def test_a_rule_further_down_is_not_frontmatter() -> None:
    assert Skill.from_text("# S\n---\nx\n---\n").frontmatter is None
    assert Skill.from_text("---- \nx\n---\n").frontmatter is None


def test_the_digest_names_the_content() -> None:
    skill = Skill.from_text("# Skill\n")
    assert skill.digest == sha256(b"# Skill\n").hexdigest()
    assert skill.with_text("# Other\n").digest != skill.digest
    assert skill.with_text("# Skill\n") == skill
    assert Skill("\ud800").digest == sha256("\ud800".encode("utf-8", "surrogatepass")).hexdigest()


def test_the_digest_covers_paths_and_contents_of_files() -> None:
    text = "# Skill\n"
    digests = {
        Skill.from_text(text, files=files).digest
        for files in ({}, {"a": b""}, {"b": b""}, {"a": b"b"}, {"a": b"", "b": b""}, {"a": b"x", "b": b"y"})
    }
    assert len(digests) == 6
    one = Skill.from_text(text, files={"a": b"1", "b": b"2"})
    assert one.digest == Skill.from_text(text, files={"b": b"2", "a": b"1"}).digest
    assert one.with_text("# New\n").files == one.files


@pytest.mark.parametrize(
    "path", ["", "/a", "../a", "a/../b", "a//b", "./a", "a\\b", "a\0b", "SKILL.md", "a/"]
)
def test_files_must_stay_in_the_folder(path: str) -> None:
    with pytest.raises(SkillError, match="relative path"):
        Skill.from_text("# S\n", files={path: b""})


def test_a_skill_is_immutable_hashable_and_picklable() -> None:
    skill = Skill.from_text(TEXT, files={"scripts/a.py": b"x"})
    with pytest.raises(AttributeError):
        skill.text = "x"  # type: ignore[misc]
    assert {skill, Skill.from_text(TEXT, files={"scripts/a.py": b"x"})} == {skill}
    copy = pickle.loads(pickle.dumps(skill))
    assert (copy, copy.digest) == (skill, skill.digest)
    assert skill.digest[:12] in repr(skill)


def test_with_text_checks_nothing() -> None:
    assert Skill.from_text("# S\n").with_text("").text == ""
    assert Skill.from_text("# S\n").with_text("---\nopen").body_start == 0


def test_with_frontmatter_makes_a_plain_skill_a_standard_one() -> None:
    skill = Skill.from_text("# S\n").with_frontmatter(Frontmatter("s", "Does s: use when s."))
    assert skill.text == '---\nname: "s"\ndescription: "Does s: use when s."\n---\n\n# S\n'
    again = skill.with_frontmatter(Frontmatter("t", "Other."))
    assert (again.name, again.body) == ("t", "\n# S\n")


@given(documents())
def test_from_text_either_raises_skill_error_or_gives_a_readable_skill(text: str) -> None:
    try:
        skill = Skill.from_text(text)
    except SkillError:
        return
    assert skill.text == text
    assert skill.text[: skill.body_start] + skill.body == text
    assert (skill.frontmatter is None) == (skill.body_start == 0)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Hello, world!", 4),
        ("internationalization", 3),
        ("12345", 2),
        ("a\n\n\nb", 3),
        ("    indented", 2),
        ("snake_case", 3),
        ("漢字", 2),
        ("->", 1),
    ],
)
def test_token_rule(text: str, count: int) -> None:
    assert tokens(text) == count
    assert Skill(text).tokens == count


def test_prose_comes_out_near_four_characters_per_token() -> None:
    prose = "When the table has merged cells, read the header row twice and compare both readings. " * 20
    assert 3.5 < len(prose) / tokens(prose) < 6
