"""Small models: one sentence per failure, cleaned into a rule or thrown away; everything else is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sharpen import Edit, Rollout, Task
from sharpen.models import AnswerError, Completion, ModelDownError, Price, Request, Simulated
from sharpen.skills import tokens
from sharpen.train.teacher import Lesson, RuleTeacher, TeacherSettings
from sharpen.train.teacher.rules import last_words, rule_in
from sharpen.types import Adviser

from .script import SKILL, Scripted, chat, failed, solved


def taught(script: Scripted, *evidence: Rollout, limit: int = 4, memory: str = "", trial: int = 1) -> Lesson:
    teacher = RuleTeacher(script.model)
    return asyncio.run(
        teacher.propose(SKILL, evidence or (failed(),), limit=limit, memory=memory, trial=trial)
    )


def test_the_wrong_and_the_expected_answer_stand_side_by_side() -> None:
    script = Scripted("Give only the year.")
    lesson = taught(script)
    assert lesson == [Edit("append", content="- Give only the year.", source_type="failure")]
    assert lesson.usage.calls == 1
    (request,) = script.requests
    text = request.messages[0].text
    assert "answered:\nIt was in 1931." in text
    assert "nothing less:\n1931" in text
    assert request.temperature is not None
    assert 0 < request.temperature < 1, "trials must differ, and small models ramble"
    assert request.schema is None
    assert request.system == ""
    assert request.max_tokens <= 100


def test_each_failure_gets_a_sentence_and_equal_ones_support_each_other() -> None:
    script = Scripted("Give only the year.", "Give only the year.", "Leave out the sentence.")
    lesson = taught(script, failed(1), solved(), failed(2), failed(3), failed(4), limit=3)
    assert [(edit.content, edit.support_count) for edit in lesson] == [
        ("- Give only the year.", 2),
        ("- Leave out the sentence.", 1),
    ]
    assert len(script.requests) == 3


def test_trials_are_fresh_samples_of_the_same_request() -> None:
    script = Scripted("Give only the year.", "Write four digits alone.")
    assert taught(script, trial=1) != taught(script, trial=2)
    assert script.trials == [1, 2]
    assert len({request.digest for request in script.requests}) == 1


def test_a_refusal_moves_on_to_the_next_sentence() -> None:
    """A loop counts its trials anew when the memory changed; the same sample would only repeat itself."""
    script = Scripted("Give only the year.", "Write four digits alone.")
    taught(script)
    assert [edit.content for edit in taught(script, memory="append: - Give only the year.")] == [
        "- Write four digits alone."
    ]
    assert script.trials == [1, 2]


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("Give only the year.", "Give only the year."),
        ("- give only the year", "Give only the year."),
        ('1. "Give only the year."', "Give only the year."),
        ("**Rule:** Give only the year.", "Give only the year."),
        ("Rule: “Give only the year.”\nThis works because", "Give only the year."),
        ("\n\n  * **Give only the year**  \n", "Give only the year."),
        ("Here is the rule:\n\nGive only the year.", "Give only the year."),
        ("Avoid the following scenarios:", ""),
        ("Year.", ""),
        ("", ""),
        ("do this " * 40, ""),
        ("Remember in which year did bridge 1 open and say it.", ""),
        ("Write one instruction for the student that fits all tasks.", ""),
    ],
)
def test_a_sentence_is_cleaned_or_thrown_away(said: str, rule: str) -> None:
    question = RuleTeacher(Scripted("").model).request(failed()).messages[0].text
    assert rule_in(Completion(said), question) == rule


def test_a_sentence_that_was_cut_is_no_rule() -> None:
    assert rule_in(Completion("Give only the year.", finish="length"), "?") == ""


def test_what_is_known_or_was_refused_is_not_said_again() -> None:
    said = Scripted("Always be kind to everybody.")
    assert taught(said, memory="refused: - Always be kind to everybody. (-0.10)") == []
    assert len(taught(said)) == 1


def test_no_usable_sentence_at_all_is_an_unusable_answer_with_its_cost() -> None:
    with pytest.raises(AnswerError, match="no usable rule") as refused:
        taught(Scripted("Hm."), failed(1), failed(2))
    assert refused.value.usage.calls == 2  # type: ignore[attr-defined]


def test_solved_attempts_cost_and_teach_nothing() -> None:
    script = Scripted("Give only the year.")
    lesson = taught(script, solved(1), solved(2))
    assert lesson == []
    assert lesson.usage.calls == 0
    assert script.requests == []


def test_it_is_no_adviser() -> None:
    """Loops then merge and rank by plain rules, instead of asking in vain."""
    assert not isinstance(RuleTeacher(Scripted("Give only the year.").model), Adviser)


def test_the_worst_case_bounds_a_sentence_per_failure() -> None:
    script = Scripted("word " * 500, price=Price(input=2.0, output=9.0))
    teacher = RuleTeacher(script.model)
    evidence = [failed(1), failed(2), solved(), failed(3)]
    worst = teacher.worst_case(SKILL, evidence, limit=2, memory="")
    with pytest.raises(AnswerError) as refused:
        asyncio.run(teacher.propose(SKILL, evidence, limit=2, memory="", trial=1))
    usage: Any = refused.value.usage  # type: ignore[attr-defined]
    assert usage.calls == worst.calls == 2
    assert usage.tokens <= worst.tokens
    assert usage.usd <= worst.usd


def test_the_prompt_fits_a_small_window_whatever_the_task_holds() -> None:
    task = Task("t", "context " * 9_000, {"answer": "right " * 900})
    rollout = Rollout.scored(
        task, hard=0, feedback="no " * 900, trajectory=chat(task.prompt, "wrong " * 9_000)
    )
    request = RuleTeacher(Scripted("").model).request(rollout)
    assert tokens(request.messages[0].text) < 1_200


def test_references_can_be_kept_from_it() -> None:
    teacher = RuleTeacher(Scripted("").model, TeacherSettings(style="rules", show_reference=False))
    text = teacher.request(failed(7)).messages[0].text
    assert "1937" not in text
    assert "(not known)" in text


def test_a_provider_that_is_down_passes_through() -> None:
    class Down(Simulated):
        async def complete(self, request: Request, *, trial: int = 1) -> Completion:
            raise ModelDownError("down", requests=4)

    teacher = RuleTeacher(Down("down", lambda request, trial: ""))
    with pytest.raises(ModelDownError):
        asyncio.run(teacher.propose(SKILL, [failed(1), failed(2)], limit=2, memory="", trial=1))


def test_the_answer_of_an_attempt_is_its_last_words() -> None:
    assert last_words(failed()) == "It was in 1931."
    assert last_words(Rollout.scored(Task("t", "?"), hard=0)) == "(not recorded)"
