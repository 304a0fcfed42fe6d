"""Edits that give away what a task's right answer is, instead of saying how to find it.

A teacher sees right answers so that it can explain failures. A rule that quotes one has memorised a task: it
looks like a gain there and teaches nothing. Answers that many tasks share, such as labels, and very short
ones are part of a rule's ordinary words and give nothing away.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sharpen.skills import Edit, Skill
from sharpen.types import Task, canonical_json

GOLD_KEYS = ("answer", "answers", "gold", "reference")
"""Where tasks keep their right answers."""
COMPARED = frozenset({"exact", "contains", "number", "f1", "anls", "math", "json"})
"""Kinds of checks whose value is a right answer."""
SHORTEST = 4
"""Letters and digits that an answer must have to be told from ordinary words."""
SHARED = 0.01
"""Share of the tasks that may have the same answer before it counts as a label."""

_NOT_WORD = re.compile(r"[^\w]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def gold_of(task: Task) -> tuple[str, ...]:
    """The right answers a task holds, as text."""
    found: list[str] = []
    check = task.data.get("check")
    given = [task.data.get(key) for key in GOLD_KEYS]
    if isinstance(check, Mapping) and check.get("kind") in COMPARED:
        given.append(check.get("value"))
    for value in given:
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, str):
                found.append(one)
            elif one is not None:
                found.append(canonical_json(one))
    return tuple(text for text in dict.fromkeys(found) if text.strip())


class Leak(NamedTuple):
    """An edit that quotes the right answer of a task."""

    edit: Edit
    task: str


class Leaks:
    """Knows the answers of the tasks a search works on, and finds them in texts."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        found = list(tasks)
        shared = Counter(gold for task in found for gold in {_words(text) for text in gold_of(task)})
        most = max(1, int(len(found) * SHARED))
        self._telling = [
            (task.id, words)
            for task in found
            for words in (_words(text) for text in gold_of(task))
            if shared[words] <= most and _length(words) >= SHORTEST
        ]

    @staticmethod
    def reason(task: str) -> str:
        return f"quotes the right answer of task {task!r}"

    def in_text(self, text: str, skill: Skill) -> str | None:
        """The id of the first task whose answer the text quotes and the skill does not yet hold."""
        if not self._telling:
            return None
        said, held = _words(text), _words(skill.text)
        for task, gold in self._telling:
            if _quotes(said, gold) and not _quotes(held, gold):
                return task
        return None

    def in_edits(self, edits: Iterable[Edit], skill: Skill) -> list[Leak]:
        """The edits that quote an answer."""
        named = ((edit, self.in_text(edit.content, skill)) for edit in edits)
        return [Leak(edit, task) for edit, task in named if task is not None]


def _words(text: str) -> str:
    """Words between single spaces, so that a part of a word is no quotation."""
    return f" {_NOT_WORD.sub(' ', unicodedata.normalize('NFKC', text).casefold()).strip()} "


def _quotes(said: str, gold: str) -> bool:
    """Is the answer there as whole words? In scripts without spaces, as a run of characters."""
    return gold.replace(" ", "") in said.replace(" ", "") if _UNSPACED.search(gold) else gold in said


def _length(words: str) -> int:
    """Letters and digits, those that stand for a syllable or a word counted double."""
    return sum(map(str.isalnum, words)) + len(_UNSPACED.findall(words))
