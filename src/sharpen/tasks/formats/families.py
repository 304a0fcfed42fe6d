"""The families there are: copy something out of a sentence, and give it the form a program wants.

Whether a family can be learned depends on the model: a small one copies and formats, and cannot convert or
judge. So some of these gain from a skill on a small model and some do not, which is what they are for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from sharpen.tasks.formats.family import Family, Item
from sharpen.tasks.formats.scorers import ExactScorer, RecordScorer
from sharpen.tasks.formats.words import (
    BLAME,
    EVENTS,
    MEALS,
    MONTHS,
    NAMES,
    OPPOSITES,
    PLACES,
    PRAISE,
    THINGS,
)

QUESTIONS = "# Questions\n\nAnswer the question.\n"
RECORDS = "# Records\n\nMake a record of the sentence.\n"
WORD, LINE, OBJECT = 8, 14, 40
"""Tokens of an answer: a right one fits with a few to spare."""


def _asked(question: str, sentence: str) -> str:
    return f"Q: {question} {sentence}\nA:"


def _year(rng: random.Random) -> Item:
    year = rng.randint(1820, 2019)
    name, thing, place, event = map(rng.choice, (NAMES, THINGS, PLACES, EVENTS))
    sentence = rng.choice(
        (
            f"The {thing} in {place} {event} in {year}.",
            f"{name} saw the {thing} in {place} in {year}.",
            f"People say the {thing} in {place} {event} in {year}.",
        )
    )
    return Item(_asked("In which year?", sentence), str(year))


def _record(rng: random.Random) -> Item:
    name, age, city = rng.choice(NAMES), rng.randint(18, 79), rng.choice(PLACES)
    sentence = f"{name} is {age} years old and {rng.choice(('lives', 'works', 'was born'))} in {city}."
    return Item(f"Sentence: {sentence}\nJSON:", {"name": name, "age": age, "city": city})


def _code(rng: random.Random) -> Item:
    code = f"{rng.choice('BCDFGHKLMN')}{rng.choice('PQRSTVWXYZ')}-{rng.randint(100, 999)}"
    name, thing, place = map(rng.choice, (NAMES, THINGS, PLACES))
    sentence = rng.choice(
        (
            f"The parcel {code} went to {place}.",
            f"{name} asked for part {code}.",
            f"Order {code} waits at the {thing} in {place}.",
        )
    )
    return Item(_asked("Which code?", sentence), code)


def _time(rng: random.Random) -> Item:
    time = f"{rng.randint(10, 23)}:{rng.randint(10, 59)}"
    name, thing, place = map(rng.choice, (NAMES, THINGS, PLACES))
    sentence = rng.choice(
        (
            f"The train to {place} leaves at {time}.",
            f"At {time} the {thing} in {place} closes.",
            f"{name} meets us at {time} near the {thing}.",
        )
    )
    return Item(_asked("At what time?", sentence), time)


def _city(rng: random.Random) -> Item:
    name, thing, place, event = map(rng.choice, (NAMES, THINGS, PLACES, EVENTS))
    sentence = rng.choice(
        (
            f"The {thing} in {place} {event} last week.",
            f"{name} lives in {place} near the {thing}.",
            f"{name} took the train to {place} to see the {thing}.",
        )
    )
    return Item(_asked("Which city?", sentence), place)


def _date(rng: random.Random) -> Item:
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1950, 2019)
    thing, place, event = map(rng.choice, (THINGS, PLACES, EVENTS))
    sentence = f"The {thing} in {place} {event} on {day} {MONTHS[month - 1]} {year}."
    return Item(_asked("On which date?", sentence), f"{year}-{month:02d}-{day:02d}")


def _label(rng: random.Random) -> Item:
    praised = rng.random() < 0.5
    meal, place = rng.choice(MEALS), rng.choice(PLACES)
    sentence = f"The {meal} in {place} was {rng.choice(PRAISE if praised else BLAME)}."
    return Item(_asked("Which label?", sentence), "A1" if praised else "B2")


def _opposite(rng: random.Random) -> Item:
    pair, thing, place = rng.choice(OPPOSITES), rng.choice(THINGS), rng.choice(PLACES)
    word, opposite = pair if rng.random() < 0.5 else pair[::-1]
    return Item(_asked(f"What is the opposite of {word}?", f"The {thing} in {place} is {word}."), opposite)


def _exact(
    name: str,
    about: str,
    draw: Callable[[random.Random], Item],
    form: tuple[str, str],
    max_tokens: int = WORD,
) -> Family:
    return Family(name, about, QUESTIONS, ExactScorer(f"{name}@1", *form), draw, max_tokens)


YEAR = _exact("year", "the year in a sentence, as four digits", _year, ("exactly four digits", r"\d{4}"))
RECORD = Family(
    name="record",
    about="name, age and city in a sentence, as a JSON object",
    start=RECORDS,
    scorer=RecordScorer("record@1", 'a JSON object with the keys "name", "age" and "city"'),
    draw=_record,
    max_tokens=OBJECT,
)
CODE = _exact(
    "code",
    "the code of a parcel in a sentence",
    _code,
    ("two capital letters, a hyphen and three digits", r"[A-Z]{2}-\d{3}"),
    LINE,
)
TIME = _exact("time", "the time in a sentence", _time, ("a time like HH:MM", r"\d\d:\d\d"))
CITY = _exact("city", "the city in a sentence, as one word", _city, ("one word", r"\w+"))
DATE = _exact("date", "a date turned round", _date, ("a date like YYYY-MM-DD", r"\d{4}-\d\d-\d\d"), LINE)
LABEL = _exact("label", "praise or blame", _label, ("A1 for praise or B2 for blame", r"A1|B2"))
OPPOSITE = _exact("opposite", "the opposite of a word", _opposite, ("one word", r"\w+"))

FAMILIES: Mapping[str, Family] = {
    family.name: family for family in (YEAR, RECORD, CODE, TIME, CITY, DATE, LABEL, OPPOSITE)
}
"""Every family by its name."""
