"""From a name, settings and an environment to a model: what is found, what is refused, in which words."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from faults import FaultServer, always, status
from models.servers import CANARY, PROTOCOLS, QUICK, ask
from sharpen.errors import SettingsError
from sharpen.models import (
    PROVIDERS,
    Message,
    Model,
    ModelError,
    ModelSettings,
    Request,
    open_model,
)


def test_the_providers_are_known_by_name() -> None:
    own = {"openai", "azure", "anthropic", "bedrock", "vertex", "gemini", "qwen", "vllm", "compatible"}
    assert own | {"local", "recorded", "simulated"} <= set(PROVIDERS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gpt-5-mini", "openai:gpt-5-mini"),
        ("opnai:gpt-5", "did you mean openai:gpt-5"),
        ("antropic:x", "anthropic:x"),
        ("zzzz:x", "there are openai"),
        ("openai:", "openai:MODEL"),
        ("compatible:", "OPENAI_COMPATIBLE_MODEL"),
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude", "ANTHROPIC_API_KEY"),
        ("gemini:g", "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("azure:dep", "AZURE_OPENAI_ENDPOINT"),
        ("compatible:m", "OPENAI_COMPATIBLE_BASE_URL"),
        ("qwen:m", "QWEN_CHAT_BASE_URL"),
        ("simulated:ecko", "simulated:echo"),
        ("recorded:", "recorded:RUN"),
    ],
)
def test_a_name_that_cannot_be_opened_says_what_to_do(name: str, words: str) -> None:
    with pytest.raises(ModelError, match=words.replace("#", "[#]")) as caught:
        open_model(name, environ={})
    assert caught.value.exit_code == 2


def test_a_key_given_as_a_variables_name_is_not_echoed() -> None:
    with pytest.raises(SettingsError) as caught:
        ModelSettings(key_variable=CANARY)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"api": "grpc"},
        {"role": "judge"},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"max_attempts": 0},
        {"concurrency": 0},
        {"max_tokens": True},
        {"temperature": 9},
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        ModelSettings(**wrong)


@pytest.mark.parametrize("address", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://host:port/v1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ModelError, match="https://host/v1"):
        open_model("compatible:m", ModelSettings(base_url=address), environ={})


def test_a_provider_refuses_a_protocol_it_does_not_speak() -> None:
    with pytest.raises(SettingsError, match="chat, responses"):
        open_model("openai:m", ModelSettings(api="messages"), environ={"OPENAI_API_KEY": CANARY})


def sent_by(name: str, environ: dict[str, str], **settings: Any) -> tuple[Any, Any, Model]:
    """What reaches the server: its headers and its body. `URL` in a variable stands for the server."""
    with FaultServer() as server:
        here = {key: value.replace("URL", server.v1) for key, value in environ.items()}
        model = open_model(name, replace(QUICK, **settings), environ=here)
        (answer,) = ask(model, "hello")
        assert not isinstance(answer, Exception), answer
        return server.requests[0].headers, server.requests[0].body, model


def test_skillopts_variables_reach_the_server() -> None:
    environ = {
        "OPENAI_COMPATIBLE_BASE_URL": "URL",
        "OPENAI_COMPATIBLE_API_KEY": "shared-key",
        "TARGET_OPENAI_COMPATIBLE_API_KEY": "students-key",
        "OPENAI_COMPATIBLE_MODEL": "theirs",
        "OPENAI_COMPATIBLE_TEMPERATURE": "0.25",
        "OPENAI_COMPATIBLE_MAX_TOKENS": "77",
    }
    headers, body, _ = sent_by("compatible:", environ, role="student")
    assert headers["authorization"] == "Bearer students-key"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("theirs", 0.25, 77)
    headers, _, _ = sent_by("compatible:", environ, role="teacher")
    assert headers["authorization"] == "Bearer shared-key"


def test_qwens_thinking_comes_from_settings_or_skillopts_variable() -> None:
    environ = {"QWEN_CHAT_BASE_URL": "URL", "QWEN_CHAT_THINKING_MODE": "disabled"}
    _, body, quiet = sent_by("qwen:q3", environ)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    _, body, loud = sent_by("qwen:q3", environ, thinking=True, extra_body={"top_k": 20})
    assert body["chat_template_kwargs"] == {"enable_thinking": True}
    assert body["top_k"] == 20
    assert quiet.fingerprint.partition("#")[2] != loud.fingerprint.partition("#")[2]


def test_a_named_variable_holds_the_key() -> None:
    environ = {"MY_OTHER": "other-key", "OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": "URL"}
    headers, _, model = sent_by("openai:m", environ, key_variable="MY_OTHER")
    assert headers["authorization"] == "Bearer other-key"
    assert "other-key" not in repr(model)


def test_azure_by_key_and_as_a_compatible_server() -> None:
    environ = {"AZURE_OPENAI_ENDPOINT": "URL", "AZURE_OPENAI_API_KEY": "azure-key"}
    with FaultServer() as server:
        settings = replace(QUICK, base_url=server.url, api_version="2024-10-21")
        (answer,) = ask(open_model("azure:my-deployment", settings, environ=environ), "hello")
        assert answer.text == "hello"
        seen = server.requests[0]
        assert seen.path == "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
        assert seen.headers["api-key"] == "azure-key"
    headers, _, _ = sent_by("azure:m", {**environ, "AZURE_OPENAI_AUTH_MODE": "openai_compatible"})
    assert headers["authorization"] == "Bearer azure-key"
    with pytest.raises(ModelError, match="managed_identity"):
        open_model("azure:m", QUICK, environ={**environ, "AZURE_OPENAI_ENDPOINT": "https://x.example",
                                              "AZURE_OPENAI_AUTH_MODE": "magic"})  # fmt: skip


def test_azure_without_its_command_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("azure.identity")
    monkeypatch.setenv("PATH", "")
    with FaultServer() as server:
        settings = replace(QUICK, base_url=server.url, azure_login="cli")
        (error,) = ask(open_model("azure:m", settings, environ={}), "hello")
        assert isinstance(error, ModelError)
        assert "CLI" in str(error)
        assert server.posts == 0


def test_claude_on_bedrock_is_asked_with_aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("boto3")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CANARY)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with FaultServer(always(status(403, "no"))) as server:
        model = open_model("bedrock:anthropic.claude-x-v1:0", replace(QUICK, base_url=server.url))
        (error,) = ask(model, "hello")
        assert isinstance(error, ModelError)
        assert server.requests[0].path == "/model/anthropic.claude-x-v1:0/invoke"
        assert server.requests[0].headers["authorization"].startswith("AWS4-HMAC-SHA256")
        assert server.requests[0].body["messages"][0]["role"] == "user"


def test_claude_on_vertex_without_credentials_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.auth")
    monkeypatch.setenv("CLOUD_ML_REGION", "europe-west1")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "p")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/at/all.json")
    with FaultServer() as server:
        (error,) = ask(open_model("vertex:claude-x", replace(QUICK, base_url=server.url)), "hello")
        assert isinstance(error, ModelError)
        assert "all.json" in str(error)
        assert server.posts == 0


def test_the_fingerprint_knows_what_changes_answers_and_nothing_else() -> None:
    def of(**settings: Any) -> str:
        base = ModelSettings(base_url="http://127.0.0.1:9/v1")
        return open_model("compatible:m", replace(base, **settings), environ={}).fingerprint

    assert of() == "compatible:m@127.0.0.1:9/v1"
    assert of(timeout=5.0, max_attempts=1, concurrency=2) == of()
    changed = [
        of(temperature=0.0),
        of(max_tokens=5),
        of(thinking=True),
        of(extra_body={"a": 1}),
        of(chat_template={"a": 1}),
        of(api="responses"),
        of(base_url="http://127.0.0.1:9/v2"),
    ]
    assert len({of(), *changed}) == len(changed) + 1


def test_a_second_event_loop_gets_its_own_connections() -> None:
    with FaultServer() as server:
        model = PROTOCOLS["chat"](server)
        assert ask(model, "one")[0].text == "one"
        assert ask(model, "two")[0].text == "two"


def test_nothing_heavy_is_imported_before_a_model_is_opened() -> None:
    code = (
        "import sys, sharpen.models\n"
        "heavy = {'openai', 'anthropic', 'google.genai', 'azure', 'boto3', 'httpx2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_extra_is_named_with_its_command() -> None:
    code = (
        "import sys\n"
        "sys.modules['google.genai'] = None\n"
        "from sharpen.models import open_model\n"
        "try: open_model('gemini:g', environ={'GEMINI_API_KEY': 'x'})\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said.startswith("ModelError")
    assert "pip install 'sharpen[gemini]'" in said


def test_seeds_follow_the_trial() -> None:
    with FaultServer() as server:
        request = Request([Message("user", "hi")], seed=5)
        for trial in (1, 2):
            ask(PROTOCOLS["chat"](server), request, trial=trial)
        assert [seen.body["seed"] for seen in server.requests] == [5, 6]
        assert json.dumps(server.requests[0].body) != json.dumps(server.requests[1].body)
