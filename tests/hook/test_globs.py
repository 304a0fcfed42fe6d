"""Globs as people know them, counted from the end of a path."""

from __future__ import annotations

import pytest

from sharpen.hook.globs import glob_matches


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "/w/src/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "/w/src/a.py", True),
        ("src/*.py", "/w/src/x/a.py", False),
        ("src/**/*.py", "/w/src/a.py", True),
        ("src/**/*.py", "/w/src/x/y/a.py", True),
        ("**/*.py", "a.py", True),
        ("tests/**", "/w/tests/x/a.py", True),
        ("tests/**", "/w/tests", False),
        ("/w/*.py", "/w/a.py", True),
        ("/w/*.py", "/v/w/a.py", False),
        ("./src/a.py", "src/a.py", True),
        ("a?.py", "ab.py", True),
        ("[ab].py", "c.py", False),
        ("[!ab].py", "c.py", True),
        ("[!ab].py", "a.py", False),
        ("[]].py", "].py", True),
        ("a[b.py", "a[b.py", True),
        ("a+b(c).py", "a+b(c).py", True),
        ("A.py", "a.py", False),
        ("src/*.py", "C:\\w\\src\\a.py", True),
        ("*", "a\nb", True),
        ("", "a", False),
        ("a", "", False),
    ],
)
def test_a_glob_fits_the_end_of_a_path(glob, path, fits):
    assert glob_matches(glob, path) is fits


def test_many_stars_take_no_time():
    assert not glob_matches("/".join(["**"] * 60 + ["x"]), "/".join(["a"] * 200))
    assert not glob_matches("**a" * 12 + "b", "a" * 200)
