"""OpenCode's plugin, run by Node as OpenCode runs it: what it asks the command, and where the answer goes."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sharpen.install.shims import opencode_plugin

NODE = shutil.which("node")
COMMAND = """
import json, sys
from pathlib import Path
given = sys.stdin.read()
Path(sys.argv[1]).write_text(given)
if json.loads(given)["tool_name"] == "bash":
    print(json.dumps({"hookSpecificOutput": {"additionalContext": "A fact."}}))
"""
CALLS = """
import { Sharpen } from "./plugin.mjs"
const hooks = await Sharpen({ directory: "/w" })
const call = { tool: process.argv[2], sessionID: "s", callID: "c", args: { command: "make" } }
const output = { output: "boom", metadata: { exit: 3 } }
if (process.argv[3]) {
  await hooks["tool.execute.before"](call, { args: call.args })
  await new Promise((resolve) => setTimeout(resolve, Number(process.argv[3])))
}
await hooks["tool.execute.after"](call, output)
console.log(output.output)
"""


def called(folder: Path, *arguments: str) -> tuple[str, dict[str, object]]:
    """The tool's output as the model will read it, and what the command was given."""
    if NODE is None:
        pytest.skip("no Node here")
    (folder / "command.py").write_text(COMMAND)
    words = [sys.executable, str(folder / "command.py"), str(folder / "given.json")]
    (folder / "plugin.mjs").write_text(opencode_plugin(shlex.join(words)))
    (folder / "calls.mjs").write_text(CALLS)
    done = subprocess.run(
        [NODE, str(folder / "calls.mjs"), *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.removesuffix("\n"), json.loads((folder / "given.json").read_text())


def test_what_the_command_says_stands_below_the_tools_output(tmp_path):
    output, given = called(tmp_path, "bash")
    assert output == "boom\n\nA fact."
    assert given == {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_use_id": "c",
        "cwd": "/w",
        "tool_name": "bash",
        "tool_input": {"command": "make"},
        "tool_response": "boom",
        "exit_code": 3,
    }


def test_the_command_is_told_how_long_the_call_took(tmp_path):
    output, given = called(tmp_path, "read", "50")
    assert output == "boom"
    assert isinstance(given["duration_ms"], int)
    assert given["duration_ms"] > 0
