"""Scorers for answers that are JSON: equal to a value, or valid under a schema.

The value may stand bare or in a code fence. Schemas are checked by the package jsonschema.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from sharpen.errors import TaskError
from sharpen.tasks.extras import load
from sharpen.tasks.scorers.answers import wanted
from sharpen.tasks.scoring import Answer
from sharpen.types import Score, Task

_FENCED = re.compile(r"\s*```[a-zA-Z]*\n(.*?)\n?```\s*", re.DOTALL)
SCHEMA_CHECK = "a check by JSON schema"


def json_in(text: str) -> object:
    """The JSON value of an answer; ValueError when there is none."""
    fenced = _FENCED.fullmatch(text)
    found: object = json.loads(fenced[1] if fenced else text)
    return found


@dataclass(frozen=True)
class JsonEqual:
    """One JSON value, bare or in a fence, equal to the right one; soft: the share of its fields."""

    name: str = "json@1"

    def score(self, task: Task, answer: Answer) -> Score:
        right = wanted(task, "answer")
        try:
            found = json_in(answer.text)
        except ValueError as error:
            return Score(0, 0, f"the answer is not JSON: {error}")
        if found == right:
            return Score(1, 1)
        if not isinstance(right, dict) or not isinstance(found, dict):
            return Score(0, 0, f"the answer is another {type(found).__name__} than was asked for")
        keys = right.keys() | found.keys()
        wrong = sorted(str(key) for key in keys if right.get(key) != found.get(key))
        return Score(0, 1 - len(wrong) / len(keys), f"wrong or superfluous fields: {', '.join(wrong)}")


@dataclass(frozen=True)
class JsonSchema:
    """Valid under `data.schema`; the first violations are told with their place."""

    name: str = "schema@1"

    def score(self, task: Task, answer: Answer) -> Score:
        schema = wanted(task, "schema")
        try:
            found = json_in(answer.text)
        except ValueError as error:
            return Score(0, 0, f"the answer is not JSON: {error}")
        kind = load("jsonschema", for_what=SCHEMA_CHECK).validators.validator_for(schema)
        faults = [f"{error.json_path}: {error.message}" for error in kind(schema).iter_errors(found)]
        return Score(0, 0, "; ".join(sorted(faults)[:5])) if faults else Score(1, 1)


def check_schema(schema: object, where: str) -> None:
    """Refuses a schema that is none."""
    library = load("jsonschema", for_what=SCHEMA_CHECK)
    try:
        library.validators.validator_for(schema).check_schema(schema)
    except library.exceptions.SchemaError as error:
        raise TaskError(f"{where}: not a JSON schema: {error.message} at {error.json_path}") from None
