"""Teacher and student of a configuration: SkillOpt's backends as the names and options we open models by.

What a file says about addresses, keys and tuning goes into the environment of the process, under SkillOpt's
own variable names, where models look for it with the role's prefix first; a secret goes nowhere else. A value
that only repeats SkillOpt's default leaves a variable as it is. Nothing is opened here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sharpen.cli.config.reading import Resolved
from sharpen.cli.config.record import Config
from sharpen.errors import SettingsError

Role = Literal["optimizer", "target"]
"""The teacher and the student, as the keys call them."""
PROVIDERS = {"openai_compatible": "compatible", "qwen_chat": "qwen", "minimax_chat": "minimax"}
CLIENTS = {
    "codex": "codex",
    "codex_exec": "codex",
    "claude_code_exec": "claude-code",
    "cursor_exec": "cursor",
    "copilot_exec": "copilot",
    "copilot_chat": "copilot",
}
PROGRAMS = {
    "codex": "codex_exec_path",
    "claude-code": "claude_code_exec_path",
    "cursor": "cursor_exec_path",
    "copilot": "copilot_exec_path",
}
"""Key that says where a client's program is."""
LOGINS = {
    "key": "key",
    "api_key": "key",
    "cli": "cli",
    "azure_cli": "cli",
    "managed_identity": "managed_identity",
}
CONNECTIONS = ("azure_openai_", "qwen_chat_", "openai_compatible_", "minimax_")
OLDER_NAMES = {
    "azure_endpoint": "azure_openai_endpoint",
    "azure_api_version": "azure_openai_api_version",
    "azure_api_key": "azure_openai_api_key",
}
FOR_BOTH = ("openai_chat", "openai_compatible", "claude_chat")
"""Backends that `model.backend` gives to the teacher, too."""
USUAL_MODEL = "gpt-5.5"
USUAL_MODELS = {
    "claude_chat": "claude-sonnet-4-6",
    "claude_code_exec": "claude-sonnet-4-6",
    "qwen_chat": "Qwen/Qwen3.5-4B",
}
"""SkillOpt's choice for backends that have no gpt-5.5."""
MODEL_VARIABLES = {
    "openai_compatible": "OPENAI_COMPATIBLE_MODEL",
    "qwen_chat": "QWEN_CHAT_MODEL",
    "minimax_chat": "MINIMAX_MODEL",
}


@dataclass(frozen=True)
class Actor:
    """A model or a coding agent: PROVIDER:MODEL or CLIENT:MODEL, and its options."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_client(self) -> bool:
        return self.name.partition(":")[0] in PROGRAMS


def export(resolved: Resolved, environ: MutableMapping[str, str]) -> None:
    """Put what files and arguments say about connections where models look for it."""
    for key, value in _connections(resolved):
        variable = key.upper()
        if resolved.is_changed(f"model.{key}") or not environ.get(variable):
            environ[variable] = value


def is_connection(key: str) -> bool:
    """Whether a key of `model` is about reaching a provider."""
    bare = key.removeprefix("optimizer_").removeprefix("target_")
    return bare.startswith(CONNECTIONS) or bare in OLDER_NAMES


def _connections(resolved: Resolved) -> Iterator[tuple[str, str]]:
    for key in type(resolved.config.model).model_fields:
        value = resolved.config.get(f"model.{key}")
        if is_connection(key) and resolved.is_given(f"model.{key}") and value not in ("", None):
            yield OLDER_NAMES.get(key, key), str(value).lower() if isinstance(value, bool) else str(value)


def actor_of(config: Config, role: Role, environ: Mapping[str, str]) -> Actor:
    """Who plays a role; `environ` is the one that `export` has filled."""
    variables, backend = _Variables(environ, role), _backend(config, role)
    model = _model(config, backend, variables)
    if backend in CLIENTS:
        return _client(config, role, f"{CLIENTS[backend]}:{model}")
    if backend == "claude_chat":
        if role == "target" and not environ.get("ANTHROPIC_API_KEY"):
            return _client(config, role, f"claude-code:{model}")
        return Actor(f"anthropic:{model}")
    if backend in PROVIDERS:
        return Actor(f"{PROVIDERS[backend]}:{model}")
    return _openai(config, model, variables)


def _backend(config: Config, role: Role) -> str:
    """The role's own backend; while that is the usual one, `model.backend` decides, as in SkillOpt."""
    own: str = getattr(config.model, f"{role}_backend")
    family = config.model.backend
    if own != "openai_chat" or family == "azure_openai":
        return own
    return family if role == "target" or family in FOR_BOTH else own


def _model(config: Config, backend: str, variables: _Variables) -> str:
    """The role's model; where nobody changed it, the one of the provider's variable, else SkillOpt's."""
    model: str = getattr(config.model, variables.role)
    if model != USUAL_MODEL:
        return model
    if variables.get(MODEL_VARIABLES.get(backend, "")):
        return ""
    return config.model.minimax_model if backend == "minimax_chat" else USUAL_MODELS.get(backend, model)


def _client(config: Config, role: Role, name: str) -> Actor:
    client = name.partition(":")[0]
    if role == "optimizer":
        raise SettingsError(
            f"model.optimizer_backend: {client} cannot teach here, only be taught; ask the same model by "
            "model.optimizer_backend=openai_chat or claude_chat"
        )
    key = PROGRAMS[client]
    path: str = getattr(config.model, key)
    is_usual = path == type(config.model).model_fields[key].default
    return Actor(name, {} if is_usual else {"binary": path})


@dataclass(frozen=True)
class _Variables:
    """Variables, looked for with the role's prefix first."""

    environ: Mapping[str, str]
    role: Role

    def get(self, name: str) -> str:
        return self.environ.get(f"{self.role.upper()}_{name}") or self.environ.get(name) or ""


def _openai(config: Config, model: str, variables: _Variables) -> Actor:
    """Azure where an Azure address is known, else OpenAI itself."""
    effort = config.model.reasoning_effort
    options: dict[str, Any] = {"thinking": effort} if effort else {}
    endpoint, login = variables.get("AZURE_OPENAI_ENDPOINT"), variables.get("AZURE_OPENAI_AUTH_MODE")
    if not endpoint:
        return Actor(f"openai:{model}", options)
    if login in ("openai_compatible", "compat", "openai"):
        key = {"key_variable": "AZURE_OPENAI_API_KEY"} if variables.get("AZURE_OPENAI_API_KEY") else {}
        return Actor(f"compatible:{model}", {"base_url": endpoint, **key})
    if login:
        if login not in LOGINS:
            raise SettingsError(
                f"azure_openai_auth_mode is {login!r}; it can be openai_compatible, {', '.join(LOGINS)}"
            )
        options["azure_login"] = LOGINS[login]
    version = variables.get("AZURE_OPENAI_API_VERSION")
    return Actor(f"azure:{model}", {**options, **({"api_version": version} if version else {})})
