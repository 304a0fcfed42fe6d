"""Every matter: the inputs are in the request, a good answer is read, a bad one repaired or refused."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from sharpen.errors import UsageError
from sharpen.models import AnswerError
from sharpen.models.protocols.spelling import is_strict
from sharpen.train.teacher import MATTERS, ModelTeacher, TeacherSettings
from sharpen.types import Advice, Adviser

from .script import MATTERS as SAMPLES
from .script import SKILL, Sample, Scripted, failed


def advised(matter: str, script: Scripted, sample: Sample | None = None, **settings: Any) -> Advice:
    asked = sample or SAMPLES[matter]
    teacher = ModelTeacher(script.model, TeacherSettings(**settings))
    return asyncio.run(
        teacher.advise(
            matter, SKILL, asked.evidence, material=asked.material, limit=3, memory="Step 1 refused.", trial=1
        )
    )


def test_there_is_a_sample_of_every_matter() -> None:
    assert set(SAMPLES) == set(MATTERS) - {"edits"}
    assert isinstance(ModelTeacher(Scripted("").model), Adviser)


@pytest.mark.parametrize("matter", SAMPLES)
def test_a_good_answer_means_what_it_says(matter: str) -> None:
    script = Scripted(SAMPLES[matter].good)
    advice = advised(matter, script)
    assert advice.data == SAMPLES[matter].data
    assert advice.usage is not None
    assert advice.usage.calls == len(script.requests) == 1


@pytest.mark.parametrize("matter", SAMPLES)
def test_a_bad_answer_is_shown_what_is_wrong_with_it_and_repaired(matter: str) -> None:
    script = Scripted(SAMPLES[matter].bad, SAMPLES[matter].good)
    advice = advised(matter, script)
    assert advice.data == SAMPLES[matter].data
    assert advice.usage is not None
    assert advice.usage.calls == 2
    asked, bad, complaint = script.requests[1].messages
    assert asked == script.requests[0].messages[0]
    assert json.loads(bad.text) == SAMPLES[matter].bad
    assert "cannot be used" in complaint.text


@pytest.mark.parametrize("matter", SAMPLES)
@pytest.mark.parametrize("answer", ["I would rather not.", '{"reasoning": "x"}', "[]", '{"a": {"b": '])
def test_garbage_is_refused_after_one_repair_with_what_it_cost(matter: str, answer: str) -> None:
    script = Scripted(answer)
    with pytest.raises(AnswerError, match="no usable answer") as refused:
        advised(matter, script)
    assert len(script.requests) == 2
    assert refused.value.usage.calls == 2  # type: ignore[attr-defined]
    assert refused.value.usage.output_tokens > 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("matter", SAMPLES)
def test_a_cut_answer_is_never_read_and_is_told_that_it_was_cut(matter: str) -> None:
    good = json.dumps(SAMPLES[matter].good) + " and more"
    script = Scripted(good, SAMPLES[matter].good)
    advice = advised(matter, script, max_tokens=len(good.split(" ")) - 1)
    assert advice.data == SAMPLES[matter].data
    assert "cut off" in script.requests[1].messages[-1].text


@pytest.mark.parametrize("matter", SAMPLES)
def test_a_schema_is_sent_that_strict_modes_take_and_the_shape_is_told_in_words(matter: str) -> None:
    script, loose = Scripted(SAMPLES[matter].good), Scripted(SAMPLES[matter].good)
    advised(matter, script)
    advised(matter, loose, constrained=False)
    schema = script.requests[0].schema
    assert schema is not None
    assert is_strict(schema)
    assert "$ref" not in json.dumps(schema)
    assert loose.requests[0].schema is None
    for name in schema["properties"]:
        assert f'"{name}":' in loose.requests[0].messages[0].text


@pytest.mark.parametrize("matter", SAMPLES)
def test_all_that_was_given_is_in_the_question(matter: str) -> None:
    script = Scripted(SAMPLES[matter].good)
    advised(matter, script)
    text = script.requests[0].messages[0].text
    assert "- Be kind." in text
    assert matter == "consolidate" or "Step 1 refused." in text
    for rollout in SAMPLES[matter].evidence:
        assert f"task {rollout.task.id}" in text
    for value in strings_in(SAMPLES[matter].material):
        assert value in text


def strings_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value.strip()]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in strings_in(one)]


@pytest.mark.parametrize("matter", ["rewrite", "candidates"])
def test_a_rewriter_is_not_shown_what_it_cannot_change(matter: str) -> None:
    script = Scripted(SAMPLES[matter].good)
    advised(matter, script)
    text = script.requests[0].messages[0].text
    assert "Mind the units." not in text
    assert "name: questions" not in text


def test_a_skill_aware_analyst_tells_lapses_from_missing_rules() -> None:
    good = {**SAMPLES["suggestions"].good, "appendix_notes": ["Mind the rule on brevity."]}
    script = Scripted(good)
    advice = advised("suggestions", script, skill_aware=True)
    assert advice.data["appendix_notes"] == ["Mind the rule on brevity."]
    assert "appendix_notes" in script.requests[0].schema["properties"]  # type: ignore[index]
    assert "did not follow" in script.requests[0].system


def test_merging_keeps_the_kind_of_what_is_merged() -> None:
    suggested = SAMPLES["suggestions"].data["revise_suggestions"][0]
    item = {name: suggested[name] for name in ("type", "title", "motivation", "instruction", "priority_hint")}
    sample = Sample(
        good={"reasoning": "", "items": [{**item, "sources": [0]}]},
        bad={},
        data={},
        material={"kind": "suggestions", "items": [suggested], "level": 2, "priority": "final"},
    )
    advice = advised("merge", Scripted(sample.good), sample)
    assert advice.data["items"] == [{**item, "sources": [0]}]


def test_nothing_to_merge_or_rank_is_no_mistake() -> None:
    empty = Sample(good={}, bad={}, data={}, material={"kind": "edits", "items": [], "budget": 1})
    assert advised("merge", Scripted({"reasoning": "", "items": []}), empty).data["items"] == []
    assert advised("rank", Scripted({"selected_indices": []}), empty).data["selected_indices"] == []


def test_an_unknown_matter_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'rewrite'"):
        advised("rewrit", Scripted(""), SAMPLES["rewrite"])


def test_long_histories_and_comparisons_are_cut_to_the_budget() -> None:
    pair = SAMPLES["slow update"].material["comparison"]["regressed"][0]
    long = {**pair, "after": {**pair["after"], "answer": "blah " * 20_000}}
    material = {
        "previous_skill": "",
        "guidance": "",
        "comparison": {"regressed": [long] * 10, "stable": [pair]},
        "history": [{"step": number, "said": "hm " * 9_000} for number in range(9)],
    }
    sample = Sample(good=SAMPLES["meta skill"].good, bad={}, data={}, material=material)
    script = Scripted(sample.good)
    advised("meta skill", script, sample, evidence_tokens=2_000)
    text = script.requests[0].messages[0].text
    assert len(text.split()) < 4_000
    assert text.count("task t1") == 11
    assert '"step": 8' in text


def test_probes_name_tasks_that_were_shown() -> None:
    script = Scripted(SAMPLES["probe"].bad)
    with pytest.raises(AnswerError, match="there is no task 't7'; there are t1, s2"):
        advised("probe", script)


def test_what_is_not_failed_is_analysed_as_success() -> None:
    sample = SAMPLES["candidates"]
    mixed = Sample(sample.good | {"failure_summary": []}, {}, {}, evidence=(*sample.evidence, failed(3)))
    script = Scripted(mixed.good)
    data = advised("candidates", script, mixed).data
    assert data["skill_candidates"][0]["source_type"] == "failure"
    text = script.requests[0].messages[0].text
    assert text.index("task t3") < text.index("task s9"), "failures first"
