"""SealQA: questions whose search results are noisy, conflicting or of no help.

CSV, JSON lines or Parquet with question, answer and remarks about them (freshness, kinds of question), which
would give the answer's nature away and are not shown. LongSeal's rows carry documents; the option
`documents` names their field, such as 12_docs. A model grades answers as the benchmark's authors have it
done; without one, exact match and F1 stand under a name of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.overlap import TokenMatch
from sharpen.tasks.scorers.rubric import Graded
from sharpen.tasks.suites.rows import Row, as_list
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Task

FOUND = "The following was found by a search. It may be outdated, wrong or beside the point."


def _shown(document: object) -> str:
    """A document as text: its fields in their order, or itself."""
    if isinstance(document, Mapping):
        return "\n".join(str(value) for value in document.values() if value not in (None, ""))
    return str(document)


def _evidence(row: Row, field: str) -> str:
    documents = as_list(row.fields.get(field)) if field else []
    if field and not documents:
        raise TaskError(f"{row.where}: has no documents in {field!r}, which the option documents names")
    listed = [f"## Document {number}\n\n{_shown(one)}" for number, one in enumerate(documents, 1)]
    return "\n\n".join([FOUND, *listed]) if listed else ""


def _task(row: Row, options: Json) -> Task:
    question = row.text("question")
    return Task(
        row.text("question_id", "id", default=f"seal-{sha256(question.encode()).hexdigest()[:12]}"),
        filled(SEALQA.prompt, question=question, evidence=_evidence(row, str(options["documents"]))),
        {"question": question, "answer": row.text("answer", "ground_truth")},
        row.text("topic", default="") or None if options["group_by_topic"] else None,
    )


SEALQA = Suite(
    name="sealqa",
    about="questions with misleading search results; a model grades, or exact match",
    files=("*.csv", "*.jsonl", "*.json", "*.parquet"),
    task=_task,
    scorers={
        "sealqa@1": lambda tools: Graded(tools.judged_by("sealqa@1"), "sealqa"),
        "sealqa_f1@1": lambda tools: TokenMatch("sealqa_f1@1"),
    },
    options={"documents": "", "group_by_topic": False},
    source=Source(
        "vtllms/sealqa", ("*seal-0*.parquet",), "Apache-2.0", remarks="renewed by its authors now and then"
    ),
)
