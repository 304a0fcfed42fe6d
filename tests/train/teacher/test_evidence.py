"""What a teacher is shown of attempts: everything that helps, in the budget, and gold marked as gold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sharpen import Rollout, Task
from sharpen.skills import tokens
from sharpen.train.teacher.evidence import NOT_TO_QUOTE, told

from .script import chat, failed, solved

texts = st.text(max_size=200) | st.sampled_from(["word " * 4000, "?!" * 3000, "漢" * 3000])


@st.composite
def rollouts(draw: st.DrawFn) -> Rollout:
    task = Task(draw(st.text(min_size=1, max_size=30)), draw(texts), {"answer": draw(texts)})
    if draw(st.booleans()):
        return Rollout.failed_to_run(task, reason=draw(texts))
    trajectory = draw(st.none() | st.builds(chat, st.just(task.prompt), texts))
    return Rollout.scored(task, hard=0, feedback=draw(texts), trajectory=trajectory)


@given(st.lists(rollouts(), min_size=1, max_size=10), st.integers(1, 4000), st.booleans())
def test_attempts_never_take_more_than_their_budget(
    evidence: list[Rollout], budget: int, shown: bool
) -> None:
    assert tokens(told(evidence, budget=budget, show_reference=shown)) <= budget


def test_short_attempts_are_told_whole() -> None:
    assert told([failed(1)], budget=1_000, show_reference=True) == (
        "## Attempt 1: task t1, failed (score 0.50)\n"
        "### Task\nQ: In which year did bridge 1 open?\n"
        "### What the student did\n[2] agent: It was in 1931.\n"
        "### Verifier\nmore than the year\n"
        f"### {NOT_TO_QUOTE}\n1931"
    )


def test_right_answers_can_be_kept_from_the_teacher() -> None:
    text = told([failed(5)], budget=1_000, show_reference=False)
    assert "1935" not in text
    assert "Expected" not in text


def test_a_long_attempt_does_not_crowd_out_the_short_ones_nor_its_own_feedback() -> None:
    evidence = [failed(1, answer="blah " * 50_000), failed(2), solved(3)]
    text = told(evidence, budget=600, show_reference=True)
    assert text.count("more than the year") == 2
    assert "## Attempt 3: task s3, solved" in text
    assert "tokens left out" in text
    assert tokens(text) > 550, "the budget is used"


def test_a_long_task_leaves_room_for_the_answer() -> None:
    text = told([failed(1, prompt="context " * 9_000)], budget=300, show_reference=True)
    assert "It was in 1931." in text
    assert "more than the year" in text


def test_attempts_that_measured_nothing_and_pictures_are_named() -> None:
    task = Task("t", "look", {"images": [{"data": "aGk="}, {"data": "aGk="}]})
    text = told([Rollout.failed_to_run(task, reason="the sandbox broke")], budget=500, show_reference=True)
    assert "could not be measured" in text
    assert "the sandbox broke" in text
    assert "2 pictures" in text
    assert "aGk" not in text
