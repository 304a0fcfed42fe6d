"""Generated tasks: the same from the same seed, judged strictly, with feedback that says what to change."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import TaskError
from sharpen.tasks.formats import FAMILIES, Family, Feedback, Sizes
from sharpen.tasks.formats.demo import DEMO, SIZES, demo_problem
from sharpen.tasks.scoring import Answer, Scorer
from sharpen.types import Score, Task

SMALL = Sizes(train=10, selection=10, test=10)
every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES.keys())


def right_answer(task: Task) -> str:
    answer = task.data["answer"]
    return answer if isinstance(answer, str) else json.dumps(answer)


def judged(family: Family, task: Task, text: str) -> Score:
    return family.scorer.score(task, Answer(text))


@every_family
def test_the_same_seed_makes_the_same_tasks(family: Family) -> None:
    assert family.tasks(3, SMALL).digest == family.tasks(3, SMALL).digest
    assert family.tasks(3, SMALL).digest != family.tasks(4, SMALL).digest


@every_family
def test_splits_share_no_sentence(family: Family) -> None:
    tasks = family.tasks(0, Sizes(train=60, selection=60, test=60))
    prompts = [task.prompt for split in (tasks.train, tasks.selection, tasks.test) for task in split]
    assert len(set(prompts)) == len(prompts) == 180


@every_family
def test_the_right_answer_is_right_and_never_in_the_prompt_as_a_giveaway(family: Family) -> None:
    for task in family.tasks(1, SMALL).train:
        assert judged(family, task, right_answer(task)) == Score(1, 1)
        assert judged(family, task, f"\n {right_answer(task)} \n").hard == 1
        assert not task.prompt.endswith(right_answer(task))


@every_family
def test_chatter_around_the_right_answer_fails_and_is_named(family: Family) -> None:
    for task in family.tasks(1, SMALL).train:
        score = judged(family, task, f"The answer is {right_answer(task)}.")
        said = Feedback.parse(score.feedback)
        assert said is not None
        assert score.hard == 0
        assert said.fault in ("surrounded", "not json")
        assert said.wanted == task.data["wanted"]


@every_family
@given(text=st.text(max_size=60))
def test_any_answer_gets_a_score_and_feedback_unless_it_is_right(family: Family, text: str) -> None:
    task = family.tasks(1, SMALL).train[0]
    score = judged(family, task, text)
    if score.hard:
        assert score.feedback == ""
    else:
        assert 0 <= score.soft < 1
        assert Feedback.parse(score.feedback) is not None


def test_feedback_does_not_give_the_right_answer_away() -> None:
    """The same answer gets the same words whatever the right one is."""
    for family in FAMILIES.values():
        tasks = family.tasks(2, SMALL).train
        assert len({judged(family, task, "I do not know.").feedback for task in tasks}) == 1


@pytest.mark.parametrize(
    ("text", "fault", "soft"),
    [
        ("", "nothing", 0),
        ("It was in 1931, I think.", "surrounded", 0.5),
        ("1930", "wrong", 0.25),
        ("nineteen thirty-one", "misshapen", 0),
        ("21931", "misshapen", 0),
    ],
)
def test_what_is_wrong_with_a_year(text: str, fault: str, soft: float) -> None:
    task = Task("t", "Q: In which year? The mill was sold in 1931.\nA:", {"answer": "1931"})
    score = judged(FAMILIES["year"], task, text)
    said = Feedback.parse(score.feedback)
    assert said is not None
    assert (said.fault, score.soft) == (fault, soft)


@pytest.mark.parametrize(
    ("text", "fault", "better_than"),
    [
        ("Anna, 30, Oslo", "not json", -1.0),
        ('```json\n{"name": "Anna", "age": 30, "city": "Oslo"}\n```', "not json", -1.0),
        ("[1, 2]", "not json", -1.0),
        ('{"name": "Anna", "age": 30, "town": "Oslo"}', "wrong keys", 0.0),
        ('{"name": "Anna", "age": 30, "city": "Oslo", "id": 1}', "wrong keys", 0.0),
        ('{"name": "Anna", "age": "30", "city": "Oslo"}', "wrong", 0.3),
        ('{"name": "Anna", "age": 30.0, "city": "Oslo"}', "wrong", 0.3),
    ],
)
def test_what_is_wrong_with_a_record(text: str, fault: str, better_than: float) -> None:
    task = Task("t", "…", {"answer": {"name": "Anna", "age": 30, "city": "Oslo"}})
    score = judged(FAMILIES["record"], task, text)
    said = Feedback.parse(score.feedback)
    assert said is not None
    assert said.fault == fault
    assert better_than < score.soft < 1
    assert score.hard == 0


def test_feedback_reads_back_and_other_text_is_left_alone() -> None:
    said = Feedback("four digits", "surrounded", "in 1931:\n  I think")
    assert Feedback.parse(str(said)) == Feedback("four digits", "surrounded", "in 1931: I think")
    assert Feedback.parse("the answer was cut off at 8 tokens: it must be shorter") is None
    assert Feedback.parse("wanted: four digits\nfault: sunspots") is None


def test_a_long_answer_is_quoted_in_part() -> None:
    assert len(str(Feedback("one word", "misshapen", "word " * 500))) < 300


@every_family
def test_scorers_are_scorers_with_a_version(family: Family) -> None:
    assert isinstance(family.scorer, Scorer)
    assert family.scorer.name == f"{family.name}@1"


def test_more_items_than_there_are_is_an_error() -> None:
    with pytest.raises(TaskError, match="different items"):
        FAMILIES["record"].tasks(0, Sizes(train=1_000_000, selection=1, test=1))


def test_the_demo_has_its_problems() -> None:
    for name in DEMO:
        problem = demo_problem(name, seed=5)
        assert len(problem.tasks.train) == SIZES.train
        assert problem.skill.text == problem.family.start
        assert problem.budget.rollouts
