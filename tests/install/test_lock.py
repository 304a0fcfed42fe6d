"""The lock of `npx skills`: the same hash for the same folder."""

from __future__ import annotations

import json

import pytest

from sharpen.errors import UsageError
from sharpen.install import install
from sharpen.install.lock import ALPHABET, collated
from sharpen.skills import Skill

from .places import clients, project_scope, skill


def test_the_hash_is_that_of_the_real_program(tmp_path):
    """Made by `skills` 1.7.4 from npm for this folder."""
    text = '---\nname: "alpha"\ndescription: "Use when alpha."\n---\n# alpha\nDo.\n'
    files = {
        "references/a.md": b"more\n",
        "references/B.md": b"Z\n",
        "run.sh": b"#!/bin/sh\necho hi\n",
        "ä.md": "ä\n".encode(),
        "_x.md": b"_\n",
        ".hid/f": b"h\n",
    }
    scope = project_scope(tmp_path)
    install([Skill.from_text(text, files=files)], clients("codex"), scope=scope)
    row = json.loads((scope.root / "skills-lock.json").read_text())["skills"]["alpha"]
    assert row["computedHash"] == "9170229f31dfdfc9dc16e12aad712f57ef5b34b660fec52d8494623d7803d7d9"


def test_paths_are_ordered_as_javascript_compares_them():
    assert sorted(
        ["SKILL.md", "events.json", "a-b", "ab", "a/b", "a.b", "A", "a", "äz", "az"], key=collated
    ) == [*("a", "A", "a-b", "a.b", "a/b", "ab", "az", "äz", "events.json", "SKILL.md")]
    assert sorted(ALPHABET, key=collated) == list(ALPHABET)


def test_a_skill_of_the_same_name_from_elsewhere_is_not_written_over(tmp_path):
    scope = project_scope(tmp_path)
    lock = scope.root / "skills-lock.json"
    lock.write_text('{"version": 1, "skills": {"house-rules": {"source": "github.com/x/y"}}}')
    with pytest.raises(UsageError, match="from somewhere else"):
        install([skill()], clients("codex"), scope=scope)
    assert not (scope.root / ".agents").exists()
