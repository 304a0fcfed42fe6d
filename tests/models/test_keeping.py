"""Answers that are kept: in the log before they are used, paid once, replayed exactly, free of secrets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faults import FaultServer, always, in_turn, ok, status
from models.servers import PROTOCOLS, QUICK, ask, run
from sharpen.models import Completion, Kept, ModelError, Recorded, Request, Simulated, open_model
from sharpen.store import MemoryStore, SqliteStore
from sharpen.types import CallKey, Usage


class Log:
    """A log that remembers the order of things."""

    def __init__(self) -> None:
        self.answers: dict[CallKey, Mapping[str, Any]] = {}

    def find_call(self, key: CallKey) -> Mapping[str, Any] | None:
        return self.answers.get(key)

    def finish_call(self, key: CallKey, answer: Mapping[str, Any], usage: Usage) -> None:
        assert key not in self.answers, "paid twice"
        self.answers[key] = answer


def test_a_question_is_paid_once_and_each_trial_is_another() -> None:
    log = Log()
    with FaultServer() as server:
        first = ask(Kept(PROTOCOLS["chat"](server), log), "hello", "hello", "other")
        again = ask(Kept(PROTOCOLS["chat"](server), log), "hello")
        assert [answer.text for answer in first] == ["hello", "hello", "other"]
        assert again[0] == first[0] == first[1]
        assert server.posts == 2
        ask(Kept(PROTOCOLS["chat"](server), log), "hello", trial=2)
        assert server.posts == 3


def test_the_answer_is_in_the_log_before_it_is_returned() -> None:
    class Stubborn(Log):
        def finish_call(self, key: CallKey, answer: Mapping[str, Any], usage: Usage) -> None:
            raise OSError("disk full")

    (error,) = ask(Kept(open_model("simulated:echo"), Stubborn()), "hello")
    assert isinstance(error, OSError)


def test_a_failed_call_is_not_kept_and_may_be_asked_again() -> None:
    log = Log()
    with FaultServer(in_turn(status(400), then=ok())) as server:
        model = Kept(PROTOCOLS["chat"](server), log)
        assert isinstance(ask(model, "hello")[0], ModelError)
        assert not log.answers
        assert ask(model, "hello")[0].text == "hello"


def test_a_secret_in_an_answer_is_neither_stored_nor_returned() -> None:
    log, secret = Log(), "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    (answer,) = ask(Kept(open_model("simulated:echo"), log), f"the token is {secret}")
    assert secret not in answer.text
    assert secret not in repr(log.answers)
    assert ask(Kept(open_model("simulated:echo"), log), f"the token is {secret}")[0] == answer


def test_a_key_that_the_server_echoes_is_not_stored() -> None:
    log, key = Log(), "an-odd-looking-credential"
    with FaultServer(reply=lambda seen: f"you are {seen.headers['authorization']}") as server:
        settings = replace(QUICK, base_url=server.v1, key_variable="WHATEVER")
        model = open_model("compatible:m", settings, environ={"WHATEVER": key})
        (answer,) = ask(Kept(model, log), "who am I?")
    assert key not in answer.text + repr(log.answers)
    assert "[redacted:" in answer.text


def test_a_truncated_answer_is_kept_and_marked() -> None:
    log = Log()
    request = Request.of("one two three", max_tokens=2)
    for _ in range(2):
        (answer,) = ask(Kept(open_model("simulated:echo"), log), request)
        assert answer.truncated
        assert answer.text == "one two"


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_the_stores_are_logs_and_a_recorded_model_replays_them(kind: str, tmp_path: Path) -> None:
    store = MemoryStore() if kind == "memory" else SqliteStore.open(tmp_path)
    with FaultServer() as server:
        live = Kept(PROTOCOLS["chat"](server), store)
        answers = ask(live, "one", "two")
    name = f"recorded:{tmp_path}#{live.fingerprint}"
    if kind == "folder":
        store.close()
    replay = open_model(name, log=store if kind == "memory" else None)
    assert replay.fingerprint == live.fingerprint
    assert ask(replay, "one", "two") == answers


def test_a_run_with_one_model_is_replayed_by_its_folder_and_one_with_two_says_whose(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with FaultServer() as server:
        live = Kept(PROTOCOLS["chat"](server), store)
        answers = ask(live, "one")
        assert ask(open_model(f"recorded:{tmp_path}"), "one") == answers
        other = Kept(PROTOCOLS["messages"](server), store)
        ask(other, "one")
    store.close()
    with pytest.raises(ModelError, match="holds answers of several") as several:
        open_model(f"recorded:{tmp_path}")
    assert f"#{other.fingerprint}" in str(several.value)


def test_a_question_nobody_asked_is_an_error_that_names_it() -> None:
    (error,) = ask(Recorded("runs/x", Log(), "openai:m@host"), "what about this?")
    assert isinstance(error, ModelError)
    assert "what about this?" in str(error)
    assert Request.of("what about this?").digest[:12] in str(error)


def test_simulated_models_say_that_they_are() -> None:
    table = Simulated.table({"2+2": "4"})
    (answer,) = ask(table, "2+2")
    assert (answer.text, answer.model, answer.usage.usd) == ("4", "simulated:table", 0.0)
    assert isinstance(ask(table, "3+3")[0], ModelError)
    assert ask(open_model("simulated:system"), Request.of("x", system="the skill"))[0].text == "the skill"


def test_many_equal_questions_at_once_make_one_request() -> None:
    with FaultServer(always(ok(latency=0.05))) as server:
        model = Kept(PROTOCOLS["chat"](server), Log())

        async def crowd() -> list[Completion]:
            answers = await asyncio.gather(*(model.complete(Request.of("same")) for _ in range(20)))
            await model.aclose()
            return answers

        assert len({answer.text for answer in run(crowd())}) == 1
        assert server.posts == 1
