"""LiveMathematicianBench: multiple choice about theorems of recent papers.

Monthly files `qa_YYYYMM_final.json`, or SkillOpt's splits of them. Choices come as a list of {label,
text}, a list of texts or a mapping. They are shuffled per item by a seed made from the item's id, so that
their published order gives nothing away; a file whose right choice is missing among the choices gets it
added, as SkillOpt does.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from hashlib import sha256

from sharpen.errors import TaskError
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.choices import Choice
from sharpen.tasks.suites.choices import LABELS, choices_in
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite
from sharpen.types import Json, Task


def _right(found: object, choices: dict[str, str], row: Row) -> str:
    label, text = (
        (found.get("label", ""), str(found.get("text") or ""))
        if isinstance(found, Mapping)
        else (found or "", "")
    )
    name = str(label).strip().upper().rstrip(".):")
    if name and name not in choices and text:
        choices[name] = text.strip()
        ordered = sorted(choices.items())
        choices.clear()
        choices.update(ordered)
    if name not in choices:
        raise TaskError(
            f"{row.where}: its correct_choice {label!r} is none of the choices {', '.join(choices)}"
        )
    return name


def shuffled(choices: dict[str, str], right: str, *, item: str, seed: int) -> tuple[dict[str, str], str]:
    """The choices under new letters, and the letter of the right one now."""
    order = list(choices.items())
    random.Random(int(sha256(f"{seed}:{item}".encode()).hexdigest()[:16], 16)).shuffle(order)
    now = {LABELS[at]: text for at, (_, text) in enumerate(order)}
    return now, next(LABELS[at] for at, (label, _) in enumerate(order) if label == right)


def _task(row: Row, options: Json) -> Task:
    inside = row.fields.get("mcq")
    quiz: Json = inside if isinstance(inside, Mapping) else row.fields
    choices = choices_in(quiz.get("choices"))
    if not choices:
        raise TaskError(f"{row.where}: has no choices")
    right = _right(quiz.get("correct_choice"), choices, row)
    month = row.text("month", default="")
    number = row.text("no", default=str(row.number))
    name = row.text("id", default=f"{month}:{number}" if month else number)
    if options["shuffle_choices"]:
        choices, right = shuffled(choices, right, item=name, seed=int(options["seed"]))
    question = str(quiz.get("question") or "").strip()
    if not question:
        raise TaskError(f"{row.where}: has no question")
    data = {"question": question, "choices": choices, "answer": right}
    hints = {key: row.text(key, default="") for key in ("theorem", "sketch") if options[f"use_{key}"]}
    if hints:
        data["reference"] = "\n\n".join(filter(None, hints.values()))
    listed = "\n".join(f"{label}. {text}" for label, text in choices.items())
    prompt = filled(LIVEMATHEMATICIANBENCH.prompt, question=question, choices=listed)
    return Task(name, prompt, data, row.text("paper_link", default="") or None)


LIVEMATHEMATICIANBENCH = Suite(
    name="livemathematicianbench",
    about="multiple choice about theorems of recent papers; the right label",
    files=("qa_*_final.json",),
    task=_task,
    scorers={"choice@1": lambda tools: Choice()},
    options={"shuffle_choices": True, "seed": 42, "use_theorem": False, "use_sketch": False},
    source=Source("LiveMathematicianBench/LiveMathematicianBench", ("data/*/qa_*_final.json",), "MIT"),
)
