"""Patterns that never end are found before they are installed, and those of everyday linters are not."""

from __future__ import annotations

import re

import pytest

from sharpen.hook.event import LONGEST_LINE
from sharpen.skills.regex_trial import LENGTHS, MOST_TEXTS, endless, texts_against

ENDLESS = [
    r"(a+)+$",
    r"([a-zA-Z]+)*$",
    r"(a|a?)+$",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"^(?:\s*\w+\s*)+$",
    r"^(\d+)*x$",
    r"(?:[a-z]+)*\d",
    r"(\s*,\s*)*;",
    r".*.*=.*",
    r".*.*.*=.*x",
    r"(.+)*@",
    r"<!--(?:-?[^-])*-->x(?:a*)*b",
    r"(a*)+b",
    r"(?:a|b|ab)*c",
    r"(?:ERROR|ERR|E.*)+:$",
    r"([^=]+=?)+;",
    r"(?i)(?:straße|s+)+!",
    r"(a{1,50}){1,50}b",
    r"(?:/[^/]*)*/.*\.py:.*:.*:.*error",
    r"(?:foo(a+)+$)",
    r"^(?:prefix: (?:\w+ ?)+)!$",
    "|".join([*(rf"e{n}\d+" for n in range(80)), "(a+)+$"]),
    "|".join([*(rf"e{n}\d+" for n in range(80)), ".*.*=.*x"]),
]
"""Exponential, or a power of the line's length that is higher than two."""
QUADRATIC = [
    r"(?:(?:\w|-)+\.)+com!",
    r"(?:\S+\s+)*\S+:\d+:\d+: error!",
    r"(?m)\s+$",
    r"(\d+\.)*\d+\.\d+x",
    r".*foo",
    r"[ \t]+\n",
    r"\d+$",
    r"\s+$",
    r"\w+@",
    r"^\s+|\s+$X",
]
"""Slow on a text without end, but not on lines as long as the hook looks at."""
EVERYDAY = [
    r"^(.*):(\d+):(\d+): (E\d+|W\d+) (.*)$",
    r"(?m)^(?P<file>[^:]+):(?P<line>\d+):(?P<col>\d+): (?P<code>[A-Z]\d+) ",
    r"^error\[E\d{4}\]: ",
    r"error TS\d{4}: ",
    r"^\s*at .+ \(.+:\d+:\d+\)$",
    r"ModuleNotFoundError: No module named '([\w.]+)'",
    r"ImportError: cannot import name '(\w+)' from '([\w.]+)'",
    r"FAILED (\S+)::(\w+)",
    r"E\s+assert .+ == .+",
    r"npm ERR! code (E[A-Z]+)",
    r"ENOENT: no such file or directory, open '([^']+)'",
    r"fatal: (?:not a git repository|refusing to merge)",
    r"^(?:\w+\.)*\w+Error: ",
    r"^\s*File \"([^\"]+)\", line (\d+), in (\S+)$",
    r"panic: runtime error: (.*)\n",
    r"undefined reference to `([^']+)'",
    r"^(.+?):(\d+):(\d+): (?:fatal )?error: (.+)$",
    r"\[(?:ERROR|WARN)\] .*\.java:\[\d+,\d+\] ",
    r"cannot find symbol\s+symbol:\s+(\w+) (\w+)",
    r"error: could not compile `([\w-]+)`",
    r"thread '(\w+)' panicked at (.+):(\d+):(\d+)",
    r"^\S+\.go:\d+:\d+: undefined: \w+",
    r"SyntaxError: (?:invalid syntax|unexpected EOF)",
    r"✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)",
    r"^ +(\d+):(\d+)  (error|warning)  (.+?)  ([\w/@-]+)$",
    r"(?i)permission denied",
    r"(?i)\bcommand not found\b",
    r"Error: Cannot find module '(@?[\w./-]+)'",
    r"^[+-]{3} [ab]/(\S+)$",
    r"connect ECONNREFUSED (\d{1,3}\.){3}\d{1,3}:\d+",
    r"pkg_resources\.(?:DistributionNotFound|VersionConflict)",
    r"^make(?:\[\d+\])?: \*\*\* \[(?:[^\]]+)\] Error (\d+)$",
    r"ld: library not found for -l(\w+)",
    r"rustc --explain E\d+",
    r"Traceback \(most recent call last\):\n(?:  .*\n)+(\w+): ",
    r"^(\w+)\((\d+),(\d+)\): error CS\d{4}: ",
    r"Could not resolve dependency:\n(?:npm ERR! .*\n)*",
    r"no such table: (\w+)",
    r"warning: unused (?:variable|import): `([^`]+)`",
    r"^\s*[\d.]+%\s+\S+\s+\(\d+ hits\)$",
    r"(?s)error: .{0,200}hint: ",
    r"docker: Error response from daemon: (.+)\.$",
]
"""As linters, compilers and test runners print, and as people search for it."""


def test_patterns_that_can_take_for_ever_are_found():
    found = endless(ENDLESS)
    assert [pattern for at, pattern in enumerate(ENDLESS) if at not in found] == []


def test_patterns_of_everyday_are_not():
    harmless = [*EVERYDAY, *QUADRATIC]
    assert [harmless[at] for at in endless(harmless)] == []


def test_repetitions_in_repetitions_fit_into_memory():
    assert endless([r"(((a{900}){900}){900}){900}b+c"]) == []


@pytest.mark.parametrize("pattern", [*ENDLESS, *EVERYDAY, "|".join(f"(a{n}+)+" for n in range(200))])
def test_the_texts_are_few_and_no_longer_than_they_need_to_be(pattern):
    texts = list(texts_against(pattern))
    assert len(texts) <= MOST_TEXTS * len(LENGTHS)
    assert all(len(text) < 10 * LONGEST_LINE for text in texts)


def test_what_leads_to_a_repetition_inside_a_group_is_in_the_text():
    assert any(re.match("prefix: a+", text) for text in texts_against("(?:prefix: (a+)+!)"))
