"""The real SDKs against the real llama.cpp server with a real small language model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from models.servers import ask
from sharpen.errors import SettingsError
from sharpen.models import (
    ContextError,
    Image,
    Message,
    Model,
    ModelError,
    ModelSettings,
    Request,
    ToolCall,
    ToolSpec,
    open_model,
)
from sharpen.models.local import LocalServer, server_for

pytestmark = pytest.mark.slow

APIS = ["chat", "responses", "messages"]
YEAR = Request(
    [Message("user", "The invoice is from 1987. Which year is it from?")],
    system="Answer with the year only.",
    max_tokens=12,
    temperature=0.0,
)
SCHEMA = {
    "type": "object",
    "properties": {"year": {"type": "integer"}},
    "required": ["year"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = server_for(replicas=1)
    asyncio.run(server.start())
    yield server
    server.close()


def opened(server: LocalServer, api: str, **settings: Any) -> Model:
    made = ModelSettings(base_url=server.base_url, key_variable="THE_KEY", api=api, **settings)  # type: ignore[arg-type]
    return open_model(f"compatible:{server.name}", made, environ={"THE_KEY": server.api_key})


@pytest.mark.parametrize("api", APIS)
def test_an_answer_with_its_usage_twice_the_same(server: LocalServer, api: str) -> None:
    first, second = (ask(opened(server, api), YEAR)[0] for _ in range(2))
    assert first == second
    assert "198" in first.text
    assert first.usage.input_tokens > 20
    assert 0 < first.usage.output_tokens <= 12
    assert first.usage.usd is None
    assert first.model == server.name


@pytest.mark.parametrize("api", APIS)
def test_the_real_tokenizer_stays_below_the_bound(server: LocalServer, api: str) -> None:
    model = opened(server, api)
    request = Request([Message("user", "ü∑!?\n\t" * 15)], max_tokens=1)
    bound = model.worst_case(request)
    (answer,) = ask(model, request)
    assert answer.usage.input_tokens <= bound.input_tokens
    assert answer.usage.output_tokens <= bound.output_tokens


@pytest.mark.parametrize("api", APIS)
def test_an_answer_cut_at_its_limit_is_marked(server: LocalServer, api: str) -> None:
    (answer,) = ask(opened(server, api), Request.of("Tell me a long story about a ship.", max_tokens=5))
    assert answer.truncated


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_schema_is_kept_to(server: LocalServer, api: str) -> None:
    request = Request(
        [Message("user", "Give a year as JSON.")], schema=SCHEMA, max_tokens=40, temperature=0.0
    )
    (answer,) = ask(opened(server, api), request)
    assert isinstance(answer.json(SCHEMA)["year"], int)


@pytest.mark.parametrize("api", APIS)
def test_a_conversation_with_tools_is_taken(server: LocalServer, api: str) -> None:
    """The model is too small to call tools by itself; that the server takes the turns is what counts here."""
    tool = ToolSpec("weather", "the weather", {"type": "object", "properties": {"town": {"type": "string"}}})
    conversation = Request(
        [
            Message("user", "How is it in Ulm?"),
            Message("assistant", "", tool_calls=(ToolCall("c1", "weather", {"town": "Ulm"}),)),
            Message("tool", "rain", tool_call_id="c1"),
        ],
        tools=[tool],
        max_tokens=5,
        temperature=0.0,
    )
    (answer,) = ask(opened(server, api), conversation)
    assert answer.usage.input_tokens > 0, answer


@pytest.mark.parametrize("api", APIS)
def test_a_context_overflow_has_sizes(server: LocalServer, api: str) -> None:
    (error,) = ask(opened(server, api), Request.of("word " * 5000))
    assert isinstance(error, ContextError)
    assert error.allowed == 4096
    assert error.needed is not None
    assert error.needed > 4096


@pytest.mark.parametrize("api", APIS)
def test_a_picture_is_refused_in_words(server: LocalServer, api: str) -> None:
    request = Request([Message("user", "look", images=(Image(b"\x89PNG\r\n\x1a\n"),))], max_tokens=3)
    (error,) = ask(opened(server, api), request)
    assert isinstance(error, ModelError)
    assert "takes no images" in str(error)


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_key_is_told(server: LocalServer, api: str) -> None:
    made = ModelSettings(base_url=server.base_url, key_variable="THE_KEY", api=api)  # type: ignore[arg-type]
    model = open_model("compatible:m", made, environ={"THE_KEY": "not-the-key-at-all"})
    (error,) = ask(model, YEAR)
    assert isinstance(error, ModelError)
    assert "THE_KEY" in str(error)
    assert "not-the-key" not in str(error)


def test_a_local_model_starts_answers_and_starts_again() -> None:
    model = open_model("local:smollm2")
    (first,) = ask(model, YEAR)
    (again,) = ask(model, YEAR)
    assert first == again
    assert first.usage.usd == 0
    assert first.usage.model == model.name == "local:smollm2"
    assert json.loads(json.dumps(first.to_json()))["model"] == "smollm2"


def test_local_models_refuse_what_they_cannot_do() -> None:
    with pytest.raises(ModelError, match="smollm2"):
        open_model("local:smolm2")
    with pytest.raises(SettingsError, match="compatible"):
        open_model("local:smollm2", ModelSettings(base_url="http://127.0.0.1:1/v1"))
    (error,) = ask(open_model("local:smollm2"), Request([Message("user", "look", images=(Image(b"x"),))]))
    assert isinstance(error, ModelError)
    assert "images" in str(error)
