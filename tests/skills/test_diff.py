from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from sharpen.skills import Chunk, files_diff, unified_diff, word_diff

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


def test_files_that_differ_are_shown_one_by_one() -> None:
    old = {"references/a.md": b"one\n", "references/gone.md": b"x\n", "same": b"y", "assets/x.png": b"\xff"}
    new = {"references/a.md": b"two\n", "scripts/new.py": b"z\n", "same": b"y", "assets/x.png": b"\xfe"}
    found = files_diff(old, new, names=("old", "new"))
    assert [(one.file, one.kind) for one in found] == [
        ("assets/x.png", "changed"),
        ("references/a.md", "changed"),
        ("references/gone.md", "removed"),
        ("scripts/new.py", "added"),
    ]
    assert found[0].unified == "Binary files old/assets/x.png and new/assets/x.png differ\n"
    assert found[1].unified == "--- old/references/a.md\n+++ new/references/a.md\n@@ -1 +1 @@\n-one\n+two\n"
    assert found[2].unified.startswith("--- old/references/gone.md\n+++ /dev/null\n")
    assert found[3].unified.startswith("--- /dev/null\n+++ new/scripts/new.py\n")
    assert found[1].words == (Chunk("removed", "one\n"), Chunk("added", "two\n"))
    assert files_diff(old, old) == ()
