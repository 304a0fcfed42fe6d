"""MMRB: reasoning over several pictures at once.

Folders of subtasks, each with a `*_human.json` and its pictures. The question marks where a picture
belongs with {image#1}; students send the pictures in this order. With options the answer is a letter,
else a short text.
"""

from __future__ import annotations

import re

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.choices import LabelOr
from sharpen.tasks.scorers.overlap import TokenMatch
from sharpen.tasks.suites.pictures import pictures_of
from sharpen.tasks.suites.rows import Row, as_list
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Task

_MARK = re.compile(r"\{image#(\d+)\}", re.IGNORECASE)
_LETTERED = re.compile(r"\s*\(?([A-Z])\s*[.):]\s*(.*)", re.DOTALL)


def _choices(options: list[str]) -> dict[str, str]:
    """Options that carry their letter keep it; others get the letters in order."""
    found: dict[str, str] = {}
    for at, option in enumerate(options):
        lettered = _LETTERED.fullmatch(option)
        label, text = (lettered[1], lettered[2]) if lettered else (chr(ord("A") + at), option)
        found[label] = text.strip()
    return found


def _task(row: Row, options: Json) -> Task:
    pictures = pictures_of(row, as_list(row.fields.get("image_paths")))
    question = _MARK.sub(lambda mark: f"[picture {mark[1]}]", row.text("question"))
    for number in map(int, _MARK.findall(row.text("question"))):
        if not 1 <= number <= len(pictures):
            raise TaskError(f"{row.where}: speaks of picture {number}, but has {len(pictures)}")
    data: dict[str, object] = {"question": question, "answer": row.text("answer"), "images": pictures}
    choices = _choices(row.texts("options"))
    if choices:
        data["choices"] = choices
        if str(data["answer"]) not in choices:
            raise TaskError(f"{row.where}: its answer {data['answer']!r} is none of {', '.join(choices)}")
    listed = "\n".join(f"{label}. {text}" for label, text in choices.items())
    form = "the letter of the right option" if choices else "a short text"
    source, subtask = row.text("source", default="unknown"), row.text("subtask", default="unknown")
    name = row.text("id", default=f"{source}:{subtask}:{row.text('index', default=str(row.number))}")
    return Task(name, filled(MMRB.prompt, question=f"{question}\n\n{listed}".strip(), form=form), data)


MMRB = Suite(
    name="mmrb",
    about="reasoning over several pictures; the right label, or the same words",
    files=("*_human.json",),
    task=_task,
    scorers={"mmrb@1": lambda tools: LabelOr(TokenMatch("mmrb_text@1"), "mmrb@1")},
    source=Source("", (), "not stated", command="see https://github.com/LesterGong/MMRB for its download"),
    student="images",
)
