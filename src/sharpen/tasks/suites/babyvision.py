"""BabyVision: what small children see at a glance, one picture and one question each.

`meta_data.jsonl` and `images/`. An item is a choice among options (choiceAns counts from 0) or a blank to
fill. The answer stands in a box, as the benchmark asks for it. Without a judge a blank is compared after
normalisation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.answers import given_answer, right_answers
from sharpen.tasks.scorers.choices import Choice
from sharpen.tasks.scorers.rubric import Graded
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites.choices import choices_in
from sharpen.tasks.suites.pictures import pictures_of
from sharpen.tasks.suites.rows import Row, as_list
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Score, Task

_NOISE = re.compile(r"[\s()\[\]{}]+")


@dataclass(frozen=True)
class BlankOrChoice:
    """The right label, or the same blank once white space, brackets and case are gone."""

    name: str = "babyvision@1"

    def score(self, task: Task, answer: Answer) -> Score:
        if "choices" in task.data:
            return Choice().score(task, answer)
        found = _bare(given_answer(answer.text))
        if not found:
            return Score(0, 0, "the answer is empty")
        return Score(1, 1) if found in map(_bare, right_answers(task)) else Score(0, 0, "the answer is wrong")


def _bare(text: str) -> str:
    return _NOISE.sub("", text).casefold().rstrip(".")


def _answer(row: Row) -> Json:
    choices = choices_in(row.fields.get("options") or row.fields.get("choices"))
    kind = row.text("ansType", "ans_type", default="choice" if choices else "blank").lower()
    if kind == "blank":
        answers = row.texts("blankAns", "blank_answers")
        if not answers:
            raise TaskError(f"{row.where}: is a blank without blankAns")
        return {"answers": answers}
    return {"choices": choices, "answer": _right(row, choices)}


def _right(row: Row, choices: dict[str, str]) -> str:
    """The label of the right choice, which is given by its place from 0, its label, or both with its text."""
    found = row.fields.get("choiceAns", row.fields.get("correct_choice"))
    if isinstance(found, Mapping):
        found = found.get("label")
    said = str(found).strip()
    label = list(choices)[int(said)] if said.isdigit() and int(said) < len(choices) else said.upper()
    if label not in choices:
        raise TaskError(f"{row.where}: its choiceAns {found!r} is none of the choices {', '.join(choices)}")
    return label


def _task(row: Row, options: Json) -> Task:
    question, answer = row.text("question"), _answer(row)
    listed = "\n".join(f"{label}. {text}" for label, text in answer.get("choices", {}).items())
    asked = f"{question}\n\n{listed}".strip()
    pictures = pictures_of(row, as_list(row.fields.get("image") or row.fields.get("image_path")))
    data = {"question": asked, **answer, "images": pictures, "type": row.text("type", default="")}
    return Task(row.text("taskId", "id"), filled(BABYVISION.prompt, question=asked), data)


BABYVISION = Suite(
    name="babyvision",
    about="visual questions that small children solve; label or blank, or a judge",
    files=("meta_data.jsonl",),
    task=_task,
    scorers={
        "babyvision@1": lambda tools: BlankOrChoice(),
        "babyvision_judge@1": lambda tools: Graded(tools.judged_by("babyvision_judge@1"), "babyvision_judge"),
    },
    source=Source("UnipatAI/BabyVision", ("*.zip", "*.jsonl", "images/*"), "MIT"),
    student="images",
)
