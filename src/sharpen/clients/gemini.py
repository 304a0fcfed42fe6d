"""Gemini CLI. Speaks Gemini's own protocol; its stream leaves exit codes out, its session file has them.

It has no mode between asking for every command and approving all of them, so a run approves all, in a home
that is thrown away.
"""

from __future__ import annotations

import json

from sharpen.clients.facts import Client, Hooks, Launch, Order, SkillFolders

SETTINGS = {
    "general": {"enableAutoUpdate": False, "maxAttempts": 3},
    "privacy": {"usageStatisticsEnabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "skills": {"enabled": True},
    "telemetry": {"enabled": False},
}


def _launch(order: Order) -> Launch:
    arguments = (
        "-m",
        order.model,
        "--approval-mode",
        "yolo",
        "--skip-trust",
        "--output-format",
        "stream-json",
    )
    return Launch(
        # "=" keeps a prompt that begins with a dash from being read as an option.
        (*arguments, *order.extra_arguments, f"--prompt={order.prompt}"),
        environment={"GOOGLE_GEMINI_BASE_URL": order.base_url} if order.base_url else {},
        files={".gemini/settings.json": json.dumps(SETTINGS, indent=2) + "\n"},
    )


GEMINI = Client(
    name="gemini",
    title="Gemini CLI",
    binaries=("gemini",),
    install="npm install -g @google/gemini-cli",
    package="@google/gemini-cli",
    tested="0.61.0",
    minimum="0.61.0",
    verified=True,
    skills=SkillFolders(
        project=(".agents/skills", ".gemini/skills"), user=(".agents/skills", ".gemini/skills")
    ),
    key_variable="GEMINI_API_KEY",
    wires=("gemini",),
    launch=_launch,
    home=("GEMINI_CLI_HOME", ""),
    hooks=Hooks(
        "settings",
        project=".gemini/settings.json",
        user=".gemini/settings.json",
        after=("AfterTool",),
        compacted=("PreCompress",),
        trust="a project's hooks run only in a trusted folder, and Gemini CLI warns when they are new",
        comments=True,
        timeout=5_000,
    ),
    node="20.0.0",
    session_files=".gemini/tmp/*/chats/session-*.jsonl",
    off_setting=(".gemini/settings.json", '{"skills": {"disabled": ["{name}"]}}'),
)
