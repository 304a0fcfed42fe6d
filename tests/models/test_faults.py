"""The real SDKs against a server that fails: how many requests a call makes, and what a user is told."""

from __future__ import annotations

import traceback
from dataclasses import replace

import pytest

from faults import (
    Fault,
    FaultServer,
    always,
    drip,
    garbage,
    hang,
    html_error,
    html_page,
    in_turn,
    random_faults,
    rate_limited,
    reset,
    status,
    truncated,
    wrong_type,
)
from models.servers import CANARY, PROTOCOLS, QUICK, ask, opener
from sharpen.errors import ProviderError
from sharpen.models import Completion, ModelDownError, ModelError, open_model

PASSING = {
    "500": status(500),
    "503": status(503),
    "408": status(408),
    "409": status(409),
    "429": rate_limited(),
    "429 with header": rate_limited(0.01),
    "reset": reset(),
    "truncated": truncated(),
    "garbage": garbage(),
    "wrong type": wrong_type(),
    "html page": html_page(),
    "html error": html_error(),
}
SLOW = {"hang": hang(), "drip": drip()}
FINAL = {number: status(number, f"no, and your key was {CANARY}") for number in (400, 401, 403, 404, 422)}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", (PASSING | SLOW).values(), ids=(PASSING | SLOW).keys())
def test_a_server_that_stays_down_costs_four_requests(protocol: str, fault: Fault) -> None:
    with FaultServer(always(fault)) as server:
        model = PROTOCOLS[protocol](server, timeout=0.3 if fault in SLOW.values() else 10)
        (error,) = ask(model, "hello")
        assert isinstance(error, ModelDownError)
        assert isinstance(error, ProviderError)
        assert error.exit_code == 3
        assert server.posts == error.requests == 4
        assert "4 requests" in str(error)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
def test_a_fault_that_passes_is_not_noticed(protocol: str, fault: Fault) -> None:
    with FaultServer(in_turn(fault, fault)) as server:
        (answer,) = ask(PROTOCOLS[protocol](server), "hello")
        assert isinstance(answer, Completion)
        assert answer.text == "hello"
        assert server.posts == 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("number", FINAL)
def test_what_cannot_succeed_is_asked_once(protocol: str, number: int) -> None:
    with FaultServer(always(FINAL[number])) as server:
        (error,) = ask(PROTOCOLS[protocol](server), "hello")
        assert isinstance(error, ModelError)
        assert error.exit_code == 2
        assert server.posts == 1
        assert str(number) in str(error)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("fault", [FINAL[401], status(500, f"Authorization: Bearer {CANARY}")])
def test_a_key_never_leaves_in_an_exception(
    protocol: str, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with FaultServer(always(fault)) as server:
        (error,) = ask(PROTOCOLS[protocol](server), "hello")
        assert any(CANARY in value for value in server.requests[0].headers.values())
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(error.__dict__)
    assert CANARY not in shown
    assert error.__cause__ is None
    assert error.__context__ is None
    assert CANARY not in caplog.text


def test_a_key_in_the_address_is_sent_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with FaultServer(always(status(500, f"at ?key={CANARY}"))) as server:
        address = f"http://me:{CANARY}x@127.0.0.1:{server.port}/v1?key={CANARY}"
        model = open_model("compatible:m", replace(QUICK, base_url=address), environ={})
        (error,) = ask(model, "hello")
        assert f"key={CANARY}" in server.requests[0].path
        assert server.requests[0].headers["authorization"].startswith("Basic ")
    assert CANARY not in "".join(traceback.format_exception(error))
    assert CANARY not in caplog.text
    assert CANARY not in model.fingerprint + model.name + repr(model)


def test_retry_after_beyond_what_may_be_waited_gives_up_at_once() -> None:
    with FaultServer(always(rate_limited(3600))) as server:
        (error,) = ask(PROTOCOLS["chat"](server), "hello")
        assert isinstance(error, ModelDownError)
        assert server.posts == 1
        assert "3600" in str(error)


def test_random_faults_change_no_answer() -> None:
    texts = [f"question {n}" for n in range(60)]
    with FaultServer(random_faults(0.3, seed=7)) as server:
        model = opener("openai:gpt-5-mini", max_attempts=8)(server)
        answers = ask(model, *texts)
        assert [answer.text for answer in answers] == texts
        assert server.posts > len(texts)


def test_no_server_at_all_is_a_provider_that_is_down() -> None:
    with FaultServer() as server:
        model = PROTOCOLS["chat"](server)
    (error,) = ask(model, "hello")
    assert isinstance(error, ModelDownError)
    assert "connection" in str(error)
