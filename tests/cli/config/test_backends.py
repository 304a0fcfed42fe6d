"""SkillOpt's backends as our providers, and where a file's addresses and keys go."""

from __future__ import annotations

import pytest

from sharpen.cli.config import read_config
from sharpen.cli.config.backends import Actor, actor_of, export
from sharpen.errors import SettingsError

AZURE = {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com"}
EFFORT = {"thinking": "medium"}


def actor(*overrides: str, role: str = "target", **environ: str) -> Actor:
    assert role in ("target", "optimizer")
    resolved = read_config(overrides=overrides)
    export(resolved, environ)
    return actor_of(resolved.config, "target" if role == "target" else "optimizer", environ)


@pytest.mark.parametrize(
    ("said", "environ", "expected"),
    [
        ([], {}, Actor("openai:gpt-5.5", EFFORT)),
        (["model.reasoning_effort="], {}, Actor("openai:gpt-5.5")),
        ([], AZURE, Actor("azure:gpt-5.5", EFFORT)),
        (
            ["model.target_azure_openai_endpoint=https://y", "model.azure_openai_auth_mode=azure_cli"],
            {},
            Actor("azure:gpt-5.5", {**EFFORT, "azure_login": "cli"}),
        ),
        (
            [
                "model.azure_openai_endpoint=http://127.0.0.1:1/v1",
                "target_azure_openai_auth_mode=openai_compatible",
            ],
            {"AZURE_OPENAI_API_KEY": "k"},
            Actor(
                "compatible:gpt-5.5",
                {"base_url": "http://127.0.0.1:1/v1", "key_variable": "AZURE_OPENAI_API_KEY"},
            ),
        ),
        (["model.backend=openai_compatible", "model.student=s"], {}, Actor("compatible:s")),
        (["model.target_backend=openai_compatible"], {"OPENAI_COMPATIBLE_MODEL": "m"}, Actor("compatible:")),
        (["model.target_backend=qwen_chat", "model.target=Qwen/Q"], {}, Actor("qwen:Qwen/Q")),
        (["model.backend=qwen"], {}, Actor("qwen:Qwen/Qwen3.5-4B")),
        (["model.backend=minimax"], {}, Actor("minimax:MiniMax-M3")),
        (["model.backend=claude"], {"ANTHROPIC_API_KEY": "k"}, Actor("anthropic:claude-sonnet-4-6")),
        (["model.backend=claude", "model.target=sonnet"], {}, Actor("claude-code:sonnet")),
        (["model.backend=claude", "model.target=s"], {"ANTHROPIC_API_KEY": "k"}, Actor("anthropic:s")),
        (["model.student_backend=codex_exec"], {}, Actor("codex:gpt-5.5")),
        (
            ["model.target_backend=claude_code_exec", "model.claude_code_exec_path=/opt/claude"],
            {},
            Actor("claude-code:claude-sonnet-4-6", {"binary": "/opt/claude"}),
        ),
        (["model.target_backend=cursor_exec"], {}, Actor("cursor:gpt-5.5")),
        (["model.target_backend=copilot_exec"], {}, Actor("copilot:gpt-5.5")),
    ],
)
def test_who_the_student_is(said: list[str], environ: dict[str, str], expected: Actor) -> None:
    assert actor(*said, **environ) == expected


def test_which_backends_teach() -> None:
    for backend in ("codex", "qwen", "minimax"):
        assert actor(f"model.backend={backend}", role="optimizer").name == "openai:gpt-5.5"
    assert actor("model.backend=openai_compatible", role="optimizer").name == "compatible:gpt-5.5"
    assert actor("model.backend=claude", "model.optimizer=opus", role="optimizer").name == "anthropic:opus"
    with pytest.raises(SettingsError, match=r"model\.optimizer_backend: codex cannot teach"):
        actor("model.optimizer_backend=codex_exec", role="optimizer")


def test_roles_have_addresses_of_their_own() -> None:
    said = ("model.optimizer_azure_openai_endpoint=https://teacher",)
    assert actor(*said, role="optimizer").name == "azure:gpt-5.5"
    assert actor(*said, role="target").name == "openai:gpt-5.5"


def test_an_unknown_login_is_named() -> None:
    with pytest.raises(SettingsError, match="azure_openai_auth_mode is 'psychic'"):
        actor("model.azure_openai_endpoint=https://x", "model.azure_openai_auth_mode=psychic")


def test_what_files_say_goes_where_models_look() -> None:
    said = [
        "model.student_qwen_chat_base_url=http://127.0.0.1:8000/v1",
        "model.qwen_chat_api_key=hush",
        "model.qwen_chat_enable_thinking=false",
        "model.azure_api_key=older",
        "model.openai_compatible_max_tokens=512",
    ]
    environ: dict[str, str] = {"QWEN_CHAT_API_KEY": "before"}
    export(read_config(overrides=said), environ)
    assert environ == {
        "TARGET_QWEN_CHAT_BASE_URL": "http://127.0.0.1:8000/v1",
        "QWEN_CHAT_API_KEY": "hush",
        "QWEN_CHAT_ENABLE_THINKING": "false",
        "AZURE_OPENAI_API_KEY": "older",
        "OPENAI_COMPATIBLE_MAX_TOKENS": "512",
    }


def test_a_default_that_is_only_repeated_leaves_the_variable() -> None:
    said = [
        "model.azure_openai_api_version=2024-12-01-preview",
        "model.minimax_model=",
        "model.minimax_region=",
    ]
    environ = {"AZURE_OPENAI_API_VERSION": "2026-01-01"}
    export(read_config(overrides=said), environ)
    assert environ == {"AZURE_OPENAI_API_VERSION": "2026-01-01"}
