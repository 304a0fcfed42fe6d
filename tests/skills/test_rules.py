"""Event rules: what is refused and why, what is certain about a pattern, and patterns that never end."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import SkillError
from sharpen.skills import Skill
from sharpen.skills.regex_trial import endless
from sharpen.skills.rules import FILE, LONGEST_TEXT, compiled, literal_in, rules_of

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
        "No module named '",
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
        ({"output": "("}, "not a regular expression"),
        ({"output": 3}, "not a regular expression"),
        ({"output": None}, "not a regular expression"),
        ({"outptu": "x"}, "unknown keys: outptu"),
        ({"path": "*.py"}, "path must be a list"),
        ({"exit": "maybe"}, "exit must be"),
        ({"exit": []}, "exit must be"),
        ({"not": "x"}, "`not` must be an object"),
        ({"not": {"tool": "x"}}, "`not` must be an object"),
        ({"not": {"output": "["}}, "not a regular expression"),
        ({"cooldown": -1}, "cooldown must be"),
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


ENDLESS = (r"(a+)+$", r"(a|a)*b", r"(\w+\s?)*$", r".*.*.*=.*x", r"(?:[a-z]+)*\d", r"(x+x+)+y", r"(?:\d+,?)+;")
FINE = (
    r"ModuleNotFoundError: No module named '(\w+)'",
    r"foo.*bar",
    r"\s+$",
    r"FAILED .*::test_\w+ - AssertionError",
    r"error\[E\d+\]: cannot find",
    r"x*y*z",
)


def test_patterns_that_can_take_for_ever_are_found_and_others_are_not():
    assert endless((*FINE, *ENDLESS)) == list(range(len(FINE), len(FINE) + len(ENDLESS)))


def test_repetitions_in_repetitions_fit_into_memory():
    assert endless([r"(((a{900}){900}){900}){900}b+c"]) == []


def test_a_rule_with_such_a_pattern_is_refused_wherever_it_stands():
    for rule in ({**GOOD, "output": r"(a+)+$"}, {**GOOD, "not": {"command": r"(\w+\s?)*$"}}):
        with pytest.raises(SkillError, match="can take for ever"):
            rules_of(skill_with(rule))


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"No module named '(\w+)'", "No module named '"),
        (r"^E\s+assert (\d+) == ", "assert "),
        (r"(?i)error", ""),
        (r"one|three", ""),
        (r"foo(bar)?bazar", "bazar"),
        (r"(needed) text", "needed text"),
        (r'a "quoted" thing', "quoted"),
        (r"x{0,3}yes", "yes"),
        (r"(?:long word)+ x", "long word"),
        ("", ""),
    ],
)
def test_the_literal_is_what_every_match_contains(pattern, literal):
    assert literal_in(pattern) == literal


pieces = st.sampled_from(
    ["abc", r"\d+", "(x|y)", "[a-f]", "z?", "(foo)", "(?:ba+r)", "é", r"\.", "w{2,3}", '"', r"\\"]
)


@given(st.lists(pieces, min_size=1, max_size=6).map("".join), st.data())
def test_a_text_that_matches_contains_the_literal(pattern, data):
    text = data.draw(st.from_regex(pattern))
    found = re.search(pattern, text)
    assert found is None or literal_in(pattern) in text
