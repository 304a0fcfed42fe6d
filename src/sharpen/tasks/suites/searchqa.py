"""SearchQA: questions of a quiz show with the snippets a search engine found for them.

Rows as MRQA spells them (key, question, context with [DOC] marks, answers) or as SkillOpt's splits do (id
for key). Exact match after SQuAD's normalisation decides, F1 is soft.
"""

from __future__ import annotations

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.overlap import TokenMatch
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Task

MARK = "[DOC]"


def shortened(context: str, limit: int) -> str:
    """Whole documents from the beginning, as many as fit; the first is cut when not even it does."""
    if len(context) <= limit:
        return context
    kept = ""
    for number, document in enumerate(context.split(MARK)):
        longer = kept + MARK + document if number else document
        if len(longer) > limit:
            break
        kept = longer
    return kept or context[:limit]


def _task(row: Row, options: Json) -> Task:
    answers = row.texts("answers", "answer")
    if not answers:
        raise TaskError(f"{row.where}: has no answers")
    question = row.text("question")
    context = shortened(row.text("context", default=""), int(options["context_chars"]))
    prompt = filled(SEARCHQA.prompt, question=question, context=context or "(none)")
    return Task(row.text("id", "key"), prompt, {"question": question, "answers": answers})


SEARCHQA = Suite(
    name="searchqa",
    about="quiz questions with search snippets; exact match after normalisation",
    files=("*.json", "*.jsonl", "*.parquet"),
    task=_task,
    scorers={"searchqa@1": lambda tools: TokenMatch("searchqa@1")},
    options={"context_chars": 6000},
    source=Source(
        "lucadiliello/searchqa",
        ("data/validation-*.parquet",),
        "not stated by the publisher",
        remarks="the validation split; SkillOpt uses 2,000 questions",
    ),
)
