"""A plugin folder: its manifests, the skills, and hooks only when there are rules."""

from __future__ import annotations

import json
import os

import pytest

from sharpen.errors import SharpenError, StoreError, UsageError
from sharpen.install import write_plugin

from .places import skill, tree


def test_the_folder_is_a_plugin_for_claude_code_and_codex(tmp_path):
    folder = tmp_path / "house-plugin"
    notes = write_plugin([skill(**{"scripts/run.sh": b"#!/bin/sh\n"}), skill("second", rules=False)], folder)
    there = tree(folder)
    claude, codex = (json.loads(there[f".{name}-plugin/plugin.json"]) for name in ("claude", "codex"))
    assert claude["name"] == codex["name"] == "house-plugin"
    assert "plugin.json" not in there  # Codex would look at no hooks
    assert any("Agent Plugins" in note for note in notes)
    assert codex["skills"] == "./skills/"
    assert json.loads(there["hooks/hooks.json"])["hooks"].keys() == {
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
    }
    assert "sharpen hook codex --rules" in there[codex["hooks"].removeprefix("./")].decode()
    assert there["events.jsonl"].count(b"\n") == 1
    assert there["skills/second/SKILL.md"] == skill("second").text.encode()
    assert os.access(folder / "skills/house-rules/scripts/run.sh", os.X_OK)


def test_without_rules_there_are_no_hooks_and_it_is_an_agent_plugin(tmp_path):
    assert write_plugin([skill(rules=False)], tmp_path / "plain") == ()
    there = tree(tmp_path / "plain")
    assert not any("hook" in name or "events" in name for name in there)
    portable = json.loads(there["plugin.json"])
    assert portable["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert portable["name"] == "plain"


def test_a_plugin_that_cannot_be_written_is_not_there_in_part(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="empty could not be written"):
        write_plugin(
            [skill(**{f"references/{'x' * 300}.md": b"a name that no disk takes"})], tmp_path / "empty"
        )
    assert tree(tmp_path) == {"empty": "folder"}
    write_plugin([skill()], tmp_path / "empty")
    assert "skills/house-rules/SKILL.md" in tree(tmp_path / "empty")


def test_what_is_there_is_not_written_over(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x")
    with pytest.raises(UsageError, match="is there already"):
        write_plugin([skill()], tmp_path / "taken")
    with pytest.raises(UsageError, match="called like its folder"):
        write_plugin([skill()], tmp_path / "Not A Name")
    with pytest.raises(SharpenError, match="two skills are called house-rules"):
        write_plugin([skill(), skill()], tmp_path / "twice")
    assert not (tmp_path / "twice").exists()
