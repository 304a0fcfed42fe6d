"""Finding the answer inside an answer: tags, boxes, the last line, a choice's letter, a number.

Plain functions on text. They know the habits of models, not what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sharpen.errors import TaskError
from sharpen.types import Task

_TAG = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
_BOX = re.compile(r"\\boxed\s*\{")
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LEAD = r"(?:the\s+)?(?:final\s+|correct\s+)?(?:answer|choice|option)\s*(?:is)?\s*[:=]?\s*"


def wanted(task: Task, key: str) -> object:
    """What a scorer needs of the task's data."""
    try:
        return task.data[key]
    except KeyError:
        raise TaskError(f"task {task.id!r} has no data.{key}, which its scorer needs") from None


def right_answers(task: Task) -> tuple[str, ...]:
    """`data.answers`, else `data.answer`; a list means that any of them is right."""
    found = task.data.get("answers", task.data.get("answer"))
    many = list(found) if isinstance(found, (list, tuple)) else [found]
    if not many or found is None:
        raise TaskError(f"task {task.id!r} has neither data.answer nor data.answers, which its scorer needs")
    return tuple(str(one) for one in many)


def final_answer(text: str) -> str:
    """What stands in the last <answer> tag, else the last line that is not empty."""
    tags = _TAG.findall(text)
    if tags:
        return str(tags[-1]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def boxed(text: str) -> str | None:
    """What stands in the last \\boxed{…}, braces inside it included."""
    starts = [match.end() for match in _BOX.finditer(text)]
    if not starts:
        return None
    depth = 1
    for at in range(starts[-1], len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[starts[-1] : at].strip()
    return None


def given_answer(text: str) -> str:
    """Tag, box or last line, whichever the answer has, in this order."""
    if _TAG.search(text):
        return final_answer(text)
    inside = boxed(text)
    return final_answer(text) if inside is None else inside


def choice_of(text: str, choices: Mapping[str, str]) -> str:
    """The label that an answer names, by its letter or by the words of its option; empty when neither."""
    said = given_answer(text).strip().strip("*`$ ")
    labels = "|".join(re.escape(label) for label in sorted(choices, key=len, reverse=True))
    bare = re.fullmatch(rf"(?:{_LEAD})?\(?({labels})\)?\s*[.):]?(?:\s.*)?", said, re.IGNORECASE | re.DOTALL)
    if bare and _is_label(said, bare, choices):
        return _known(bare[1], choices)
    for label, words in choices.items():
        if said and said.casefold() == words.strip().casefold():
            return label
    return ""


def _is_label(said: str, found: re.Match[str], choices: Mapping[str, str]) -> bool:
    """A sentence such as "A triangle is round" begins with a word, not with a label."""
    rest = said[found.end(1) :]
    if not rest.strip().strip(").:"):
        return True
    if rest[0] in ").:":
        return True
    words = choices[_known(found[1], choices)].strip().casefold()
    return rest.strip().casefold() == words


def _known(label: str, choices: Mapping[str, str]) -> str:
    return next(known for known in choices if known.casefold() == label.casefold())


def last_number(text: str) -> float | None:
    """The last number in a text; thousands may be separated by commas."""
    found = [match[0] for match in _NUMBER.finditer(text) if any(c.isdigit() for c in match[0])]
    return float(found[-1].replace(",", "")) if found else None
