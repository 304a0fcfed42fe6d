"""Which rules apply, condition by condition, from the file that `sharpen.skills.rules` writes."""

from __future__ import annotations

import json

import pytest

from sharpen.hook.event import Event
from sharpen.hook.languages import languages
from sharpen.hook.matching import fitting
from sharpen.skills import Skill
from sharpen.skills.rules import compiled, rules_of

from . import payloads
from .cases import CASES, event_of

FAILED = Event("claude-code", payloads.CLAUDE_FAILED)


def lines_of(*rules: dict[str, object]) -> list[str]:
    """The compiled rules, a line for each, in the order given."""
    rows = [{"id": f"r{n:04}", "say": "a fact", **rule} for n, rule in enumerate(rules)]
    events = json.dumps({"rules": rows}).encode()
    text = '---\nname: "s"\ndescription: "d"\n---\n\n# S\n'
    return compiled(rules_of(Skill.from_text(text, files={"events.json": events}))).splitlines()


def _refuse(rule: str, error: Exception) -> None:
    raise error


@pytest.fixture(scope="module")
def case_lines() -> dict[str, str]:
    """The rule of each case as the hook process reads it; compiled together, for a trial takes a process."""
    return dict(zip([case[0] for case in CASES], lines_of(*(case[1] for case in CASES)), strict=True))


@pytest.mark.parametrize(
    ("name", "call", "speaks"),
    [(name, call, speaks) for name, _, call, speaks in CASES],
    ids=[case[0] for case in CASES],
)
def test_every_condition_must_hold(case_lines, name, call, speaks):
    assert bool(fitting(event_of(call), [case_lines[name]], _refuse)) is speaks


def test_codex_is_asked_for_the_exit_code_when_a_rule_wants_it(tmp_path):
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps(payloads.CODEX_ITEM) + "\n")
    told = {**payloads.CODEX, "transcript_path": str(path)}
    lines = lines_of(*({"output": "boom", "exit": ended} for ended in ("failed", [3], [4], "ok")))
    fires = [bool(fitting(Event("codex", told), [line], _refuse)) for line in lines]
    assert fires == [True, True, False, False]


def test_languages_come_from_paths_and_programs():
    run = Event("codex", {"tool_name": "Bash", "tool_input": {"command": "cd x && cargo test 'a/b.py'"}})
    assert languages(run) == {"rust", "python"}
    quoted = {"command": "bash -c 'FOO=1 python3.11 x' && (go vet ./...)"}
    assert languages(Event("codex", {"tool_name": "Bash", "tool_input": quoted})) == {"python", "go"}
    edited = {"tool_name": "Edit", "tool_input": {"file_path": "C:\\w\\main.RS"}}
    assert languages(Event("claude-code", edited)) == {"rust"}


BROKEN = [
    '["shell", "boom", {"id": "s/a", "say": "x", "output": "("}]',
    '["shell", "boom", {"id": "s/b", "say": "x", "output": "boom", "moon": "full"}]',
    '["shell", "boom", {"id": "s/c", "say": "x", "not": {"weather": "rain"}}]',
    '["shell", "boom", {"id": "s/d", "say": "x", "not": 3}]',
    '["shell", "boom", {"id": "s/e", "say": "x", "output": "bo',
    '["shell", "boom", 3]',
    '["shell", "boom", {"say": "x"}]',
    '["shell", "boom", {"id": "s/f", "say": "x"}, "more"]',
]
"""Lines that are not rules, not whole, or of a version that knows more conditions than this one."""


def test_a_line_that_is_no_rule_silences_no_other_and_is_told():
    told: list[tuple[str, str]] = []
    good = '["shell", "boom", {"id": "s/good", "say": "x", "output": "boom"}]'
    found = fitting(
        FAILED, [*BROKEN, "", "nonsense", good], lambda name, error: told.append((name, str(error)))
    )
    assert [rule["id"] for rule in found] == ["s/good"]
    assert len(told) == len(BROKEN)
    assert ("s/b", "unknown conditions: moon") in told


def test_rules_compiled_before_needles_were_folded_are_still_found():
    old = '["shell", "Boom|x", {"id": "s/old", "say": "x", "output": "(?i)Boom"}]'
    assert fitting(FAILED, [old], _refuse)
