"""What every store does, in memory or on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sharpen.skills import Edit, Skill
from sharpen.store import (
    AttemptRecord,
    Evaluation,
    MemoryStore,
    Proposal,
    ProposalRecord,
    SqliteStore,
    Store,
    Version,
)
from sharpen.types import CallKey, Estimate, Rollout, Task, digest_of

from .samples import TASK, USAGE, event, key, question, solved


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SqliteStore.open(tmp_path / "run")
    yield made
    made.close()


def test_an_empty_store_knows_nothing(store: Store) -> None:
    assert store.find_attempt(key(), TASK) is None
    assert store.find_proposal(question()) is None
    assert (store.versions(), store.evaluations(), store.events(), store.attempts()) == ([], [], [], [])
    assert (store.config(), store.result(), store.lost()) == ({}, None, 0)
    assert 0 <= store.seconds() < 60


@pytest.mark.parametrize(
    "rollout",
    [
        solved(),
        Rollout.scored(TASK, hard=0),
        Rollout.scored(TASK, hard=0.5, soft=0.123456789, feedback="half \ud83d of it\x00", trajectory={}),
        Rollout.failed_to_run(TASK, reason="provider is down", usage=USAGE),
    ],
)
def test_an_attempt_comes_back_equal(store: Store, rollout: Rollout) -> None:
    store.start([key()])
    assert store.find_attempt(key(), TASK) is None
    store.finish_attempt(key(), rollout)
    assert store.find_attempt(key(), TASK) == rollout
    assert store.find_attempt(key(2), TASK) is None


def test_a_score_keeps_its_spelling_so_that_digests_of_evidence_do_not_change(store: Store) -> None:
    for trial, hard in enumerate((1, 1.0, 0, True), 1):
        rollout = Rollout.scored(TASK, hard=hard)
        store.finish_attempt(key(trial), rollout)
        found = store.find_attempt(key(trial), TASK)
        assert found is not None and found.score is not None and rollout.score is not None
        assert repr(found.score) == repr(rollout.score) and isinstance(found.score.hard, float)


def test_a_found_attempt_carries_the_task_that_was_asked_for(store: Store) -> None:
    store.finish_attempt(key(), solved())
    regrouped = replace(TASK, group="hard ones")
    found = store.find_attempt(key(), regrouped)
    assert found is not None and found.task.group == "hard ones"


def test_an_attempt_may_finish_without_a_start(store: Store) -> None:
    store.finish_attempt(key(), solved())
    assert store.find_attempt(key(), TASK) == solved()


def test_the_first_answer_stays(store: Store) -> None:
    store.finish_attempt(key(), solved())
    store.start([key()])
    store.finish_attempt(key(), Rollout.scored(TASK, hard=0))
    store.finish_proposal(question(), Proposal((Edit.append("- first"),)))
    store.finish_proposal(question(), Proposal(error="second"))
    assert store.find_attempt(key(), TASK) == solved()
    assert store.find_proposal(question()) == Proposal((Edit.append("- first"),))


@pytest.mark.parametrize(
    "proposal",
    [
        Proposal((Edit.append("- né"), Edit.replace("a", "b\ud800"), Edit.delete("c")), USAGE),
        Proposal(),
        Proposal(usage=USAGE, error="not JSON"),
    ],
)
def test_a_proposal_comes_back_equal(store: Store, proposal: Proposal) -> None:
    store.start([question(), key()])
    assert store.find_proposal(question()) is None
    store.finish_proposal(question(), proposal)
    assert store.find_proposal(question()) == proposal
    assert store.find_proposal(question(2)) is None


def test_what_a_call_was_for_is_listed_with_it(store: Store) -> None:
    priced = replace(USAGE, model="openai:some-model")
    store.finish_attempt(key(1), solved(), stage="gate")
    store.finish_attempt(key(2), solved())
    store.finish_proposal(question(), Proposal((Edit.append("x"),), priced), stage="search")
    assert [one.stage for one in store.attempts()] == ["gate", ""]
    assert store.proposals() == [ProposalRecord(question(), 1, "", priced, "search")]


def test_a_model_call_comes_back_equal_and_its_first_answer_stays(store: Store) -> None:
    call = CallKey("openai:some-model", digest_of("request"), 1)
    assert store.find_call(call) is None
    store.finish_call(call, {"text": "half \ud83d of it", "n": [1, 0.5]}, USAGE)
    store.finish_call(call, {"text": "another"}, USAGE)
    assert store.find_call(call) == {"text": "half \ud83d of it", "n": [1, 0.5]}
    assert store.find_call(call._replace(trial=2)) is None


def test_attempts_are_listed_by_key_whatever_the_order_they_finished_in(store: Store) -> None:
    store.start([key(1), key(2), key(3)])
    store.finish_attempt(key(2), Rollout.failed_to_run(TASK, reason="down"))
    store.finish_attempt(key(1), solved())
    assert store.attempts() == [
        AttemptRecord(key(1), "t1", "solved", 1.0, 0.75, "right", "", USAGE, has_trajectory=True),
        AttemptRecord(key(2), "t1", "error", None, None, "", "down", None),
    ]


def test_an_unfinished_call_of_this_process_is_not_lost(store: Store) -> None:
    store.start([key(), question()])
    assert store.lost() == 0


def test_starting_nothing_is_allowed(store: Store) -> None:
    store.start([])
    assert store.attempts() == []


def test_a_version_keeps_its_place_and_changes_only_its_status(store: Store) -> None:
    first = Version("d1", "d0", "# One\r\n\ud800", ({"edit": {}, "status": "applied_append"},), "candidate")
    second = Version("d2", None, "", (), "start")
    store.add_version(first)
    store.add_version(second)
    store.add_version(Version("d1", "elsewhere", "other text", (), "accepted"))
    assert store.versions() == [replace(first, status="accepted"), second]


def test_an_evaluation_replaces_the_one_for_the_same_skill_split_and_purpose(store: Store) -> None:
    first = Evaluation("d1", "selection", "gate", Estimate(0.5, 0.2, 0.8, 4, 2), {"s1": [1.0, 2, 0]})
    other = replace(first, purpose="final")
    again = replace(first, estimate=Estimate(0.6, 0.3, 0.9, 8, 2), counted={"s1": [2.0, 4, 1]})
    for evaluation in (first, other, again):
        store.add_evaluation(evaluation)
    assert store.evaluations() == [again, other]


def test_a_replayed_event_is_not_doubled_and_keeps_its_first_time(store: Store) -> None:
    store.add_event(event(2, "gate", at=20.0, step=1))
    store.add_event(event(1, "start", at=10.0))
    store.add_event(event(2, "gate", at=99.0, step=1))
    assert store.events() == [event(1, "start", at=10.0), event(2, "gate", at=20.0, step=1)]


@pytest.mark.parametrize("what", ["config", "result"])
def test_config_and_result_come_back_as_plain_json_of_the_readers_own(store: Store, what: str) -> None:
    setter = {"config": store.set_config, "result": store.set_result}[what]
    getter: Callable[[], object] = {"config": store.config, "result": store.result}[what]
    given = {"lanes": (1, 2), "nested": {"ü": None}}
    setter({"old": True})
    setter(given)
    given["lanes"] = (9,)
    found = getter()
    assert found == {"lanes": [1, 2], "nested": {"ü": None}}
    assert isinstance(found, dict)
    found.clear()
    assert getter() == {"lanes": [1, 2], "nested": {"ü": None}}


def test_a_task_id_may_be_anything(store: Store) -> None:
    odd = Task("a/../b \ud83d ü")
    store.finish_attempt(key(task=odd), solved(odd))
    assert [attempt.task_id for attempt in store.attempts()] == [odd.id]


def test_closing_twice_is_harmless(store: Store) -> None:
    store.close()
    store.close()


def test_versions_keep_their_files(store: Store) -> None:
    files = {"references/a.md": b"a\n", "assets/x.png": b"\x00\xff", "references/\ud83d.md": b""}
    first = Version("d0", None, "# Skill\n", (), "start", files)
    second = Version("d1", "d0", "# Skill\n- x\n", files={**files, "references/a.md": b"b\n"})
    for version in (first, second, replace(second, status="accepted", files={})):
        store.add_version(version)
    assert store.versions() == [first, replace(second, status="accepted")]
    assert store.versions()[0].skill == Skill("# Skill\n", files)
    assert store.versions()[0].skill.digest == Skill("# Skill\n", files).digest


def test_a_trajectory_is_found_by_the_attempts_key(store: Store) -> None:
    store.finish_attempt(key(1), solved())
    store.finish_attempt(key(2), Rollout.failed_to_run(TASK, reason="down"))
    assert store.trajectory(key(1)) == {"steps": [1, "ü"]}
    assert store.trajectory(key(2)) is None
    assert store.trajectory(key(3)) is None
    assert [one.has_trajectory for one in store.attempts()] == [True, False]
    store.forget([key(1)])
    assert store.trajectory(key(1)) is None
