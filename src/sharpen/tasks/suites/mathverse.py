"""MathVerse: problems with a figure, each in six versions that move text into the picture.

`testmini.json` and `images/`. Choices are part of the question's text; their answer is a letter. Other
answers are compared as mathematics, or by a judge. All versions of a problem stay in one split.
"""

from __future__ import annotations

import re

from sharpen.errors import TaskError
from sharpen.tasks.extras import require
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.choices import LabelOr
from sharpen.tasks.scorers.mathematics import Mathematics
from sharpen.tasks.scorers.rubric import Graded
from sharpen.tasks.suites.pictures import pictures_of
from sharpen.tasks.suites.rows import Row, as_list
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite, Tools
from sharpen.types import Json, Task

_CHOICES = re.compile(r"\bChoices?\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_ONE = re.compile(r"\b([A-H])\s*[:.)]\s*(.*?)(?=\s*\b[A-H]\s*[:.)]|\Z)", re.DOTALL)
VERSIONS = (
    "Text Dominant",
    "Text Lite",
    "Text Only",
    "Vision Intensive",
    "Vision Dominant",
    "Vision Only",
)


def _choices(question: str) -> dict[str, str]:
    found = _CHOICES.search(question)
    return {label: text.strip() for label, text in _ONE.findall(found[1])} if found else {}


def _task(row: Row, options: Json) -> Task:
    version = row.text("problem_version", default="")
    if version not in VERSIONS:
        raise TaskError(f"{row.where}: the problem_version {version!r} is none of {', '.join(VERSIONS)}")
    question = row.text("question", default="")
    asked = question or "The question is in the picture."
    whole = row.text("question_for_eval", default=question)
    data: dict[str, object] = {"question": whole, "answer": row.text("answer"), "version": version}
    if row.text("question_type", default="") == "multi-choice":
        data["choices"] = _choices(whole) or dict.fromkeys("ABCD", "")
    if version != "Text Only":
        data["images"] = pictures_of(row, as_list(row.fields.get("image")))
    prompt = filled(MATHVERSE.prompt, question=asked)
    return Task(row.text("sample_index", "id"), prompt, data, row.text("problem_index", default="") or None)


def _scorer(tools: Tools) -> LabelOr:
    require("math_verify", for_what="the scorer mathverse@1")
    return LabelOr(Mathematics(), "mathverse@1")


MATHVERSE = Suite(
    name="mathverse",
    about="mathematics with figures; the right label, or equal as mathematics",
    files=("testmini*.json", "testmini*.parquet"),
    task=_task,
    scorers={
        "mathverse@1": _scorer,
        "mathverse_judge@1": lambda tools: LabelOr(
            judge := Graded(tools.judged_by("mathverse_judge@1"), "mathverse_judge"), judge.name
        ),
    },
    options={"problem_version": ""},
    keeps=lambda row, options: options["problem_version"] in ("", row.fields.get("problem_version")),
    source=Source("AI4Math/MathVerse", ("testmini.json", "images.zip"), "MIT"),
    student="images",
)
