"""What a teacher's answers look like: a record per matter, which makes the JSON schema and checks the answer.

The schema sent to providers names every field as required and allows no others, as strict modes want it; the
record forgives what does no harm, such as a missing explanation. Whether an answer fits the question (an
index that exists, a task that was shown) is not known here but in `matters.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sharpen.skills import Edit, Op
from sharpen.types import Json

ItemKind = Literal["edits", "suggestions", "candidates"]
LONGEST_COMPLAINT = 600
"""Characters of a complaint about an answer."""


def _no_null(value: object) -> object:
    return "" if value is None else value


def _listed(value: object) -> object:
    return [] if value is None else [value] if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_no_null)]
Texts = Annotated[list[str], BeforeValidator(_listed)]
Filled = Annotated[str, Field(min_length=1)]


class Record(BaseModel):
    """Reads leniently (other keys are ignored) and is read only afterwards."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=False)


# -- parts -------------------------------------------------------------------------------------------------


class EditItem(Record):
    """An edit in SkillOpt's words."""

    op: Op
    target: Words = ""
    content: Words = ""
    file: Words = ""

    @model_validator(mode="after")
    def _complete(self) -> EditItem:
        if self.op != "append" and not self.target.strip():
            raise ValueError(f"{self.op} needs a target: an exact piece of the skill's text")
        if self.op in ("append", "insert_after") and not self.content.strip():
            raise ValueError(f"{self.op} needs content")
        return self

    def edit(self, **facts: Any) -> Edit:
        return Edit(
            self.op, self.target, self.content, file="" if self.file == "SKILL.md" else self.file, **facts
        )


class Suggestion(Record):
    type: Literal["add_rule", "remove_rule", "merge_rules", "reorganize", "compress", "clarify"]
    title: Words = ""
    motivation: Words = ""
    instruction: Filled
    priority_hint: Words = ""


class Candidate(Record):
    title: Words = ""
    change_summary: Texts = []
    new_skill: Filled


class FailureType(Record):
    failure_type: str
    count: int = Field(default=1, ge=0)
    description: Words = ""


class Probe(Record):
    task: str
    question: Words = ""
    edits: list[EditItem] = []


# -- what an analyst says ----------------------------------------------------------------------------------


class Reasoned(Record):
    reasoning: Words = ""


class Failures(Reasoned):
    failure_summary: list[FailureType] = []


class Successes(Reasoned):
    success_patterns: Texts = []


class Lapses(Record):
    appendix_notes: Texts = []


class Supported(Record):
    """`attempts` are the numbers of the attempts that speak for a proposal."""

    attempts: list[int] = []


class SupportedEdit(EditItem, Supported):
    pass


class SupportedSuggestion(Suggestion, Supported):
    pass


class SupportedCandidate(Candidate, Supported):
    pass


class WithEdits(Record):
    edits: list[SupportedEdit]


class WithSuggestions(Record):
    revise_suggestions: list[SupportedSuggestion]


class WithCandidates(Record):
    skill_candidates: list[SupportedCandidate]


WRITTEN: Mapping[ItemKind, tuple[str, type[Record]]] = {
    "edits": ("edits", WithEdits),
    "suggestions": ("revise_suggestions", WithSuggestions),
    "candidates": ("skill_candidates", WithCandidates),
}
"""Where each kind of proposal stands in an analyst's answer."""


@cache
def analysis(kind: ItemKind, *, failed: bool, lapses: bool) -> type[Record]:
    """The record of an analyst who writes that kind of proposal about failed or solved attempts."""
    summary: type[Record] = Failures if failed else Successes
    written = WRITTEN[kind][1]
    bases = (written, Lapses, summary) if lapses else (written, summary)
    return type("Analysis", bases, {"__module__": __name__})


# -- everything else ---------------------------------------------------------------------------------------


class Sourced(Record):
    """`sources` are the numbers of the items that a merged one comes from."""

    sources: list[int] = []


class MergedEdit(EditItem, Sourced):
    pass


class MergedSuggestion(Suggestion, Sourced):
    pass


class MergedCandidate(Candidate, Sourced):
    pass


class MergedEdits(Reasoned):
    items: list[MergedEdit]


class MergedSuggestions(Reasoned):
    items: list[MergedSuggestion]


class MergedCandidates(Reasoned):
    items: list[MergedCandidate]


MERGED: Mapping[str, type[Record]] = {
    "edits": MergedEdits,
    "suggestions": MergedSuggestions,
    "candidates": MergedCandidates,
}


class Ranking(Reasoned):
    selected_indices: list[int]


class Rate(Reasoned):
    learning_rate: int = Field(ge=0)
    confidence: float = Field(default=0.5, ge=0, le=1)
    risk_notes: Texts = []


class Rewrite(Reasoned):
    change_summary: Texts = []
    new_skill: Filled


class SlowUpdate(Reasoned):
    slow_update_content: Filled


class MetaSkill(Reasoned):
    meta_skill_content: Filled


class MetaReflection(Reasoned):
    edits: list[EditItem]


class Probes(Reasoned):
    probes: list[Probe]


class Notes(Record):
    notes: Annotated[list[Filled], Field(min_length=1)]


# -- schema and reading ------------------------------------------------------------------------------------


def read(kind: type[Record], value: object) -> Record:
    """The answer as a record; ValueError says in short words what is wrong with it."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        said = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the answer'}: {one['msg']}" for one in found)
        raise ValueError(said[:LONGEST_COMPLAINT]) from None


def schema_of(kind: type[Record]) -> Json:
    """The record's JSON schema as every provider takes it: no references, no bounds, all fields required."""
    whole = kind.model_json_schema()
    plain = _plain(whole, whole.get("$defs", {}))
    assert isinstance(plain, dict)
    return plain


def shape_of(schema: Json) -> str:
    """The schema as a person would jot it down, for models that are told the shape in words."""
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{shape_of(schema['items'])}, …]"
    if schema.get("type") == "object":
        return (
            "{" + ", ".join(f'"{name}": {shape_of(one)}' for name, one in schema["properties"].items()) + "}"
        )
    return str(schema["type"])


def _plain(node: object, known: Json) -> object:
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        return _plain(known[node["$ref"].rpartition("/")[2]], known)
    kind = node.get("type")
    if kind == "object":
        fields = {name: _plain(one, known) for name, one in node["properties"].items()}
        return {
            "type": kind,
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }
    if kind == "array":
        return {"type": kind, "items": _plain(node["items"], known)}
    return {"type": kind, "enum": list(node["enum"])} if "enum" in node else {"type": kind}
