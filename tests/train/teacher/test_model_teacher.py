"""Edits by a model: what they carry, further rounds, what they cost at most, and being paid for once."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import FaultServer, Seen, always, status
from sharpen import Edit, ProviderError, Rollout, Skill
from sharpen.errors import SettingsError
from sharpen.models import AnswerError, Completion, ContextError, Price, Request, Simulated
from sharpen.store import MemoryStore, SqliteStore
from sharpen.train.teacher import Lesson, ModelTeacher, TeacherSettings, open_teacher
from sharpen.types import Usage

from .script import CAUSE, EDIT, SKILL, Scripted, failed, solved
from .script import MATTERS as SAMPLES

GOOD = {"reasoning": "sentences", "failure_summary": [CAUSE], "edits": [{**EDIT, "attempts": [2, 1, 2, 9]}]}


def taught(
    script: Scripted, *evidence: Rollout, limit: int = 4, memory: str = "", trial: int = 1, **settings: Any
) -> Lesson:
    teacher = ModelTeacher(script.model, TeacherSettings(**settings))
    shown = evidence or (failed(1), failed(2), failed(3))
    return asyncio.run(teacher.propose(SKILL, shown, limit=limit, memory=memory, trial=trial))


def edits(*lines: str) -> dict[str, Any]:
    found = [{"op": "append", "target": "", "content": line, "file": "", "attempts": []} for line in lines]
    return {"reasoning": "", "failure_summary": [], "edits": found}


def test_edits_carry_their_support_and_source_and_the_words_beside_them_are_kept() -> None:
    lesson = taught(Scripted(GOOD))
    assert lesson == [Edit("append", "", "- Give the year alone.", support_count=2, source_type="failure")]
    assert lesson.data == {"reasoning": "sentences", "failure_summary": [CAUSE], "appendix_notes": []}
    assert lesson.usage.calls == 1
    assert lesson.usage.usd is not None
    assert lesson.usage.usd > 0


def test_solved_attempts_are_read_for_what_carried_them() -> None:
    script = Scripted(
        {"reasoning": "", "success_patterns": ["bare years"], "edits": [{**EDIT, "attempts": []}]}
    )
    lesson = taught(script, solved(1), solved(2))
    assert [(edit.source_type, edit.support_count) for edit in lesson] == [("success", 2)]
    assert lesson.data["success_patterns"] == ["bare years"]
    assert "attempts that succeeded" in script.requests[0].system


def test_never_more_edits_than_asked_for() -> None:
    assert [edit.content for edit in taught(Scripted(edits("a", "b", "c")), limit=2)] == ["a", "b"]


def test_an_edit_may_name_a_file_and_null_means_nothing() -> None:
    raw = {"op": "append", "target": None, "content": "- x", "file": "references/units.md"}
    answer = {"edits": [raw, {**raw, "file": "SKILL.md"}]}
    lesson = taught(Scripted(answer))
    assert [edit.file for edit in lesson] == ["references/units.md", ""]


def test_files_beside_the_skill_are_shown() -> None:
    script = Scripted(edits("a"))
    teacher = ModelTeacher(script.model)
    skill = Skill.from_text(
        "# S\n", files={"references/units.md": b"Use metres.", "scripts/x.bin": b"\xff\xfe"}
    )
    asyncio.run(teacher.propose(skill, [failed()], limit=1, memory="", trial=1))
    text = script.requests[0].messages[0].text
    assert "# File references/units.md\n\nUse metres." in text
    assert "2 bytes that are not text" in text


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "```json\n{}\n```",
        "Here you are: {}\nI hope {{it}} helps.",
        '<think>maybe {{"edits": []}}?</think>{}',
        "The set {{a, b}} is what I mean.\n{}",
    ],
)
def test_an_answer_is_found_whatever_stands_around_it(around: str) -> None:
    script = Scripted(around.format(json.dumps(edits('- Say {x} and "}".', "b"))))
    assert [edit.content for edit in taught(script)] == ['- Say {x} and "}".', "b"]
    assert len(script.requests) == 1


def test_a_broken_answer_is_not_read_by_its_inner_parts() -> None:
    broken = json.dumps(edits("a"))[:-2] + ",]}"
    script = Scripted(broken, edits("b"))
    assert [edit.content for edit in taught(script)] == ["b"]
    assert "JSON is broken" in script.requests[1].messages[-1].text


def test_a_filtered_answer_is_not_asked_for_again() -> None:
    class Prude(Simulated):
        async def complete(self, request: Request, *, trial: int = 1) -> Completion:
            return replace(await super().complete(request, trial=trial), finish="filter")

    script = Scripted("no")
    with pytest.raises(AnswerError, match="filter withheld"):
        teacher = ModelTeacher(Prude("prude", script._say))
        asyncio.run(teacher.propose(SKILL, [failed()], limit=1, memory="", trial=1))
    assert len(script.requests) == 1


def test_a_question_too_large_for_the_window_says_what_to_make_smaller() -> None:
    class Narrow(Simulated):
        async def complete(self, request: Request, *, trial: int = 1) -> Completion:
            raise ContextError("it does not fit", needed=9, allowed=8)

    with pytest.raises(ContextError, match="evidence_tokens") as found:
        teacher = ModelTeacher(Narrow("narrow", lambda request, trial: ""))
        asyncio.run(teacher.propose(SKILL, [failed()], limit=1, memory="", trial=1))
    assert (found.value.needed, found.value.allowed) == (9, 8)


# -- rounds ------------------------------------------------------------------------------------------------


def test_further_rounds_see_their_own_edits_and_may_sharpen_and_withdraw_them() -> None:
    script = Scripted(edits("a", "b"), edits("a!"), edits("a!"))
    lesson = taught(script, rounds=3)
    assert [edit.content for edit in lesson] == ["a!"]
    assert lesson.usage.calls == 3
    first, second = script.requests[:2]
    assert second.messages[0] == first.messages[0]
    assert json.loads(second.messages[1].text) == edits("a", "b")
    assert "once more" in second.messages[2].text


def test_rounds_end_when_nothing_changes_or_nothing_is_left() -> None:
    steady, empty = Scripted(edits("a")), Scripted(edits("a"), edits())
    assert [edit.content for edit in taught(steady, rounds=9)] == ["a"]
    assert len(steady.requests) == 2
    assert taught(empty, rounds=9) == []
    assert len(empty.requests) == 2


def test_a_round_that_fails_leaves_what_was_said_before_and_is_paid_for() -> None:
    script = Scripted(edits("a"), "hm", "hm")
    lesson = taught(script, rounds=3)
    assert [edit.content for edit in lesson] == ["a"]
    assert lesson.usage.calls == len(script.requests) == 3


def test_a_round_is_repaired_like_any_answer() -> None:
    script = Scripted(edits("a"), "hm", edits("b"), edits("b"))
    assert [edit.content for edit in taught(script, rounds=3)] == ["b"]
    assert not any(message.text == "hm" for message in script.requests[3].messages), "mended, so forgotten"


# -- cost --------------------------------------------------------------------------------------------------

prices = st.builds(Price, input=st.floats(0.01, 100), output=st.floats(0.01, 400))
words = st.sampled_from(["hm", json.dumps(edits("a")), json.dumps(edits("b" * 40)), "word " * 300, "{" * 70])


@given(prices, st.lists(words, min_size=1, max_size=8), st.integers(1, 4), st.integers(5, 400))
def test_no_call_costs_more_than_was_said_beforehand(
    price: Price, answers: list[str], rounds: int, length: int
) -> None:
    script = Scripted(*answers, price=price)
    teacher = ModelTeacher(script.model, TeacherSettings(rounds=rounds, max_tokens=length))
    evidence = [failed(1), failed(2)]
    worst = teacher.worst_case(SKILL, evidence, limit=4, memory="m")
    with suppress(AnswerError):
        asyncio.run(teacher.propose(SKILL, evidence, limit=4, memory="m", trial=1))
    really = [asyncio.run(script.model.complete(request)).usage for request in list(script.requests)]
    assert sum(usage.tokens for usage in really) <= worst.tokens
    assert len(really) <= worst.calls == 2 * rounds
    assert sum(usage.usd or 0 for usage in really) <= (worst.usd or 0) * (1 + 1e-9)


@pytest.mark.parametrize("matter", SAMPLES)
def test_other_matters_are_bounded_by_an_answer_and_its_repair(matter: str) -> None:
    script, sample = Scripted(SAMPLES[matter].bad, SAMPLES[matter].good), SAMPLES[matter]
    teacher = ModelTeacher(script.model, TeacherSettings(rounds=3, max_tokens=200))
    worst = teacher.worst_case(
        SKILL, sample.evidence, limit=3, memory="", matter=matter, material=sample.material
    )
    advice = asyncio.run(
        teacher.advise(matter, SKILL, sample.evidence, material=sample.material, limit=3, memory="", trial=1)
    )
    assert worst.calls == 2
    assert advice.usage is not None
    assert advice.usage.tokens <= worst.tokens
    assert (advice.usage.usd or 0) <= (worst.usd or 0)


def test_long_evidence_is_cut_to_the_budget_of_the_minibatch() -> None:
    script = Scripted(edits("a"))
    taught(
        script, *(failed(number, answer="blah " * 30_000) for number in range(1, 9)), evidence_tokens=3_000
    )
    assert len(script.requests[0].messages[0].text.split()) < 4_000


# -- fingerprints, stores, providers -----------------------------------------------------------------------


def test_the_fingerprint_names_all_that_changes_answers(tmp_path: Path) -> None:
    model = Scripted("").model
    (tmp_path / "edits.md").write_text("Write edits.")
    plain = ModelTeacher(model)
    others = [
        ModelTeacher(Simulated("other", model.answer)),
        *(ModelTeacher(model, TeacherSettings(**{name: value})) for name, value in (
            ("rounds", 2), ("evidence_tokens", 9), ("max_tokens", 9), ("temperature", 0.5),
            ("show_reference", False), ("skill_aware", True), ("prompts", tmp_path), ("seeded", False),
        )),
    ]  # fmt: skip
    names = [teacher.fingerprint for teacher in (plain, *others)]
    assert len(set(names)) == len(names)
    assert str(tmp_path) not in names[-2]
    assert (
        ModelTeacher(model).fingerprint == plain.fingerprint == plain.keep_calls_in(MemoryStore()).fingerprint
    )


def test_equal_questions_make_equal_requests_and_another_trial_is_a_fresh_sample() -> None:
    script = Scripted(edits("a"))
    for trial in (1, 1, 2):
        taught(script, trial=trial)
    assert len({request.digest for request in script.requests}) == 1
    assert script.trials == [1, 1, 2]
    taught(script, memory="Refused: b")
    assert script.requests[3].digest != script.requests[0].digest


def reply(seen: Seen) -> str:
    """Something unusable first, then an edit that shows the seed it was sampled with."""
    if len(seen.body["messages"]) < 4:
        return "Let me think about it."
    return json.dumps(edits(f"- Seed {seen.body['seed']}."))


def served(server: FaultServer, **options: object) -> ModelTeacher:
    teacher = open_teacher("compatible:m", {"base_url": server.v1, "first_wait": 0.001, **options})
    assert isinstance(teacher, ModelTeacher)
    return teacher


async def _asked(teacher: ModelTeacher, *trials: int) -> list[Lesson]:
    try:
        return [await teacher.propose(SKILL, [failed()], limit=2, memory="", trial=trial) for trial in trials]
    finally:
        await teacher.aclose()


def test_calls_are_kept_and_replayed_without_a_request(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with FaultServer(reply=reply) as server:
        first = asyncio.run(_asked(served(server).keep_calls_in(store), 1, 2))
        assert server.posts == 4
        assert [lesson[0].content for lesson in first] == ["- Seed 1.", "- Seed 2."]
        again = asyncio.run(_asked(served(server).keep_calls_in(store), 1, 2))
        assert server.posts == 4
    store.close()
    assert again == first
    assert [lesson.usage for lesson in again] == [lesson.usage for lesson in first]


def test_the_schema_goes_over_the_wire() -> None:
    with FaultServer(reply=reply) as server:
        asyncio.run(_asked(served(server), 1))
        sent = server.requests[0].body
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert "edits" in sent["response_format"]["json_schema"]["schema"]["properties"]
    assert sent["messages"][0]["role"] == "system"


def test_a_provider_that_is_down_passes_through_and_is_no_unusable_answer() -> None:
    with FaultServer(always(status(503))) as server, pytest.raises(ProviderError) as down:
        asyncio.run(_asked(served(server), 1))
    assert not isinstance(down.value, AnswerError)


def test_usage_of_an_unpriced_model_is_unknown_and_not_zero() -> None:
    with FaultServer(reply=reply) as server:
        (lesson,) = asyncio.run(_asked(served(server), 1))
        worst = served(server).worst_case(SKILL, [failed()], limit=2, memory="")
    assert lesson.usage.usd is None
    assert isinstance(worst, Usage)
    assert worst.usd is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rounds": 0}, "rounds must be"),
        ({"evidence_tokens": True}, "evidence_tokens must be"),
        ({"style": "prose"}, "json or rules"),
        ({"temperature": 3}, "0..2"),
        ({"skill_aware": "yes"}, "true or false"),
        ({"prompts": "nowhere/at/all"}, "no folder"),
        ({"style": "rules"}, "open_teacher"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        ModelTeacher(Scripted("").model, TeacherSettings(**settings))
