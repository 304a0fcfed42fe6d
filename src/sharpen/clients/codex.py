"""Codex CLI. It brings its own sandbox, speaks Responses only, and reports every command's exit code.

The sandbox helper is refused when CODEX_HOME lies below the temporary folder, so a run's home must not.
"""

from __future__ import annotations

import json

from sharpen.clients.facts import Client, Hooks, Launch, Order, SkillFolders

KEY_VARIABLE = "OPENAI_API_KEY"


def _launch(order: Order) -> Launch:
    sandbox = "workspace-write" if order.permission == "least" else "danger-full-access"
    arguments = ("exec", "--json", "--skip-git-repo-check", "--sandbox", sandbox, *order.extra_arguments)
    # After "--" a prompt that begins with a dash is still a prompt.
    return Launch(
        (*arguments, "--", order.prompt), files={".codex/config.toml": _configuration(order, sandbox)}
    )


def _configuration(order: Order, sandbox: str) -> str:
    lines = [
        f"model = {_quoted(order.model)}",
        'approval_policy = "never"',
        f"sandbox_mode = {_quoted(sandbox)}",
        "check_for_update_on_startup = false",
        # A run's own temporary folder stays writable; the machine's does not.
        "[sandbox_workspace_write]",
        "exclude_slash_tmp = true",
        "[analytics]",
        "enabled = false",
    ]
    if order.base_url is None:
        return "\n".join(lines) + "\n"
    lines = ['model_provider = "sharpen"', *lines]
    return "\n".join([*lines, *_provider(order.base_url)]) + "\n"


def _provider(base_url: str) -> list[str]:
    return [
        "[model_providers.sharpen]",
        'name = "sharpen"',
        f"base_url = {_quoted(base_url)}",
        'wire_api = "responses"',
        f"env_key = {_quoted(KEY_VARIABLE)}",
        "request_max_retries = 2",
        "stream_max_retries = 2",
    ]


def _quoted(text: str) -> str:
    """JSON's strings are TOML's basic strings."""
    return json.dumps(text)


CODEX = Client(
    name="codex",
    title="Codex CLI",
    binaries=("codex",),
    install="npm install -g @openai/codex",
    package="@openai/codex",
    tested="0.166.0",
    minimum="0.166.0",
    verified=True,
    skills=SkillFolders(project=(".agents/skills", ".codex/skills"), user=(".agents/skills",)),
    key_variable=KEY_VARIABLE,
    wires=("responses",),
    launch=_launch,
    home=("CODEX_HOME", ".codex"),
    hooks=Hooks(
        "settings",
        project=".codex/hooks.json",
        user=".codex/hooks.json",
        after=("PostToolUse",),
        compacted=("PostCompact",),
        trust="Codex asks once for each hook, in an interactive session (/hooks); until then it skips them",
    ),
    catalogue=8_000,
    session_files=".codex/sessions/*/*/*/rollout-*.jsonl",
    naming="${name} {prompt}",
    own_sandbox=True,
    off_arguments=("-c", 'skills.config=[{name="{name}",enabled=false}]'),
)
