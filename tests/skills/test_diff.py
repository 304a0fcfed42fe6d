from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from sharpen.skills import Chunk, unified_diff, word_diff

from .strategies import any_text, documents


def test_unified_diff_reads_like_diff_u() -> None:
    assert unified_diff("a\nb\n", "a\nc", names=("old", "new")) == (
        "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
    )
    assert unified_diff("a\n", "a\n") == ""


def test_word_diff_marks_the_words_that_changed() -> None:
    assert word_diff("read the table\nkeep\n", "read each table\nkeep\n") == (
        Chunk("same", "read "),
        Chunk("removed", "the "),
        Chunk("added", "each "),
        Chunk("same", "table\nkeep\n"),
    )
    assert word_diff("", "") == ()
    assert word_diff("", "x") == (Chunk("added", "x"),)


@given(documents() | any_text, documents() | any_text)
def test_word_diff_gives_both_texts_back(a: str, b: str) -> None:
    chunks = word_diff(a, b)
    assert "".join(chunk.text for chunk in chunks if chunk.kind != "added") == a
    assert "".join(chunk.text for chunk in chunks if chunk.kind != "removed") == b
    assert all(chunk.text for chunk in chunks)
    assert all(one.kind != two.kind for one, two in pairwise(chunks))


@given(documents())
def test_equal_texts_do_not_differ(text: str) -> None:
    assert unified_diff(text, text) == ""
    assert all(chunk.kind == "same" for chunk in word_diff(text, text))
