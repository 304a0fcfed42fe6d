"""What a teacher can be asked about, matter by matter: prompts, the inputs shown, the answer and its meaning.

Each function here turns a question into a `Matter`; its `settle` turns the answer's record into the data that
the training loop reads, and raises ValueError where the answer does not fit the question. No model is known
here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast

from sharpen.errors import UsageError
from sharpen.evaluate import Question
from sharpen.train.teacher import answers
from sharpen.train.teacher.answers import MERGED, WRITTEN, EditItem, ItemKind, Record, schema_of, shape_of
from sharpen.train.teacher.evidence import failures_first, told
from sharpen.train.teacher.sections import (
    comparison,
    document,
    editable,
    listed,
    numbered,
    section,
)
from sharpen.train.teacher.settings import TeacherSettings
from sharpen.types import Json

Data = dict[str, Any]
Settle = Callable[[Any], Data]


@dataclass(frozen=True)
class Matter:
    """A question ready to be asked."""

    prompts: tuple[str, ...]  # the files that make up the system prompt
    record: type[Record]
    inputs: tuple[str, ...]  # sections of the message; empty ones are left out
    settle: Settle = lambda record: record.model_dump()

    @property
    def schema(self) -> Json:
        return schema_of(self.record)

    @property
    def text(self) -> str:
        shape = (
            f"# Your answer\n\nOne JSON object of this shape, and nothing else:\n\n{shape_of(self.schema)}"
        )
        return "\n\n".join(part for part in (*self.inputs, shape) if part)


def matter_of(question: Question, settings: TeacherSettings) -> Matter:
    """The matter a question is about."""
    build = MATTERS.get(question.matter)
    if build is None:
        near = get_close_matches(question.matter, MATTERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(MATTERS)}"
        raise UsageError(f"a teacher knows nothing about {question.matter!r}; {hint}")
    return build(question, settings)


# -- what analysts write -----------------------------------------------------------------------------------


def _analysis(question: Question, settings: TeacherSettings) -> Matter:
    kind = cast(ItemKind, question.matter)
    field, _ = WRITTEN[kind]
    failed = any(rollout.outcome == "failed" for rollout in question.evidence)  # a mix is about its failures
    side = "failure" if failed else "success"
    more = ("lapses",) if settings.skill_aware else ()
    limit = f"At most {question.limit} {field}, the most important first. Fewer are better than weak ones."

    def settle(record: Any) -> Data:
        data: Data = {"appendix_notes": [], **record.model_dump()}
        shown = len(question.evidence)
        data[field] = [_supported(item, side, shown) for item in getattr(record, field)[: question.limit]]
        return data

    return Matter(
        prompts=("failures" if failed else "successes", kind, *more),
        record=answers.analysis(kind, failed=failed, lapses=settings.skill_aware),
        inputs=(
            editable(question.skill) if kind == "candidates" else document(question.skill),
            section("Limit", limit),
            _memory(question),
            _attempts(question, settings),
        ),
        settle=settle,
    )


def _supported(item: Any, side: str, shown: int) -> Data:
    """A proposal with the number of attempts that speak for it: those it names, else all that were shown."""
    named = {number for number in item.attempts if 1 <= number <= shown}
    facts = {"support_count": len(named) or shown, "source_type": side}
    if isinstance(item, EditItem):
        return item.edit(**facts).to_json()
    return {**item.model_dump(exclude={"attempts"}), **facts}


# -- what becomes of proposals -----------------------------------------------------------------------------


def _merge(question: Question, settings: TeacherSettings) -> Matter:
    material = question.material
    items = list(material.get("items", ()))
    kind = str(material.get("kind", "edits"))
    about = f"kind: {kind}; level of merging: {material.get('level', 1)}; group: {material.get('priority')}"

    def settle(record: Any) -> Data:
        merged = [_sourced(item, len(items)) for item in record.items]
        kept = [item for item in merged if item["sources"]]
        if items and not kept:
            raise ValueError(
                "items: at least one must be kept, and each must name the numbers of its sources"
            )
        return {"items": kept, "reasoning": record.reasoning}

    return Matter(
        prompts=("merge",),
        record=MERGED[kind],
        inputs=(
            document(question.skill),
            _memory(question),
            section("What these are", about),
            numbered("Proposals to merge", items),
        ),
        settle=settle,
    )


def _sourced(item: Any, count: int) -> Data:
    sources = sorted({place for place in item.sources if 0 <= place < count})
    own = item.model_dump(exclude={"sources"})
    if own.get("file") == "":
        del own["file"]
    return {**own, "sources": sources}


def _rank(question: Question, settings: TeacherSettings) -> Matter:
    items = list(question.material.get("items", ()))
    budget = question.material.get("budget", question.limit)

    def settle(record: Any) -> Data:
        chosen = list(dict.fromkeys(place for place in record.selected_indices if 0 <= place < len(items)))
        if items and not chosen:
            raise ValueError(f"selected_indices: none of them is a number from 0 to {len(items) - 1}")
        return {"selected_indices": chosen, "reasoning": record.reasoning}

    return Matter(
        prompts=("rank",),
        record=answers.Ranking,
        inputs=(
            document(question.skill),
            _memory(question),
            section("Budget", f"{budget} of them will be used."),
            numbered(f"Proposals to choose among ({question.material.get('kind', 'edits')})", items),
        ),
        settle=settle,
    )


def _rate(question: Question, settings: TeacherSettings) -> Matter:
    material = question.material
    went = (
        f"{material.get('rollouts')} attempts; mean hard score {material.get('hard')}, "
        f"mean soft score {material.get('soft')}"
    )
    return Matter(
        prompts=("rate",),
        record=answers.Rate,
        inputs=(
            document(question.skill),
            _memory(question),
            section("How the last batch went", went),
            numbered("Proposals at hand", list(material.get("items", ()))),
        ),
    )


def _rewrite(question: Question, settings: TeacherSettings) -> Matter:
    return Matter(
        prompts=("rewrite",),
        record=answers.Rewrite,
        inputs=(
            editable(question.skill),
            _memory(question),
            numbered("Suggestions to work in", list(question.material.get("suggestions", ()))),
        ),
    )


# -- what an epoch taught ----------------------------------------------------------------------------------


def _slow_update(question: Question, settings: TeacherSettings) -> Matter:
    return Matter(("slow_update",), answers.SlowUpdate, _epochs(question, settings))


def _meta_skill(question: Question, settings: TeacherSettings) -> Matter:
    return Matter(("meta_skill",), answers.MetaSkill, _epochs(question, settings))


def _epochs(question: Question, settings: TeacherSettings) -> tuple[str, ...]:
    material = question.material
    room = settings.evidence_tokens
    history = listed("Steps of this epoch", material.get("history"), budget=room // 2)
    return (
        document(question.skill),
        section("The previous epoch's skill", str(material.get("previous_skill", ""))),
        section("Guidance so far", str(material.get("guidance", ""))),
        section("Your notes so far", str(material.get("meta_skill", ""))),
        _memory(question),
        history,
        comparison(material.get("comparison"), budget=room - room // 2 if history else room),
    )


def _meta_reflect(question: Question, settings: TeacherSettings) -> Matter:
    material = question.material
    return Matter(
        prompts=("meta_reflect", "edits"),
        record=answers.MetaReflection,
        inputs=(
            document(question.skill),
            section("Limit", f"At most {question.limit} edits, the most important first."),
            section("Your notes so far", str(material.get("meta_skill", ""))),
            _memory(question),
            listed("Steps of this epoch", material.get("history"), budget=settings.evidence_tokens),
        ),
        settle=lambda record: {
            "edits": [item.edit().to_json() for item in record.edits[: question.limit]],
            "reasoning": record.reasoning,
        },
    )


# -- looking closer ----------------------------------------------------------------------------------------


def _probe(question: Question, settings: TeacherSettings) -> Matter:
    material = question.material
    left = int(material.get("left", question.limit))
    known = [rollout.task.id for rollout in question.evidence]

    def settle(record: Any) -> Data:
        strange = [probe.task for probe in record.probes if probe.task not in known]
        if strange:
            raise ValueError(f"probes: there is no task {strange[0]!r}; there are {', '.join(known)}")
        probes = [
            {
                "task": one.task,
                "question": one.question,
                "edits": [item.edit().to_json() for item in one.edits],
            }
            for one in record.probes[:left]
        ]
        return {"probes": probes, "reasoning": record.reasoning}

    room = settings.evidence_tokens
    found = listed("What earlier probes found", material.get("found"), budget=room // 2)
    return Matter(
        prompts=("probe",),
        record=answers.Probes,
        inputs=(
            document(question.skill),
            _memory(question),
            section("Left", f"Turn {material.get('turn', 1)}; {left} probes are left."),
            _attempts(question, settings, budget=room - room // 2 if found else room),
            found,
        ),
        settle=settle,
    )


def _consolidate(question: Question, settings: TeacherSettings) -> Matter:
    return Matter(
        prompts=("consolidate",),
        record=answers.Notes,
        inputs=(
            document(question.skill),
            numbered("Notes to consolidate", list(question.material.get("notes", ()))),
        ),
    )


def _memory(question: Question) -> str:
    return section("What this run has seen so far", question.memory)


def _attempts(question: Question, settings: TeacherSettings, *, budget: int | None = None) -> str:
    shown = told(
        failures_first(question.evidence),
        budget=settings.evidence_tokens if budget is None else budget,
        show_reference=settings.show_reference,
    )
    return section("Attempts", shown)


MATTERS: Mapping[str, Callable[[Question, TeacherSettings], Matter]] = {
    "edits": _analysis,
    "suggestions": _analysis,
    "candidates": _analysis,
    "merge": _merge,
    "rank": _rank,
    "rate": _rate,
    "rewrite": _rewrite,
    "slow update": _slow_update,
    "meta skill": _meta_skill,
    "meta reflect": _meta_reflect,
    "probe": _probe,
    "consolidate": _consolidate,
}
