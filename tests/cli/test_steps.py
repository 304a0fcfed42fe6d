"""Step lines: every kind of event becomes one readable line, also those nobody thought of."""

from __future__ import annotations

from sharpen.cli.steps import edit_in_words, step_line
from sharpen.types import Budget

EDIT = {"op": "append", "target": "", "content": "- Read the file first.\nThen write."}


def test_an_adoption() -> None:
    event = {"number": 7, "task": "t3", "edits": [EDIT], "rollouts": 41, "calls": 50}
    line = step_line("adopt", event, Budget(rollouts=100))
    assert line == "   7     41     59  adopt   t3: add “Read the file first. (+1 lines)”"


def test_spend_is_counted_in_what_is_limited() -> None:
    event = {"number": 7, "task": "t3", "edits": [EDIT], "rollouts": 41, "calls": 50}
    assert step_line("drop", event, Budget(calls=60)).split()[1:3] == ["50", "10"]
    assert step_line("drop", event, Budget(seconds=60)).split()[1:3] == ["41", "-"]


def test_a_gate_shows_its_numbers() -> None:
    verdict = {
        "decision": "better", "reason": "evidence 43 reached 40", "wins": 9, "ties": 2, "losses": 1,
        "difference": {"mean": 0.5, "low": 0.25, "high": 0.75},
    }  # fmt: skip
    event = {"number": 9, "step": 1, "edits": [EDIT], "verdict": verdict, "rollouts": 80, "calls": 90}
    line = step_line("gate", event, Budget(rollouts=100))
    assert (
        "1 with 1 edit: better: evidence 43 reached 40; 9 won, 2 tied, 1 lost; +0.500 [+0.250, +0.750]"
        in line
    )


def test_an_unknown_event_is_told_with_its_values() -> None:
    event = {"number": 2, "rollouts": 3, "calls": 3, "share": 0.25, "why": "luck", "edits": [EDIT]}
    assert "share 0.25, why luck; add “Read" in step_line("dance", event, Budget(rollouts=10))


def test_an_empty_event_is_still_a_line() -> None:
    for kind in ("start", "adopt", "drop", "vet", "group", "pool", "gate", "stop", "final", "test", "other"):
        assert "\n" not in step_line(kind, {}, Budget(rollouts=10))


def test_edits_in_words() -> None:
    assert edit_in_words({"op": "delete", "target": "- Old."}) == "delete “Old.”"
    assert edit_in_words({"op": "replace", "target": "a", "content": "b"}) == "replace “a” by “b”"
    assert edit_in_words({"op": "insert_after", "target": "a", "content": "b"}) == "add “b” after “a”"
    assert len(edit_in_words({"op": "append", "content": "x" * 500})) < 80
