from __future__ import annotations

import pytest
from hypothesis import given

from sharpen.skills.markdown import block, has_lines, needs_blank_line, whole_line

from .strategies import any_text, bodies


@pytest.mark.parametrize(
    ("content", "kept"),
    [("a", "a"), ("\n \n  - a\n\n", "  - a"), (" \n\t", ""), ("a\n\nb\n", "a\n\nb"), ("  a", "  a")],
)
def test_a_block_has_no_blank_edges(content: str, kept: str) -> None:
    assert block(content) == kept


@pytest.mark.parametrize(
    ("before", "added", "blank"),
    [
        ("- a", "- b", False),
        ("* a", "1) b", False),
        ("**Bold** rule", "Another rule", False),
        ("`code` rule", "Another rule", False),
        ("prose", "===", True),
        ("prose", "- a\n- b", True),
        ("> quote", "prose", True),
        ("    code", "prose", True),
        ("-", "prose", True),
    ],
)
def test_where_markdown_wants_a_blank_line(before: str, added: str, blank: bool) -> None:
    assert needs_blank_line("# Title\n\n" + before, added) is blank


@given(bodies(), any_text)
def test_has_lines_agrees_with_comparing_line_by_line(text: str, line: str) -> None:
    line = block(line.replace("\n", " "))
    if line:
        expected = any(
            row == line or (row.startswith(line) and row[len(line) :].isspace()) for row in text.split("\n")
        )
        assert has_lines(text, line, start=0) == expected


@given(bodies())
def test_a_widened_span_adds_nothing_but_white_space(text: str) -> None:
    for start in range(0, len(text), 3):
        for end in range(start + 1, min(len(text), start + 9)):
            left, right = whole_line(text, start, end)
            assert left <= start < end <= right
            assert not (text[left:start] + text[end:right]).strip()
