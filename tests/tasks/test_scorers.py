"""What each scorer calls right, what it calls wrong, and what it tells about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.errors import SettingsError, TaskError
from sharpen.tasks.scorers import (
    SCORERS,
    Anls,
    Choice,
    Contains,
    Exact,
    JsonEqual,
    JsonSchema,
    Mathematics,
    Number,
    Regex,
    scorer_named,
)
from sharpen.tasks.scorers.anls import anls
from sharpen.tasks.scorers.answers import boxed, choice_of, final_answer
from sharpen.tasks.scorers.overlap import F1, TokenMatch, normalised, token_f1
from sharpen.tasks.scoring import Answer, Scorer
from sharpen.types import Task


def hard(scorer: Scorer, text: str, **data: object) -> float:
    return scorer.score(Task("t", data=data), Answer(text)).hard


def soft(scorer: Scorer, text: str, **data: object) -> float:
    return scorer.score(Task("t", data=data), Answer(text)).soft


def test_words() -> None:
    assert hard(Exact(), " Paris\n", answer="Paris") == 1
    assert hard(Exact(), "It is Paris", answer="Paris") == 0
    assert hard(Exact(), "b", answers=["a", "b"]) == 1
    assert hard(Contains(), "I say PARIS.", answer="Paris") == 1
    assert hard(Contains(), "Parisian", answer="Paris") == 0
    assert hard(Regex(), "code AB-12", pattern=r"\b[A-Z]{2}-\d+$") == 1
    assert hard(Regex(), "code AB-x", pattern=r"\b[A-Z]{2}-\d+$") == 0


@pytest.mark.parametrize(
    ("text", "data", "scorer", "right"),
    [
        ("The sum is 1,234.5", {"answer": 1234.5}, Number(), 1),
        ("$3.14", {"answer": 3.15}, Number(tolerance=0.02), 1),
        ("3.1", {"answer": 3.15}, Number(tolerance=0.02), 0),
        ("102 %", {"answer": 100}, Number(relative=0.02), 1),
        ("103 %", {"answer": 100}, Number(relative=0.02), 0),
        ("2 apples\n<answer>-7</answer>\nor 9", {"answer": "-7"}, Number(), 1),
        ("none", {"answer": 1}, Number(), 0),
        ("6.02e23", {"answer": 6.02e23}, Number(relative=1e-6), 1),
    ],
)
def test_numbers(text: str, data: dict[str, object], scorer: Number, right: int) -> None:
    assert hard(scorer, text, **data) == right


def test_a_right_answer_that_is_no_number_is_the_authors_mistake() -> None:
    with pytest.raises(TaskError, match="'t': its answer 'many' is not a number"):
        hard(Number(), "3", answer="many")


def test_overlap_is_that_of_squad() -> None:
    assert normalised("The  Quick, (brown) fox!") == "quick brown fox"
    assert token_f1("the cat sat", "a cat sat down") == pytest.approx(0.8)
    assert hard(TokenMatch("x@1"), "so <answer>The Danube.</answer>", answers=["Rhine", "danube"]) == 1
    assert soft(TokenMatch("x@1"), "sat cat", answer="cat sat") == 1
    assert hard(TokenMatch("x@1"), "sat cat", answer="cat sat") == 0
    assert hard(F1(0.5), "cat", answer="cat sat") == 1
    assert hard(F1(), "cat", answer="cat sat") == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_overlap_and_closeness_are_symmetric_and_within_bounds(one: str, other: str) -> None:
    for measure in (token_f1, anls):
        assert 0 <= measure(one, other) <= 1
        assert measure(one, other) == pytest.approx(measure(other, one))
        assert measure(one, one) == 1


def test_anls_agrees_with_the_library() -> None:
    library = pytest.importorskip("anls_star")
    pairs = [
        ("12 March", "12 march"),
        ("12 Marsh 1990", "12 March 1990"),
        ("abc", "xyz"),
        ("hel lo", "hel  lo"),
        ("a", ""),
    ]
    for found, right in pairs:
        assert anls(found, right) == pytest.approx(library.anls_score(right, found))
    assert hard(Anls(), "12  march", answers=["x", "12 March"]) == 1
    assert 0.9 < soft(Anls(), "12 Marsh 1990", answers=["12 March 1990"]) < 1
    assert hard(Anls(), "12 Marsh 1990", answers=["12 March 1990"]) == 0


CHOICES = {"A": "a triangle", "B": "a circle", "C": "Both A and B"}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("<answer>B</answer>", "B"),
        ("I think it is A.\n\nThe answer is (b).", "B"),
        (r"thus \boxed{C}", "C"),
        ("**B**", "B"),
        ("B. a circle", "B"),
        ("a circle", "B"),
        ("Option C", "C"),
        ("Both A and B", "C"),
        ("A triangle cannot be round, so B", ""),
        ("A triangle", "A"),
        ("D", ""),
        ("", ""),
    ],
)
def test_choices(text: str, label: str) -> None:
    assert choice_of(text, CHOICES) == label
    assert hard(Choice(), text, choices=CHOICES, answer="B") == float(label == "B")


def test_where_an_answer_stands() -> None:
    assert final_answer("one\n<ANSWER> two </answer> <answer>three\n</answer>") == "three"
    assert final_answer("one\n two \n\n") == "two"
    assert boxed(r"\boxed{1} and \boxed{\frac{1}{2}}") == r"\frac{1}{2}"
    assert boxed(r"\boxed{1") is None


def test_json() -> None:
    assert hard(JsonEqual(), '```json\n{"a": 1}\n```', answer={"a": 1}) == 1
    assert soft(JsonEqual(), '{"a": 1, "b": 3}', answer={"a": 1, "b": 2}) == 0.5
    assert hard(JsonEqual(), "a", answer="a") == 0
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}
    assert hard(JsonSchema(), '{"n": 2}', schema=schema) == 1
    fault = JsonSchema().score(Task("t", data={"schema": schema}), Answer('{"n": 0}'))
    assert fault.hard == 0
    assert "$.n" in fault.feedback


@pytest.mark.parametrize(
    ("found", "right", "equal"),
    [
        (r"\boxed{\frac{1}{2}}", "0.5", 1),
        (r"<answer>$\sqrt{18}$</answer>", r"3\sqrt{2}", 1),
        ("x^2+2x+1", "(x+1)^2", 1),
        ("x^2+2x+2", "(x+1)^2", 0),
        (r"5 \mathrm{cm}", "5cm", 1),
        ("6 cm", "5cm", 0),
        (r"5\mathrm{cm}", "5cm", 1),
        ("", "1", 0),
    ],
)
def test_mathematics(found: str, right: str, equal: int) -> None:
    pytest.importorskip("math_verify")
    assert hard(Mathematics(), found, answer=right) == equal


def test_mathematics_that_takes_too_long_is_wrong_and_ends() -> None:
    pytest.importorskip("math_verify")
    score = Mathematics(seconds=0.01).score(Task("t", data={"answer": "1"}), Answer("2"))
    assert (score.hard, score.feedback) == (0, "the answer could not be read as mathematics")


def test_scorers_by_name() -> None:
    assert scorer_named("exact") is SCORERS["exact@1"] is scorer_named("exact@1")
    assert scorer_named("python:my.checks:polite").name == "python:my.checks:polite@1"
    with pytest.raises(SettingsError, match="did you mean 'contains'"):
        scorer_named("contain")
    assert all(name == scorer.name or name == "checks@1" for name, scorer in SCORERS.items())


def test_no_scorer_quotes_the_right_answer() -> None:
    data = {"answer": "SECRET", "choices": {"A": "x", "SECRET": "y"}}
    for scorer in (Exact(), Contains(), F1(), Anls(), Choice(), TokenMatch("x@1"), JsonEqual()):
        assert "SECRET" not in scorer.score(
            Task("t", data={"answer": "SECRET"} | ({} if scorer.name != "choice@1" else data)),
            Answer('"wrong"'),
        ).feedback.replace("A, SECRET", "")
