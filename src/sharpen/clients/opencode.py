"""OpenCode. Takes any OpenAI-compatible endpoint; without one, `provider/model` names a provider it knows.

Its separate request for a session title is switched off: it would be billed without appearing in the stream.
"""

from __future__ import annotations

import json

from sharpen.clients.facts import Client, Hooks, Launch, Order, SkillFolders

KEY_VARIABLE = "OPENAI_API_KEY"
PROVIDER = "sharpen"


def _launch(order: Order) -> Launch:
    model = order.model if order.base_url is None else f"{PROVIDER}/{order.model}"
    arguments = ("run", "--format", "json", "-m", model, *order.extra_arguments)
    return Launch(
        (*arguments, "--", order.prompt),
        environment={
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        },
        files={".config/opencode/opencode.json": json.dumps(_settings(order, model), indent=2) + "\n"},
    )


def _settings(order: Order, model: str) -> dict[str, object]:
    settings: dict[str, object] = {
        "autoupdate": False,
        "share": "disabled",
        "model": model,
        "small_model": model,
        "permission": {"*": "allow"},
        "agent": {"title": {"disable": True}},
    }
    if order.base_url is not None:
        options = {"baseURL": order.base_url, "apiKey": f"{{env:{KEY_VARIABLE}}}"}
        settings["provider"] = {
            PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "options": options,
                "models": {order.model: {"tool_call": True}},
            }
        }
    return settings


OPENCODE = Client(
    name="opencode",
    title="OpenCode",
    binaries=("opencode",),
    install="npm install -g opencode-ai",
    package="opencode-ai",
    tested="1.18.33",
    minimum="1.18.0",
    verified=True,
    skills=SkillFolders(
        project=(".agents/skills", ".opencode/skills", ".claude/skills"),
        user=(".agents/skills", ".config/opencode/skills", ".claude/skills"),
    ),
    key_variable=KEY_VARIABLE,
    wires=("chat",),
    launch=_launch,
    home=("XDG_CONFIG_HOME", ".config"),
    hooks=Hooks(
        "plugin",
        project=".opencode/plugins/sharpen.js",
        user=".config/opencode/plugins/sharpen.js",
        after=("tool.execute.after",),
        compacted=("session.compacted",),
        trust="OpenCode loads plugins of a project without asking",
    ),
    fetches=("rg", ".cache/opencode/bin"),
    fails_under=("landlock",),
    off_setting=("opencode.json", '{"permission": {"skill": {"{name}": "deny"}}}'),
)
