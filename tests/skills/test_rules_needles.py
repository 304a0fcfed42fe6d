"""Needles: what every match contains. A rule that is passed over must be one that cannot apply."""

from __future__ import annotations

import json
import re
import warnings

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sharpen.hook.event import Event
from sharpen.hook.globs import glob_matches
from sharpen.hook.matching import fitting, likely
from sharpen.skills.needles import needles_in, needles_in_globs
from sharpen.skills.rules import EventRule


@pytest.mark.parametrize(
    ("pattern", "needles"),
    [
        (r"No module named '(\w+)'", ("no module named '",)),
        (r"^E\s+assert (\d+) == ", ("assert ",)),
        (r"(?i)error", ("error",)),
        (r"(?i)permission denied", ("on den",)),
        (r"(?i)ÉCHEC", ("chec",)),
        (r"one|three", ("one", "three")),
        (r"(?:ENOENT|E404): .*|missing", ("404", "missing", "noent")),
        (r"one|\d", ()),
        (r"foo(bar)?bazar", ("bazar",)),
        (r"(needed) text", ("needed text",)),
        (r'a "quoted" thing', ("quoted",)),
        (r"a|b\|c", ("a", "b")),
        (r"x{0,3}yes", ("yes",)),
        (r"(?:long word)+ x", ("long word",)),
        (r"(?<=error: )E\d", ("error: ",)),
        (r"(?!nothing)x", ("x",)),
        (r"(?>atomic)x", ("atomicx",)),
        (r"Straße", ("strasse",)),
        ("(?x) a b # c", ("ab",)),
        ("|".join(map(chr, range(97, 123))), ()),
        ("", ()),
    ],
)
def test_needles_are_what_every_match_contains(pattern, needles):
    assert needles_in(pattern) == needles


@pytest.mark.parametrize(
    ("globs", "needles"),
    [
        (["*.py"], (".py",)),
        (["src/**/test_*.py"], ("test_",)),
        (["*.py", "Makefile"], (".py", "makefile")),
        (["*"], ()),
        (["*.py", "*"], ()),
        (["[ab].c"], (".c",)),
        (["a[!]]b"], ("a",)),
    ],
)
def test_globs_have_needles_too(globs, needles):
    assert needles_in_globs(globs) == needles


LETTERS = "abikKsSſKİıIßéΣσςxyz019 .:'\"\\|/-\n\tﬁǰ\u0345"
plain = st.text(LETTERS, min_size=1, max_size=4).map(re.escape)
classes = st.sampled_from(
    [r"\d", r"\w", r"\s", ".", "[a-k]", "[^x]", "[ſs]", r"\b", "^", "$", r"\Z", "(?!q)"]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    few = st.lists(inner, min_size=1, max_size=3)
    repeats = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "+?", "*?", "++", "{1,}"])
    return st.one_of(
        few.map("".join),
        few.map(lambda parts: f"(?:{'|'.join(parts)})"),
        few.map(lambda parts: f"({'|'.join([*parts, ''])})"),
        st.tuples(inner, repeats).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        inner.map(lambda part: f"(?i:{part})"),
        inner.map(lambda part: f"(?-i:{part})"),
        inner.map(lambda part: f"(?={part})"),
        inner.map(lambda part: f"(?>{part})"),
        inner.map(lambda part: f"(?P<g>{part})(?P=g)?"),
        inner.map(lambda part: f"({part})?(?(1)x|y)"),
    )


bodies = st.recursive(plain | classes, _grown, max_leaves=6)
patterns = st.tuples(st.sampled_from(["", "", "(?i)", "(?s)", "(?ia)", "(?x)", "(?im)"]), bodies).map("".join)


def _sought(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return re.compile(pattern, re.MULTILINE)
        except (re.error, Warning):
            assume(False)
            raise


@settings(max_examples=400, deadline=None)
@given(patterns, st.data())
@example("(?i)kelvin", None).via("the sign of the kelvin is a k")
@example("(?i)i", None).via("a dotless i is an i to the engine")
def test_index_and_plain_search_find_the_same(pattern, data):
    sought = _sought(pattern)
    texts = ["\u212aELVIN", "ı", "İ", "I"]
    if data is not None:
        made = st.from_regex(sought) if "(?(" not in pattern and "++" not in pattern else st.text(LETTERS)
        texts = [data.draw(made | st.text(LETTERS, max_size=12)), data.draw(st.text(LETTERS, max_size=12))]
    line = EventRule("r", "s", "any", "a fact", {"output": pattern}).line()
    for text in texts:
        event = Event("codex", {"tool_name": "Bash", "tool_response": text})
        expected = sought.search(event.output) is not None
        assert bool(fitting(event, [line], lambda *_: None)) is expected, (pattern, text)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.text("ab.Kſ*?[]!/-", min_size=1, max_size=6), min_size=1, max_size=3),
    st.text("ab.kKs/-]", min_size=1, max_size=10),
)
def test_no_path_that_a_glob_fits_is_passed_over(globs, path):
    line = EventRule("r", "s", "any", "a fact", {"path": globs}).line()
    event = Event("codex", {"tool_name": "Write", "tool_input": {"path": path}})
    assert not any(glob_matches(glob, path) for glob in globs) or list(likely(event, [line]))


def test_a_line_stays_one_line_and_reads_back():
    rule = EventRule("r", "s", "any", "a\nb\u2028c", {"output": 'x"\n|\\\\y'})
    assert "\n" not in rule.line()
    assert json.loads(rule.line())[2]["output"] == 'x"\n|\\\\y'
