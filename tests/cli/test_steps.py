"""Step lines: every kind of event becomes one readable line, also those nobody thought of."""

from __future__ import annotations

from sharpen.cli.steps import TOLD, edit_in_words, step_line
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
    for kind in (*TOLD, "other"):
        assert "\n" not in step_line(kind, {}, Budget(rollouts=10))


def test_edits_in_words() -> None:
    assert edit_in_words({"op": "delete", "target": "- Old."}) == "delete “Old.”"
    assert edit_in_words({"op": "replace", "target": "a", "content": "b"}) == "replace “a” by “b”"
    assert edit_in_words({"op": "insert_after", "target": "a", "content": "b"}) == "add “b” after “a”"
    assert len(edit_in_words({"op": "append", "content": "x" * 500})) < 80


def test_a_step_of_the_batch_loop() -> None:
    event = {
        "number": 4, "step": 3, "epoch": 2, "action": "accept_new_best", "rollouts": 60, "calls": 70,
        "batches": [{"n_envs": 4, "hard": 0.5}, {"n_envs": 4, "hard": 0.0}],
        "patches": [{"error": "not JSON"}, {}],
        "merged": {"edits": [EDIT, EDIT, EDIT]}, "ranked": {"edits": [EDIT]}, "edit_budget": 1,
    }  # fmt: skip
    line = step_line("step", event, Budget(rollouts=100))
    assert line.endswith("3 of epoch 2: accepted; train 0.25 of 8; 1 of 3 edits, at most 1; 1 answer dropped")
    skipped = {"step": 4, "epoch": 2, "action": "skip_no_patches", "batches": [{"n_envs": 4, "hard": 1.0}]}
    assert step_line("step", skipped, Budget(rollouts=100)).endswith(
        "4 of epoch 2: no patches; train 1.00 of 4"
    )


def test_the_end_of_an_epoch() -> None:
    pairs = [{"category": "improved"}, {"category": "stable"}, {"category": "improved"}]
    slow = {"epoch": 2, "action": "reject", "pairs": pairs, "content": "Keep it short."}
    told = step_line("slow_update", slow, Budget(rollouts=10))
    assert told.endswith("of epoch 2: rejected; 2 improved, 1 stable: “Keep it short.”")
    gate = {"of": "slow_update", "step": 7, "edits": [], "verdict": {"decision": "better"}}
    assert "slow update with 0 edits: better" in step_line("gate", gate, Budget(rollouts=10))
    assert "of epoch 1: noted: “One" in step_line(
        "meta_skill", {"epoch": 1, "content": "One"}, Budget(rollouts=1)
    )


def test_refused_edits_are_told_with_the_reason() -> None:
    line = step_line("refused", {"edits": [{**EDIT, "reason": "it quotes t3"}]}, Budget(rollouts=10))
    assert "by the leak check: add “Read the file first. (+1 lines)” (it quotes t3)" in line
