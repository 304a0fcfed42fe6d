"""The section `model`: who teaches, who is taught, and how each provider and coding agent is reached.

SkillOpt calls the teacher `optimizer` and the student `target`, and so do the keys here; files may say
`teacher` and `student` instead. Addresses and keys come three times: for both roles, and with `optimizer_` or
`target_` for one of them. Secrets are kept as such and never printed; the environment is the better place for
them. Empty and null leave the choice to the provider or the client.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, SecretStr

from sharpen.cli.config.section import Count, Positive, Seconds, Section, Temperature

NO_SECRET = SecretStr("")
Switch = bool | str | None
"""SkillOpt's files spell these as true, false, auto or null."""
Backend = Literal[
    "azure_openai",
    "openai_chat",
    "openai_compatible",
    "claude_chat",
    "qwen_chat",
    "minimax_chat",
    "copilot_chat",
    "codex",
    "codex_exec",
    "claude_code_exec",
    "cursor_exec",
    "copilot_exec",
]
_OTHER_BACKENDS = {
    "azure": "azure_openai",
    "azure-openai": "azure_openai",
    "openai": "codex",
    "claude": "claude_chat",
    "anthropic": "claude_chat",
    "qwen": "qwen_chat",
    "minimax": "minimax_chat",
}


def _usual_backend(value: object) -> object:
    """SkillOpt knows several names for the same backend, in any case."""
    if not isinstance(value, str):
        return value
    lowered = value.strip().lower()
    return _OTHER_BACKENDS.get(lowered, lowered)


BackendName = Annotated[Backend, BeforeValidator(_usual_backend)]


class Roles(Section):
    """Who they are."""

    backend: BackendName = "azure_openai"
    """The backend while optimizer_backend and target_backend say openai_chat."""
    optimizer: str = "gpt-5.5"
    """Model of the teacher."""
    target: str = "gpt-5.5"
    """Model of the student."""
    optimizer_backend: BackendName = "openai_chat"
    """How the teacher is reached."""
    target_backend: BackendName = "openai_chat"
    """How the student is reached."""
    reasoning_effort: str = "medium"
    """How hard both think; empty leaves it to the model."""
    rewrite_reasoning_effort: str = ""
    """How hard the teacher thinks when it rewrites a whole skill."""
    rewrite_max_completion_tokens: Positive = 64000
    """Most tokens of a rewritten skill."""


class Codex(Section):
    """OpenAI's Codex."""

    codex_exec_path: str = ""
    """Codex: the program."""
    codex_exec_sandbox: str = ""
    """Codex: its own sandbox mode."""
    codex_exec_profile: str = ""
    """Codex: profile of its configuration."""
    codex_exec_full_auto: bool | None = None
    """Codex: ask for no approval; an older key."""
    codex_exec_reasoning_effort: str = ""
    """Codex: how hard it thinks."""
    codex_exec_use_sdk: Switch = None
    """Codex: through its SDK, or as a program."""
    codex_exec_network_access: Switch = None
    """Codex: network inside its sandbox."""
    codex_exec_web_search: Switch = None
    """Codex: its web search."""
    codex_exec_approval_policy: str = ""
    """Codex: when it asks for approval."""
    codex_trace_to_optimizer: bool = True
    """Codex: show the teacher what it did, not only what it said."""


class ClaudeCode(Section):
    """Anthropic's Claude Code."""

    claude_code_exec_path: str = "claude"
    """Claude Code: the program."""
    claude_code_exec_profile: str = ""
    """Claude Code: profile of its configuration."""
    claude_code_exec_use_sdk: Switch = "auto"
    """Claude Code: through its SDK, or as a program."""
    claude_code_exec_effort: str = "medium"
    """Claude Code: how hard it thinks."""
    claude_code_exec_max_thinking_tokens: Count = 16384
    """Claude Code: most tokens it thinks."""
    claude_trace_to_optimizer: bool = True
    """Claude Code: show the teacher what it did, not only what it said."""


