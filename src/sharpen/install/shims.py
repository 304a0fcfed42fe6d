"""Files that are ours from the first line to the last: Copilot's hook file and OpenCode's plugin."""

from __future__ import annotations

import json
from importlib.resources import files

from sharpen.clients import Hooks


def copilot_file(hooks: Hooks, command: str) -> str:
    """A hook file; event names with capitals make Copilot send Claude Code's payload."""
    entry = {"type": "command", "bash": command, "powershell": command, "timeoutSec": hooks.timeout}
    events = {event: [entry] for event in (*hooks.after, *hooks.compacted)}
    return json.dumps({"version": 1, "hooks": events}, indent=2) + "\n"


def opencode_plugin(command: str) -> str:
    """A plugin that starts the command and puts what it says below the tool's output."""
    template = files("sharpen.install").joinpath("opencode_plugin.js.txt").read_text(encoding="utf-8")
    return template.replace("COMMAND_AS_JSON", json.dumps(command))
