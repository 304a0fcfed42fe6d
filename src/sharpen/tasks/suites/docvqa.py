"""DocVQA: questions about a picture of a document page, scored by ANLS.

Rows as the hub has them (questionId, image, answers, question_types) or as SkillOpt's CSV files do
(image_path, task_type). Questions about one document stay in one split.
"""

from __future__ import annotations

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.anls import Anls
from sharpen.tasks.suites.pictures import pictures_of
from sharpen.tasks.suites.rows import Row, as_list
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Task


def _task(row: Row, options: Json) -> Task:
    answers = row.texts("answers", "answer")
    if not answers:
        raise TaskError(f"{row.where}: has no answers; the test split of the publisher keeps them back")
    question = row.text("question")
    named = next(
        (row.fields[key] for key in ("image_paths", "image_path", "image") if row.fields.get(key)), None
    )
    return Task(
        row.text("id", "questionId"),
        filled(DOCVQA.prompt, question=question),
        {"question": question, "answers": answers, "images": pictures_of(row, as_list(named))},
        row.text("docId", "ucsf_document_id", default="") or None,
    )


DOCVQA = Suite(
    name="docvqa",
    about="questions about pictures of documents; ANLS",
    files=("*.csv", "*.json", "*.jsonl", "*.parquet"),
    task=_task,
    scorers={"anls@1": lambda tools: Anls()},
    source=Source(
        "lmms-lab/DocVQA",
        ("DocVQA/validation-*.parquet",),
        "Apache-2.0 as the card says; the page images are UCSF's",
        remarks="SkillOpt uses a tenth of the validation split",
    ),
    student="images",
)
