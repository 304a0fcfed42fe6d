"""OfficeQA: questions over a century of Treasury bulletins, to be looked up and computed.

`officeqa.csv` with uid, question, answer, source_docs and source_files. Documents that lie beside it as
texts are laid into the work folder of students with tools: those the row names. Two scorers, named apart,
because the authors' tolerance rule and SkillOpt's exact match do not give the same numbers.
"""

from __future__ import annotations

import re
import string
from pathlib import Path

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.overlap import TokenMatch
from sharpen.tasks.suites.officeqa_scorer import Tolerance
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Task

_DROPPED = str.maketrans("", "", "".join(set(string.punctuation) - set(".-%")))
_UNITS = re.compile(r"\b(?:millions?|billions?|dollars?|nominal)\b")


def normalised(text: str) -> str:
    """As SkillOpt compares answers of OfficeQA: no separators, no units of money."""
    return " ".join(_UNITS.sub(" ", text.lower().strip().translate(_DROPPED)).split())


def _named(row: Row) -> list[str]:
    found = row.texts("source_files")
    many = found if len(found) > 1 else re.split(r"[\r\n,;]+", found[0] if found else "")
    return [Path(name.strip()).name for name in many if name.strip()]


def _files(row: Row) -> dict[str, str]:
    """The row's documents; none when no document was fetched at all."""
    if next(row.root.rglob("*.txt"), None) is None:
        return {}
    files = {}
    for name in _named(row):
        text_name = str(Path(name).with_suffix(".txt"))
        found = min(row.root.rglob(text_name), default=None)
        if found is None:
            raise TaskError(
                f"{row.where}: the document {text_name!r} is not beneath {row.root}; fetch the data again"
            )
        files[f"documents/{text_name}"] = found.read_text(encoding="utf-8", errors="replace")
    return files


def _task(row: Row, options: Json) -> Task:
    question = row.text("question")
    files = _files(row) if options["documents"] else {}
    listed = "\n".join(f"- {name}" for name in files) or "(none)"
    data: dict[str, object] = {"question": question, "answer": row.text("answer", "ground_truth")}
    if files:
        data["files"] = files
    return Task(row.text("uid", "id"), filled(OFFICEQA.prompt, question=question, documents=listed), data)


OFFICEQA = Suite(
    name="officeqa",
    about="questions over Treasury bulletins; the authors' tolerance, or exact match and F1",
    files=("officeqa*.csv", "officeqa*.json", "officeqa*.jsonl"),
    task=_task,
    scorers={
        "officeqa@1": lambda tools: Tolerance(),
        "officeqa_5_percent@1": lambda tools: Tolerance(0.05),
        "officeqa_f1@1": lambda tools: TokenMatch("officeqa_f1@1", normalised),
    },
    options={"documents": True},
    source=Source(
        "databricks/officeqa",
        ("officeqa*.csv", "*transformed*.zip", "*.txt"),
        "data CC-BY-SA-4.0, code Apache-2.0",
        gated=True,
        remarks="the publisher asks for an account and a consent",
    ),
    student="tools",
)
