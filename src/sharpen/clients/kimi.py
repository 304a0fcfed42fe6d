"""Kimi Code. Takes OpenAI-compatible and Anthropic endpoints; needs a recent Node.

Its stream has no token counts, its session file has them. The archived `kimi-cli` is another program.
"""

from __future__ import annotations

import json

from sharpen.clients.facts import Client, Hooks, Launch, Order, SkillFolders

KEY_VARIABLE = "KIMI_API_KEY"
PROVIDER_TYPES = {"chat": "openai", "responses": "openai_responses", "messages": "anthropic"}
OWN_SERVICE = "https://api.moonshot.ai/v1"


def _launch(order: Order) -> Launch:
    arguments = (f"--prompt={order.prompt}", "--output-format", "stream-json", *order.extra_arguments)
    return Launch(
        arguments,
        environment={"KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1"},
        files={".kimi-code/config.toml": _configuration(order)},
    )


def _configuration(order: Order) -> str:
    lines = [
        'default_model = "sharpen"',
        "telemetry = false",
        "[providers.sharpen]",
        f"type = {json.dumps(PROVIDER_TYPES[order.wire])}",
        f"base_url = {json.dumps(order.base_url or OWN_SERVICE)}",
        f"api_key_env = {json.dumps(KEY_VARIABLE)}",
        "[models.sharpen]",
        'provider = "sharpen"',
        f"model = {json.dumps(order.model)}",
        "max_context_size = 131072",
        'capabilities = ["tool_use"]',
        "[loop_control]",
        "max_attempts_per_step = 3",
    ]
    return "\n".join(lines) + "\n"


KIMI = Client(
    name="kimi",
    title="Kimi Code",
    binaries=("kimi",),
    install="npm install -g @moonshot-ai/kimi-code",
    package="@moonshot-ai/kimi-code",
    tested="2.1.0",
    minimum="2.1.0",
    verified=True,
    skills=SkillFolders(
        project=(".agents/skills", ".kimi-code/skills"), user=(".agents/skills", ".kimi-code/skills")
    ),
    key_variable=KEY_VARIABLE,
    wires=("chat", "messages", "responses"),
    launch=_launch,
    home=("KIMI_CODE_HOME", ".kimi-code"),
    hooks=Hooks(
        "toml",
        project=None,
        user=".kimi-code/config.toml",
        after=("PostToolUse", "PostToolUseFailure", "UserPromptSubmit"),
        compacted=("PostCompact",),
        trust="Kimi Code runs the hooks of its configuration without asking",
    ),
    node="22.19.0",
    session_files=".kimi-code/sessions/*/*/agents/main/wire.jsonl",
)
