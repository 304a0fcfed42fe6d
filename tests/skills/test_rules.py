"""Event rules: how they are read and compiled, and what is refused and why."""

from __future__ import annotations

import json

import pytest

from sharpen.errors import SkillError
from sharpen.hook.answer import LONGEST_TEXT
from sharpen.skills import Skill
from sharpen.skills.rules import FILE, LONGEST_PATTERN, compiled, rules_of

GOOD = {
    "id": "missing-module",
    "tool": "shell",
    "output": "No module named '(\\w+)'",
    "say": "It is in `dev`.",
}


def skill_with(*rules: object) -> Skill:
    text = '---\nname: "imports"\ndescription: "d"\n---\n\n# Imports\n'
    return Skill.from_text(text, files={FILE: json.dumps({"rules": list(rules)}).encode()})


def test_a_skill_without_the_file_has_no_rules():
    assert rules_of(Skill.from_text("# S\n")) == ()


def test_a_rule_is_compiled_into_one_line_that_names_its_skill():
    line = compiled(rules_of(skill_with({**GOOD, "cooldown": 60, "exit": "failed"})))
    assert line.endswith("}]\n")
    assert json.loads(line) == [
        "shell",
        "no module named '",
        {
            "id": "imports/missing-module",
            "skill": "imports",
            "output": "No module named '(\\w+)'",
            "exit": "failed",
            "say": "It is in `dev`.",
            "cooldown": 60,
        },
    ]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"id": "Missing Module"}, "id of small letters"),
        ({"say": ""}, "needs a text"),
        ({"say": "x" * (LONGEST_TEXT + 1)}, "shorten it"),
        ({"say": "hidden\u200btext"}, r"U\+200B"),
        ({"say": "turned\u202etext"}, r"U\+202E"),
        ({"say": "filled\u3164text"}, r"U\+3164"),
        ({"say": "selected\U000e0100text"}, r"U\+E0100"),
        ({"output": "("}, "not a regular expression"),
        ({"output": 3}, "not a regular expression"),
        ({"output": None}, "not a regular expression"),
        ({"outptu": "x"}, "unknown keys: outptu"),
        ({"output": "x" * (LONGEST_PATTERN + 1)}, "shorten it"),
        ({"output": "[[a]"}, "nested set"),
        ({"output": "\ud800"}, "not a regular expression"),
        ({"path": []}, "path must be a text or a list"),
        ({"path": [""]}, "path must be a text or a list"),
        ({"path": {"a": 1}}, "path must be a text or a list"),
        ({"path": "a\u202eb"}, "invisible character"),
        ({"language": ["klingon"]}, "no language is called klingon; known are"),
        ({"exit": "maybe"}, "exit must be"),
        ({"exit": []}, "exit must be"),
        ({"not": "x"}, "`not` must be an object"),
        ({"not": {"tool": "x"}}, "`not` must be an object"),
        ({"not": {}}, "`not` must be an object"),
        ({"not": {"output": "["}}, "not output is not a regular expression"),
        ({"not": {"path": [3]}}, "not path must be a text or a list"),
        ({"cooldown": -1}, "cooldown must be"),
        ({"cooldown": True}, "cooldown must be"),
        ({"exit": [True]}, "exit must be"),
        ({"tool": ""}, "tool must be"),
        ({"tool": "a\nb"}, "tool must be"),
        ({"say": "private\ue000"}, r"U\+E000"),
        ({"say": "two\u2028lines"}, r"U\+2028"),
        ({"tool": 'a"b'}, "tool must be"),
    ],
)
def test_a_wrong_rule_is_named_with_what_to_do(changes, complaint):
    with pytest.raises(SkillError, match=complaint) as caught:
        rules_of(skill_with({**GOOD, **changes}))
    assert "rule 1" in str(caught.value)
    assert "imports" in str(caught.value)


def test_a_rule_about_everything_is_refused():
    with pytest.raises(SkillError, match="about everything"):
        rules_of(skill_with({"id": "a", "say": "x", "exit": "failed"}))


def test_an_id_is_used_once():
    with pytest.raises(SkillError, match="more than once"):
        rules_of(skill_with(GOOD, GOOD))


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b'{"rules": 3}', b"\xff"])
def test_a_file_that_holds_no_rules_is_refused(content):
    with pytest.raises(SkillError, match=FILE):
        rules_of(Skill.from_text('---\nname: "s"\ndescription: "d"\n---\n# S\n', files={FILE: content}))


def test_a_rule_with_such_a_pattern_is_refused_wherever_it_stands():
    for rule in ({**GOOD, "output": r"(a+)+$"}, {**GOOD, "not": {"command": r"(\w+\s?)*$"}}):
        with pytest.raises(SkillError, match="can take for ever"):
            rules_of(skill_with(rule))


def test_of_several_skills_the_one_with_such_a_pattern_is_named():
    other = Skill.from_text(
        skill_with().text.replace("imports", "other"), files=skill_with({**GOOD, "output": "(a+)+$"}).files
    )
    with pytest.raises(SkillError, match=r"^events\.json of the skill other, rule missing-module: "):
        rules_of(skill_with(GOOD), other)


def test_one_glob_or_language_is_a_list_of_one():
    rule = {"id": "a", "say": "x", "path": "*.py", "language": "python", "not": {"path": "tests/**"}}
    (row,) = (json.loads(line) for line in compiled(rules_of(skill_with(rule))).splitlines())
    assert row[2]["path"] == ["*.py"]
    assert row[2]["language"] == ["python"]
    assert row[2]["not"] == {"path": ["tests/**"]}


def test_a_tool_that_is_not_named_is_any():
    assert json.loads(compiled(rules_of(skill_with({"id": "a", "say": "x", "path": "*.py"}))))[:2] == [
        "any",
        ".py",
    ]
