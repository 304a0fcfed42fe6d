"""Which rules apply, condition by condition, from the file that `sharpen.skills.rules` writes."""

from __future__ import annotations

import json

import pytest

from sharpen.hook.event import Event
from sharpen.hook.matching import applies, languages, rules_for
from sharpen.skills import Skill
from sharpen.skills.rules import compiled, rules_of

from . import payloads


def lines_of(*rules: dict[str, object]) -> list[str]:
    rows = [{"id": f"r{n}", "say": "a fact", **rule} for n, rule in enumerate(rules)]
    events = json.dumps({"rules": rows}).encode()
    text = '---\nname: "s"\ndescription: "d"\n---\n\n# S\n'
    return compiled(rules_of(Skill.from_text(text, files={"events.json": events}))).split("\n")


def fires(rule: dict[str, object], event: Event, *, code: int | None = None) -> bool:
    return any(applies(found, event, lambda _: code) for found in rules_for(event, lines_of(rule)))


FAILED = Event("claude-code", payloads.CLAUDE_FAILED)
WORKED = Event("claude-code", payloads.CLAUDE_WORKED)
UNKNOWN = Event("codex", payloads.CODEX)
EDITED = Event("claude-code", {"tool_name": "Edit", "tool_input": {"file_path": "/w/src/app/main.py"}})


@pytest.mark.parametrize(
    ("rule", "event", "expected"),
    [
        ({"output": r"boom-(\w+)"}, FAILED, True),
        ({"output": "^boom"}, FAILED, True),
        ({"output": "(?i)BOOM"}, FAILED, True),
        ({"output": "bang"}, FAILED, False),
        ({"output": "boom", "tool": "shell"}, FAILED, True),
        ({"output": "boom", "tool": "Bash"}, FAILED, True),
        ({"output": "boom", "tool": "edit"}, FAILED, False),
        ({"command": r"exit \d"}, FAILED, True),
        ({"command": "pytest"}, FAILED, False),
        ({"command": "echo", "output": "bang"}, FAILED, False),
        ({"output": "boom", "exit": "failed"}, FAILED, True),
        ({"output": "boom", "exit": "ok"}, FAILED, False),
        ({"output": "boom", "exit": [3, 4]}, FAILED, True),
        ({"output": "boom", "exit": [4]}, FAILED, False),
        ({"output": "boom", "exit": "ok"}, WORKED, True),
        ({"output": "boom", "exit": "failed"}, WORKED, False),
        ({"output": "boom", "not": {"command": "exit 3"}}, FAILED, False),
        ({"output": "boom", "not": {"output": "bang"}}, FAILED, True),
        ({"path": ["*.py"]}, EDITED, True),
        ({"path": ["src/*/main.py"]}, EDITED, True),
        ({"path": ["*.rs"]}, EDITED, False),
        ({"path": ["*.py"], "not": {"path": "main"}}, EDITED, False),
        ({"path": ["*"], "language": ["python"]}, EDITED, True),
        ({"path": ["*"], "language": ["rust", "go"]}, EDITED, False),
    ],
)
def test_every_condition_must_hold(rule, event, expected):
    assert fires(rule, event) is expected


def test_an_exit_code_that_nobody_knows_satisfies_no_condition():
    assert not fires({"output": "boom", "exit": "failed"}, UNKNOWN)
    assert not fires({"output": "boom", "exit": "ok"}, UNKNOWN)
    assert fires({"output": "boom"}, UNKNOWN)


def test_the_exit_code_is_asked_for_when_a_rule_wants_it():
    assert fires({"output": "boom", "exit": "failed"}, UNKNOWN, code=3)
    assert fires({"output": "boom", "exit": "ok"}, UNKNOWN, code=0)
    assert fires({"output": "boom", "exit": [3]}, UNKNOWN, code=3)
    assert not fires({"output": "boom", "exit": [3]}, UNKNOWN, code=4)


def test_languages_come_from_paths_and_programs():
    run = Event("codex", {"tool_name": "Bash", "tool_input": {"command": "cd x && cargo test 'a/b.py'"}})
    assert languages(run) == {"rust", "python"}
    assert languages(EDITED) == {"python"}


def test_lines_that_are_no_rules_are_passed_over():
    assert list(rules_for(FAILED, ["", "nonsense", '["shell", "boom"]', '["shell", "boom", 3]'])) == []
