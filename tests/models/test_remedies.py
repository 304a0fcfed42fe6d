"""What a user is told when a server refuses: the reason, the sizes, the remedy."""

from __future__ import annotations

import pytest

from faults import FaultServer, always, status
from models.servers import PROTOCOLS, ask, opener
from sharpen.models import ContextError, Image, Message, ModelError, Request


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_context_overflow_is_told_with_its_sizes(protocol: str) -> None:
    words = {
        "chat": "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "responses": "maximum context length is 8192 tokens, however you requested 9000 tokens",
        "messages": "prompt is too long: 9000 tokens > 8192 maximum",
        "gemini": "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
    }[protocol]
    with FaultServer(always(status(400, words))) as server:
        (error,) = ask(PROTOCOLS[protocol](server), "long")
        assert isinstance(error, ContextError)
        assert (error.needed, error.allowed) == (9000, 8192)
        assert "9000" in str(error)
        assert "8192" in str(error)
        assert server.posts == 1


def test_llama_cpps_overflow_is_recognised_too() -> None:
    words = "request (5013 tokens) exceeds the available context size (4096 tokens), try increasing it"
    with FaultServer(always(status(400, words, "exceed_context_size_error"))) as server:
        (error,) = ask(PROTOCOLS["chat"](server), "long")
    assert isinstance(error, ContextError)
    assert (error.needed, error.allowed) == (5013, 4096)


@pytest.mark.parametrize("number", [400, 500])
def test_pictures_for_a_model_that_cannot_see_are_refused_once(number: int) -> None:
    request = Request([Message("user", "look", images=(Image(b"png"),))])
    words = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
    with FaultServer(always(status(number, words))) as server:
        (error,) = ask(PROTOCOLS["chat"](server), request)
        assert isinstance(error, ModelError)
        assert "takes no images" in str(error)
        assert server.posts == 1


def test_an_unknown_model_is_answered_with_the_nearest() -> None:
    with FaultServer(always(status(404, "no such model", "model_not_found"))) as server:
        (error,) = ask(opener("openai:gpt-5-mimi")(server), "hello")
        assert "did you mean openai:gpt-5-mini?" in str(error)
        assert server.posts == 1


def test_a_base_url_without_v1_is_pointed_out() -> None:
    with FaultServer(always(status(404, "not found"))) as server:
        (error,) = ask(opener("compatible:zzzzzzzz", v1=False)(server), "hello")
        assert f"{server.url}/v1" in str(error)


def test_no_credit_left_is_not_tried_again() -> None:
    with FaultServer(always(status(429, "You exceeded your current quota", "insufficient_quota"))) as server:
        (error,) = ask(PROTOCOLS["chat"](server), "hello")
        assert isinstance(error, ModelError)
        assert server.posts == 1


def test_a_prompt_that_a_filter_stops_is_an_answer() -> None:
    with FaultServer(always(status(400, "blocked", "content_filter"))) as server:
        (answer,) = ask(PROTOCOLS["chat"](server), "hello")
    assert answer.finish == "filter"