class OtherClients(Section):
    """Cursor and GitHub Copilot."""

    cursor_exec_path: str = ""
    """Cursor: the program."""
    cursor_exec_sandbox: str = ""
    """Cursor: its own sandbox mode."""
    copilot_exec_path: str = ""
    """Copilot: the program."""
    copilot_exec_home: str = ""
    """Copilot: its home folder."""
    copilot_exec_allow_all_tools: Switch = None
    """Copilot: use every tool without asking."""
    copilot_chat_optimizer_model: str = ""
    """Copilot: model of the teacher."""
    copilot_chat_target_model: str = ""
    """Copilot: model of the student."""
    copilot_chat_timeout: Seconds | None = None
    """Copilot: seconds per call."""


class Azure(Section):
    """Azure OpenAI, and what else speaks its dialect."""

    azure_openai_endpoint: str = ""
    """Azure OpenAI address for both roles."""
    azure_openai_api_version: str = "2024-12-01-preview"
    """Azure OpenAI version of the interface for both roles."""
    azure_openai_api_key: SecretStr = NO_SECRET
    """Azure OpenAI key for both roles; better in $AZURE_OPENAI_API_KEY."""
    azure_openai_auth_mode: str = ""
    """Azure login for both roles: a key, azure_cli, managed_identity or openai_compatible."""
    azure_openai_ad_scope: str = "https://cognitiveservices.azure.com/.default"
    """Azure token scope for both roles."""
    azure_openai_managed_identity_client_id: str = ""
    """Azure managed identity for both roles."""
    optimizer_azure_openai_endpoint: str = ""
    """Azure OpenAI address for the teacher."""
    optimizer_azure_openai_api_version: str = "2024-12-01-preview"
    """Azure OpenAI version of the interface for the teacher."""
    optimizer_azure_openai_api_key: SecretStr = NO_SECRET
    """Azure OpenAI key for the teacher; better in $AZURE_OPENAI_API_KEY."""
    optimizer_azure_openai_auth_mode: str = ""
    """Azure login for the teacher: a key, azure_cli, managed_identity or openai_compatible."""
    optimizer_azure_openai_ad_scope: str = "https://cognitiveservices.azure.com/.default"
    """Azure token scope for the teacher."""
    optimizer_azure_openai_managed_identity_client_id: str = ""
    """Azure managed identity for the teacher."""
    target_azure_openai_endpoint: str = ""
    """Azure OpenAI address for the student."""
    target_azure_openai_api_version: str = "2024-12-01-preview"
    """Azure OpenAI version of the interface for the student."""
    target_azure_openai_api_key: SecretStr = NO_SECRET
    """Azure OpenAI key for the student; better in $AZURE_OPENAI_API_KEY."""
    target_azure_openai_auth_mode: str = ""
    """Azure login for the student: a key, azure_cli, managed_identity or openai_compatible."""
    target_azure_openai_ad_scope: str = "https://cognitiveservices.azure.com/.default"
    """Azure token scope for the student."""
    target_azure_openai_managed_identity_client_id: str = ""
    """Azure managed identity for the student."""
    azure_endpoint: str = ""
    """Older name of azure_openai_endpoint."""
    azure_api_version: str = ""
    """Older name of azure_openai_api_version."""
    azure_api_key: SecretStr = NO_SECRET
    """Older name of azure_openai_api_key."""


