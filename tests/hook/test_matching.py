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
    rows = [{"id": f"r{n}", "say": "a fact", **rule} for n, rule in enumerate(rules)]
    events = json.dumps({"rules": rows}).encode()
    text = '---\nname: "s"\ndescription: "d"\n---\n\n# S\n'
    return compiled(rules_of(Skill.from_text(text, files={"events.json": events}))).split("\n")


def fires(rule: dict[str, object], event: Event) -> bool:
    return bool(fitting(event, lines_of(rule), _refuse))


def _refuse(rule: str, error: Exception) -> None:
    raise error


@pytest.fixture(scope="module", autouse=True)
def trusted_patterns():
    """These patterns are harmless, and trying each out takes a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sharpen.skills.rules.endless", lambda patterns: [])
        yield


@pytest.mark.parametrize(
    ("rule", "call", "speaks"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_every_condition_must_hold(rule, call, speaks):
    assert fires(rule, event_of(call)) is speaks


def test_codex_is_asked_for_the_exit_code_when_a_rule_wants_it(tmp_path):
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps(payloads.CODEX_ITEM) + "\n")
    told = {**payloads.CODEX, "transcript_path": str(path)}
    assert fires({"output": "boom", "exit": "failed"}, Event("codex", told))
    assert fires({"output": "boom", "exit": [3]}, Event("codex", told))
    assert not fires({"output": "boom", "exit": [4]}, Event("codex", told))
    assert not fires({"output": "boom", "exit": "ok"}, Event("codex", told))


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
