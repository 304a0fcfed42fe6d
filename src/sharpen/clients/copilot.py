"""GitHub Copilot CLI, pointed at a provider of one's own; without a base URL it signs in to GitHub.

With a base URL it runs in its offline mode, in which it talks to that provider and to nothing else. Token
counts are in its session file, not in its stream.
"""

from __future__ import annotations

from sharpen.clients.facts import Client, Hooks, Launch, Order, SkillFolders

KEY_VARIABLE = "COPILOT_PROVIDER_API_KEY"


def _launch(order: Order) -> Launch:
    allow = ("--allow-all-tools",) if order.permission == "least" else ("--allow-all",)
    arguments = ("--model", order.model, *allow, "--no-ask-user", "--no-auto-update")
    return Launch(
        (*arguments, "--output-format", "json", *order.extra_arguments, f"--prompt={order.prompt}"),
        environment={"COPILOT_AUTO_UPDATE": "false", **_provider(order)},
    )


def _provider(order: Order) -> dict[str, str]:
    if order.base_url is None:
        return {}
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": order.base_url,
        "COPILOT_PROVIDER_TYPE": "anthropic" if order.wire == "messages" else "openai",
        "COPILOT_PROVIDER_WIRE_API": "responses" if order.wire == "responses" else "completions",
    }


COPILOT = Client(
    name="copilot",
    title="GitHub Copilot CLI",
    binaries=("copilot",),
    install="npm install -g @github/copilot",
    package="@github/copilot",
    tested="1.0.102",
    minimum="1.0.100",
    verified=True,
    skills=SkillFolders(
        project=(".agents/skills", ".github/skills", ".claude/skills"),
        user=(".agents/skills", ".copilot/skills"),
    ),
    key_variable=KEY_VARIABLE,
    wires=("chat", "responses", "messages"),
    launch=_launch,
    home=("COPILOT_HOME", ".copilot"),
    hooks=Hooks(
        "file",
        project=".github/hooks/sharpen.json",
        user=".copilot/hooks/sharpen.json",
        after=("PostToolUse", "PostToolUseFailure"),
        compacted=("PreCompact",),
        trust="hooks of the home run without asking, those of a project once the folder is trusted",
    ),
    node="22.0.0",
    session_files=".copilot/session-state/*/events.jsonl",
)
