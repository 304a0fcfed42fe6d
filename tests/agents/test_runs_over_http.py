"""Whole training runs over the real SDK: faults, outages, resume, errors that are no scores."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import sharpen
from faults import Fault, FaultServer, Plan, Seen, ok, random_faults, status
from sharpen.errors import ModelError, ProviderError
from sharpen.types import Budget

from .office import START, Tutor, clerk, student, tasks

BUDGET = Budget(rollouts=1500)


def decisions(result: sharpen.TrainResult) -> list[tuple[str, str, object]]:
    """What was decided, without counts: an error that was tried again is one rollout more."""
    told = []
    for event in result.history:
        verdict = event.get("verdict") or {}
        edits = [edit["content"] for edit in event.get("edits") or ()]
        told.append((str(event.get("kind")), str(edits), verdict.get("decision")))
    return told


def test_thirty_percent_faults_change_no_decision() -> None:
    with FaultServer(reply=clerk) as server:
        clean = sharpen.train(START, tasks(), student(server), Tutor(), BUDGET)
        requests = server.posts
    with FaultServer(random_faults(0.3, 7), reply=clerk) as server:
        faulty = sharpen.train(START, tasks(), student(server), Tutor(), BUDGET)
        assert server.posts > 1.3 * requests
    assert clean.accepted
    assert clean.test is not None
    assert clean.test.mean == 1
    assert faulty.skill.digest == clean.skill.digest
    assert decisions(faulty) == decisions(clean)


def test_a_server_that_stays_down_ends_the_run_and_the_same_call_goes_on(tmp_path: Path) -> None:
    with FaultServer(reply=clerk) as server:
        expected = sharpen.train(START, tasks(), student(server), Tutor(), BUDGET)
        whole = server.posts
    answered: Counter[str] = Counter()

    def until(limit: int) -> Plan:
        def plan(seen: Seen) -> Fault:
            if sum(answered.values()) >= limit:
                return status(503)
            answered[seen.content] += 1
            return ok()

        return plan

    with FaultServer(until(40), reply=clerk) as server:
        with pytest.raises(ProviderError, match="Everything paid for is kept") as down:
            sharpen.train(START, tasks(), student(server), Tutor(), BUDGET, None, tmp_path)
        assert down.value.exit_code == 3
        assert server.posts <= 40 + 4 * (200 + 16)
        server.plan = until(100_000)
        result = sharpen.train(START, tasks(), student(server), Tutor(), BUDGET, None, tmp_path)
    assert result.skill.digest == expected.skill.digest
    assert max(answered.values()) == 1, "an answer was paid for twice"
    assert sum(answered.values()) == whole


def test_a_gate_in_which_nearly_every_item_errors_decides_nothing() -> None:
    problem = tasks(train=24, selection=30, test=0)
    dead = {task.prompt for task in problem.selection[1:]}

    def plan(seen: Seen) -> Fault:
        return status(500) if str(seen.body["messages"][-1]["content"]) in dead else ok()

    with FaultServer(plan, reply=clerk) as server:
        result = sharpen.train(START, problem, student(server), Tutor(), BUDGET)
    verdicts = [event["verdict"] for event in result.history if event.get("kind") == "gate"]
    assert verdicts
    assert {verdict["decision"] for verdict in verdicts} == {"not enough data"}
    assert not result.accepted


def test_a_wrong_key_ends_the_run_at_once_with_the_remedy(tmp_path: Path) -> None:
    with FaultServer(lambda seen: status(401, "bad key"), reply=clerk) as server:
        with pytest.raises(ModelError, match="OPENAI_API_KEY"):
            sharpen.train(START, tasks(), student(server), Tutor(), BUDGET, None, tmp_path)
        assert server.posts <= 16  # those that were under way together


CANARIES = {
    "OPENAI_API_KEY": "sk-canaryAAAAAAAAAAAAAAAAAAAAAAAA",
    "SHARPEN_TEST_SECRET": "plain-canary-value-0123456789",
}


def test_no_secret_reaches_a_file_or_an_exception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in the environment, in the address, in a provider's error and in what the model says."""
    for name, value in CANARIES.items():
        monkeypatch.setenv(name, value)

    def leaky(seen: Seen) -> str:
        said = clerk(seen)
        return said if said.startswith("done") else f"{said} {' '.join(CANARIES.values())}"

    def plan(seen: Seen) -> Fault:
        if "form 5 " in str(seen.body["messages"][-1]["content"]):
            return status(500, f"broken; your key was {CANARIES['OPENAI_API_KEY']}")
        return ok()

    with FaultServer(plan, reply=leaky) as server:
        there = student(server)
        result = sharpen.train(START, tasks(), there, Tutor(), BUDGET, None, tmp_path)
        server.plan = lambda seen: status(401, f"no: {CANARIES['OPENAI_API_KEY']}")
        with pytest.raises(ModelError) as refused:
            sharpen.train(START, tasks(), there, Tutor(), Budget(rollouts=999), None, tmp_path / "second")
    seen_by_server = str([request.headers for request in server.requests])
    assert CANARIES["OPENAI_API_KEY"] in seen_by_server, (
        "the key must have been used for the test to mean anything"
    )
    assert result.accepted
    for secret in CANARIES.values():
        assert secret not in str(refused.value)
        assert secret not in repr(there)
        for file in tmp_path.rglob("*"):
            if file.is_file():
                assert secret.encode() not in file.read_bytes(), file


def test_usage_is_known_by_stage_and_model(tmp_path: Path) -> None:
    from sharpen.report import load_run

    with FaultServer(reply=clerk) as server:
        sharpen.train(START, tasks(), student(server), Tutor(), BUDGET, None, tmp_path)
    lines = load_run(tmp_path).spend.lines
    assert {line.model for line in lines} == {"openai:clerk"}
    assert [line.stage for line in lines] == [
        "search on train",
        "gates on selection",
        "final pass on selection",
        "one look at test",
    ]
    assert all(line.tokens for line in lines)
    assert all(line.usd is None for line in lines), "no price is known for this model"
    assert re.search(r"openai:clerk", str(lines))
