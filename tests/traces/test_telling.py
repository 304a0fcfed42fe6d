"""Steps are handed on once they are settled, late results find their call, what is taken back is gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.traces import check
from sharpen.traces.gathering import Gathering
from sharpen.traces.telling import WAITING, About, Ending, Telling, from_epoch, when


class Following(Gathering):
    """Knows how many steps were handed on so far."""

    @property
    def steps(self):
        return self.sessions[0].steps


def telling() -> tuple[Telling, Following]:
    sink = Following()
    return Telling(sink, About("a", "s")), sink


def test_a_settled_step_is_handed_on_with_the_next():
    told, sink = telling()
    told.user("x")
    told.call("c1", "bash", {})
    assert [step.source for step in sink.steps] == ["user"]
    told.result("c1", "out", exit_code=3)
    told.turn()
    told.say("done")
    assert [result.exit_code for result in sink.steps[1].results] == [3]


def test_a_result_that_comes_late_stands_beside_its_call():
    told, sink = telling()
    told.call("slow", "bash", {})
    for number in range(10):
        told.turn()
        told.say(str(number))
    told.result("slow", "at last")
    told.end(Ending())
    assert sink.steps[0].results[0].content == "at last"
    assert len(sink.steps) == 11


def test_steps_do_not_wait_for_ever():
    told, sink = telling()
    for number in range(3 * WAITING):
        told.turn()
        told.call(f"c{number}", "bash", {})
    assert len(sink.steps) >= 2 * WAITING - 1
    told.result("c0", "much too late")
    told.end(Ending())
    assert sink.steps[-1].results[0].source_call_id is None
    assert list(check(sink.sessions[0].trajectory())) == []


def test_facts_about_a_result_may_come_before_it_after_it_or_twice():
    told, sink = telling()
    told.call("a", "bash", {})
    told.call("b", "bash", {})
    told.learn("a", {"exit_code": 4})
    told.result("a", "one")
    told.result("b", "two")
    told.learn("b", {"exit_code": 5})
    told.result("b", "another telling")
    told.learn("nobody", {"exit_code": 6})
    told.end(Ending())
    assert [(result.content, result.exit_code) for result in sink.steps[0].results] == [
        ("one", 4),
        ("two", 5),
    ]


def test_an_id_that_comes_again_is_another_call_where_the_format_tells_calls_once():
    told, sink = telling()
    for number in range(2):
        told.turn()
        told.call("c0", "bash", {"command": number}, fresh=True)
        told.result("c0", str(number))
    told.call("c0", "bash", {"command": "again"})
    told.end(Ending())
    calls = [[call.arguments["command"] for call in step.tool_calls] for step in sink.steps]
    assert calls == [[0], [1]]
    assert [step.results[0].content for step in sink.steps] == ["0", "1"]


def test_calls_of_one_step_under_one_id_keep_their_own_results():
    told, sink = telling()
    for command in "ab":
        told.call("c0", "bash", {"command": command}, fresh=True)
    for output in "AB":
        told.result("c0", output)
    told.end(Ending())
    names = [call.tool_call_id for call in sink.steps[0].tool_calls]
    assert names == ["c0", "c0-0-1"]
    assert [(result.source_call_id, result.content) for result in sink.steps[0].results] == list(
        zip(names, "AB", strict=True)
    )


def test_results_that_name_no_call_go_to_the_first_open_one_of_the_latest():
    told, sink = telling()
    told.call("lost", "bash", {})
    told.turn()
    for name in ("a", "b"):
        told.call(name, "bash", {})
    for output in ("one", "two"):
        told.result(told.open_call(), output)
    assert told.open_call() == "lost"
    told.end(Ending())
    assert [result.source_call_id for result in sink.steps[1].results] == ["a", "b"]
    assert told.open_call() == ""


def test_turns_are_taken_back_from_the_end():
    told, sink = telling()
    for number in range(5):
        told.user(f"u{number}")
        told.say(f"a{number}")
    told.rewind_turns(2)
    told.user("again")
    told.rewind_turns(0)
    told.end(Ending())
    assert [step.message for step in sink.steps] == ["u0", "a0", "u1", "a1", "u2", "a2", "again"]
    told.rewind_turns(99)
    assert sink.steps == []


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.text(max_size=3)),
        st.tuples(st.just("say"), st.text(max_size=3)),
        st.tuples(st.just("call"), st.sampled_from("abc")),
        st.tuples(st.just("fresh"), st.sampled_from("abc")),
        st.tuples(st.just("result"), st.sampled_from("abcd")),
        st.tuples(st.just("turn"), st.none()),
        st.tuples(st.just("rewind"), st.integers(-1, 12)),
    ),
    max_size=40,
)


@given(ACTS)
def test_whatever_is_told_is_a_valid_trajectory(acts):
    told, sink = telling()
    for act, value in acts:
        match act:
            case "call" | "fresh":
                told.call(value, "tool", {}, fresh=act == "fresh")
            case "result":
                told.result(value, "x")
            case "turn":
                told.turn()
            case _:
                getattr(told, act)(value)
    told.end(Ending())
    assert len(sink.steps) == told.count
    assert [problem for problem in check(sink.sessions[0].trajectory()) if problem != "it has no steps"] == []


@pytest.mark.parametrize("moment", [None, -(10**30), 10**30, float("nan")])
def test_moments_that_are_none_have_no_name(moment):
    assert from_epoch(moment) == ""


def test_times_are_iso_or_absent():
    assert when("2026-11-15T06:36:41.493Z") == "2026-11-15T06:36:41.493Z"
    assert (when("yesterday"), when(""), when(None)) == (None, None, None)
    assert from_epoch(1794724601493, unit=1e-3) == "2026-11-15T06:36:41.493+00:00"
