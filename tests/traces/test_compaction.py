"""Conversations cut to a budget: never over it, the same every time, actions and errors before the rest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.skills import tokens
from sharpen.traces import Agent, Result, Step, ToolCall, Trajectory, to_json
from sharpen.traces.compaction import LEAST, compact, cut, entries_of, shares

LONG = " ".join(f"word{number}" for number in range(3000))

texts = st.text(max_size=300) | st.sampled_from([LONG, "x" * 5000, "!?" * 900, "\n" * 50, "漢字" * 400])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(
        ["role", "content", "tool_calls", "function", "arguments", "obs", "cmd", "reasoning", "steps",
         "observation", "results", "message", "exit_code", "extra", "source", "text", "type"]
    ), inner, max_size=5),
    max_leaves=25,
)  # fmt: skip
turns = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"]), "content": texts},
    optional={"reasoning": texts, "cmd": texts, "obs": texts, "exit_code": st.integers(0, 2)},
)


def session(*steps: Step) -> Trajectory:
    return Trajectory(Agent("a", "1"), steps)


def ran(command: str, output: str, code: int = 0, thought: str | None = None) -> Step:
    call = ToolCall("c", "shell", {"command": command})
    return Step(
        "agent",
        reasoning_content=thought,
        tool_calls=(call,),
        results=(Result(output, "c", extra={"exit_code": code}),),
    )


@given(values | st.lists(turns, max_size=30), st.integers(-5, 3000))
def test_no_text_is_over_its_budget(conversation: Any, budget: int) -> None:
    text = compact(conversation, budget)
    assert tokens(text) <= max(budget, 0)
    assert text == compact(conversation, budget)


@given(texts, st.integers(-5, 3000))
def test_a_cut_text_is_never_over_and_a_short_one_is_whole(text: str, budget: int) -> None:
    assert tokens(cut(text, budget)) <= max(budget, 0)
    if tokens(text) <= budget:
        assert cut(text, budget) == text


def test_a_cut_keeps_both_ends_and_says_how_much_is_missing() -> None:
    short = cut(LONG, 100)
    assert short.startswith("word0 ")
    assert short.endswith(" word2999")
    missing = int(short.partition("[… ")[2].partition(" tokens")[0])
    start, _, end = short.partition(f" [… {missing} tokens left out …] ")
    assert missing == tokens(LONG) - tokens(start) - tokens(end)
    assert len(end) > len(start), "results stand at the end"
    assert tokens(short) > 90, "the budget is used"


def test_what_fits_is_told_whole_and_in_order() -> None:
    told = compact(
        session(Step("user", "Count."), ran("ls", "a b", thought="first look"), Step("agent", "2")), 500
    )
    assert told.splitlines() == [
        "[1] user: Count.",
        "[2] agent thinks: first look",
        '[2] calls shell: {"command": "ls"}',
        "[2] result (exit 0): a b",
        "[3] agent: 2",
    ]


def test_a_message_that_is_known_already_is_not_repeated() -> None:
    told = compact(session(Step("user", "Count.\n"), Step("agent", "2")), 500, known="Count.")
    assert told == "[2] agent: 2"


def test_actions_are_whole_when_outputs_and_reasoning_are_not() -> None:
    steps = [ran(f"make target{number} --with-care", LONG, thought=LONG) for number in range(6)]
    told = compact(session(*steps, Step("agent", "The build is green.")), 700)
    for number in range(6):
        assert f"make target{number} --with-care" in told
    assert "The build is green." in told
    assert told.count("tokens left out") == 12


def test_an_error_is_told_at_length_before_an_output_is() -> None:
    told = compact(session(ran("a", LONG), ran("b", LONG + " Fatal: no such table", code=1)), 600)
    fine, broken = (line for line in told.splitlines() if "result" in line)
    assert "(exit 1)" in broken
    assert broken.endswith("Fatal: no such table")
    assert tokens(broken) > 5 * tokens(fine)


def test_when_not_even_a_little_is_there_for_each_the_middle_goes_and_it_says_so() -> None:
    steps = [ran(f"step{number}", LONG, thought=LONG) for number in range(100)]
    told = compact(session(Step("user", "Begin."), *steps, Step("agent", "Done.")), 800)
    assert told.startswith("[")
    assert "entries are left out]" in told.splitlines()[0]
    assert "Begin." in told
    assert "step0" in told
    assert "step99" in told
    assert "step50" not in told
    assert "Done." in told


@pytest.mark.parametrize(
    ("conversation", "kinds"),
    [
        ([{"type": "tool_call", "cmd": "ls", "obs": "a"}], ["action", "output"]),
        (
            [{"step": 1, "action": "go north", "env_feedback": "a wall", "reasoning": "hm"}],
            ["reasoning", "action", "output"],
        ),
        ([{"role": "system", "content": "wrong"}, {"role": "tool", "content": "x"}], ["said", "output"]),
        ({"messages": [{"role": "tool", "content": "x", "is_error": True}]}, ["error"]),
        (
            [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}],
            ["action"],
        ),
        ([{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image"}]}], ["said"]),
        ("just words", ["said"]),
        ({"answer": 4}, ["said"]),
        (None, []),
        ({}, []),
    ],
)
def test_other_shapes_are_read_for_what_they_hold(conversation: Any, kinds: list[str]) -> None:
    assert [entry.kind for entry in entries_of(conversation)] == kinds


def test_records_and_their_json_are_told_alike() -> None:
    trajectory = session(Step("user", "Count."), ran("ls", "a b", code=2))
    assert compact(trajectory, 300) == compact(to_json(trajectory), 300)


@given(st.lists(st.integers(0, 100), max_size=20), st.integers(0, 500))
def test_shares_serve_small_wants_first_and_waste_nothing(wants: list[int], available: int) -> None:
    given_out = shares(wants, available)
    assert all(got <= want for got, want in zip(given_out, wants, strict=True))
    assert sum(given_out) <= available
    if sum(wants) <= available:
        assert given_out == wants
    else:
        assert sum(given_out) > available - len(wants)


DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n" + "\n".join(f"+line {n}" for n in range(60))


def test_the_last_diff_is_kept_whole_before_other_outputs_are() -> None:
    told = session(
        ran("git diff", DIFF.replace("x.py", "old.py")),
        ran("ls", LONG),
        ran("git diff", DIFF),
        ran("ls", LONG),
    )
    text = compact(told, 900)
    assert DIFF in text
    assert "left out" in text


def test_a_patch_that_was_handed_in_is_the_final_diff() -> None:
    told = Trajectory(Agent("a", "1"), (ran("ls", LONG),), extra={"final_diff": DIFF})
    assert compact(told, 700).endswith(DIFF)


def test_a_failure_without_an_exit_code_is_an_error() -> None:
    failed = Step(
        "agent", tool_calls=(ToolCall("c", "read"),), results=(Result("no", "c", extra={"failed": True}),)
    )
    assert [entry.kind for entry in entries_of(session(failed))] == ["action", "error"]


words = st.text("abcdefgh", min_size=1, max_size=40)
outputs = st.sampled_from([LONG, LONG + " Traceback: it broke", "short", "x" * 4000])


@st.composite
def sessions(draw: st.DrawFn) -> Trajectory:
    steps = [
        ran(
            f"do {number} {draw(words)}",
            draw(outputs),
            draw(st.integers(0, 1)),
            draw(st.none() | st.just(LONG)),
        )
        for number in range(draw(st.integers(1, 12)))
    ]
    extra = draw(st.sampled_from([{}, {"final_diff": DIFF}]))
    return Trajectory(Agent("a", "1"), (Step("user", draw(words)), *steps), extra=extra)


@given(sessions(), st.integers(0, 6000))
def test_actions_diffs_and_the_ends_of_errors_are_kept_as_far_as_there_is_room(
    told: Trajectory, budget: int
) -> None:
    text = compact(told, budget)
    assert tokens(text) <= budget
    entries = entries_of(told)
    least = sum(min(entry.tokens, LEAST) + 1 for entry in entries)
    first = [entry for entry in entries if entry.kind in ("action", "diff")]
    if budget < least + sum(entry.tokens for entry in first):
        return
    assert all(entry.text in text for entry in first)
    assert "entries are left out" not in text
    for entry in entries:
        assert entry.text[-12:].strip() in text, "the end of what was cut is kept"