class Qwen(Section):
    """A Qwen model behind a server such as vLLM."""

    qwen_chat_base_url: str = ""
    """Qwen: address for both roles."""
    qwen_chat_api_key: SecretStr = NO_SECRET
    """Qwen: key for both roles; better in the environment."""
    qwen_chat_temperature: Temperature | None = None
    """Qwen: temperature for both roles."""
    qwen_chat_timeout_seconds: Seconds | None = None
    """Qwen: seconds per call for both roles."""
    qwen_chat_max_tokens: Positive | None = None
    """Qwen: most tokens per answer for both roles."""
    qwen_chat_enable_thinking: bool | None = None
    """Qwen: let both roles think."""
    qwen_chat_thinking_mode: str = ""
    """Qwen: way of thinking for both roles; empty leaves it to the server."""
    optimizer_qwen_chat_base_url: str = ""
    """Qwen: address for the teacher."""
    optimizer_qwen_chat_api_key: SecretStr = NO_SECRET
    """Qwen: key for the teacher; better in the environment."""
    optimizer_qwen_chat_temperature: Temperature | None = None
    """Qwen: temperature for the teacher."""
    optimizer_qwen_chat_timeout_seconds: Seconds | None = None
    """Qwen: seconds per call for the teacher."""
    optimizer_qwen_chat_max_tokens: Positive | None = None
    """Qwen: most tokens per answer for the teacher."""
    optimizer_qwen_chat_enable_thinking: bool | None = None
    """Qwen: let the teacher think."""
    optimizer_qwen_chat_thinking_mode: str = ""
    """Qwen: way of thinking for the teacher; empty leaves it to the server."""
    target_qwen_chat_base_url: str = ""
    """Qwen: address for the student."""
    target_qwen_chat_api_key: SecretStr = NO_SECRET
    """Qwen: key for the student; better in the environment."""
    target_qwen_chat_temperature: Temperature | None = None
    """Qwen: temperature for the student."""
    target_qwen_chat_timeout_seconds: Seconds | None = None
    """Qwen: seconds per call for the student."""
    target_qwen_chat_max_tokens: Positive | None = None
    """Qwen: most tokens per answer for the student."""
    target_qwen_chat_enable_thinking: bool | None = None
    """Qwen: let the student think."""
    target_qwen_chat_thinking_mode: str = ""
    """Qwen: way of thinking for the student; empty leaves it to the server."""


class Compatible(Section):
    """Any server that speaks OpenAI's dialect."""

    openai_compatible_base_url: str = ""
    """OpenAI-compatible server: address for both roles."""
    openai_compatible_api_key: SecretStr = NO_SECRET
    """OpenAI-compatible server: key for both roles; better in the environment."""
    openai_compatible_temperature: Temperature | None = None
    """OpenAI-compatible server: temperature for both roles."""
    openai_compatible_timeout_seconds: Seconds | None = None
    """OpenAI-compatible server: seconds per call for both roles."""
    openai_compatible_max_tokens: Positive | None = None
    """OpenAI-compatible server: most tokens per answer for both roles."""
    openai_compatible_model: str = ""
    """OpenAI-compatible server: model for both roles."""
    optimizer_openai_compatible_base_url: str = ""
    """OpenAI-compatible server: address for the teacher."""
    optimizer_openai_compatible_api_key: SecretStr = NO_SECRET
    """OpenAI-compatible server: key for the teacher; better in the environment."""
    optimizer_openai_compatible_temperature: Temperature | None = None
    """OpenAI-compatible server: temperature for the teacher."""
    optimizer_openai_compatible_timeout_seconds: Seconds | None = None
    """OpenAI-compatible server: seconds per call for the teacher."""
    optimizer_openai_compatible_max_tokens: Positive | None = None
    """OpenAI-compatible server: most tokens per answer for the teacher."""
    optimizer_openai_compatible_model: str = ""
    """OpenAI-compatible server: model for the teacher."""
    target_openai_compatible_base_url: str = ""
    """OpenAI-compatible server: address for the student."""
    target_openai_compatible_api_key: SecretStr = NO_SECRET
    """OpenAI-compatible server: key for the student; better in the environment."""
    target_openai_compatible_temperature: Temperature | None = None
    """OpenAI-compatible server: temperature for the student."""
    target_openai_compatible_timeout_seconds: Seconds | None = None
    """OpenAI-compatible server: seconds per call for the student."""
    target_openai_compatible_max_tokens: Positive | None = None
    """OpenAI-compatible server: most tokens per answer for the student."""
    target_openai_compatible_model: str = ""
    """OpenAI-compatible server: model for the student."""


class MiniMax(Section):
    """MiniMax's service."""

    minimax_region: str = ""
    """MiniMax: region of the service."""
    minimax_base_url: str = ""
    """MiniMax: address."""
    minimax_api_key: SecretStr = NO_SECRET
    """MiniMax: key; better in the environment."""
    minimax_model: str = "MiniMax-M3"
    """MiniMax: model."""
    minimax_temperature: Temperature = 0.7
    """MiniMax: temperature."""
    minimax_max_tokens: Positive = 8000
    """MiniMax: most tokens per answer."""
    minimax_enable_thinking: bool = False
    """MiniMax: let it think."""


class Model(MiniMax, Compatible, Qwen, Azure, OtherClients, ClaudeCode, Codex, Roles):
    """Teacher and student, and how each provider is reached."""
