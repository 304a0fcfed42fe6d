"""The tools a model may call, and what comes back from calling one.

Every tool runs in the sandbox, in the attempt's work folder. What it printed is cut in the middle when it is
long; its exit code, and the limit that stopped it, are said in words. No wish of a model raises here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from sharpen.errors import SandboxError
from sharpen.models import ToolCall, ToolSpec
from sharpen.sandbox import Finished, Sandbox
from sharpen.types import Json

FILE_TOOLS = ("view", "edit", "search")


def _spec(
    name: str, description: str, required: Mapping[str, str], optional: Mapping[str, str] | None = None
) -> ToolSpec:
    """Parameters are strings, but for those whose description begins with `number`."""
    fields = {**required, **(optional or {})}
    properties = {
        key: {"type": "integer" if words.startswith("number") else "string", "description": words}
        for key, words in fields.items()
    }
    schema: Json = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, description, schema)


TOOLS = (
    _spec("bash", "Run a shell command in the work folder.", {"command": "the command"}),
    _spec("python", "Run a Python program in the work folder.", {"code": "the program"}),
    _spec(
        "view",
        "Show a file with line numbers, or list a folder.",
        {"path": "relative to the work folder"},
        {"first": "number of the first line", "last": "number of the last line"},
    ),
    _spec(
        "edit",
        "Replace a text that occurs once in a file; with an empty old text, make a new file.",
        {
            "path": "relative to the work folder",
            "old": "the text to replace",
            "new": "the text instead of it",
        },
    ),
    _spec(
        "search",
        "Find lines by regular expression.",
        {"pattern": "Python syntax"},
        {"path": "where; . if not given"},
    ),
)


@dataclass(frozen=True)
class Observation:
    """What a tool call came to."""

    text: str
    exit_code: int | None = None


class Toolbox:
    """Runs tool calls of one attempt."""

    def __init__(self, sandbox: Sandbox, folder: Path, *, shown: int) -> None:
        self._sandbox, self._folder, self._shown = sandbox, folder, shown

    async def use(self, call: ToolCall) -> Observation:
        spec = next((tool for tool in TOOLS if tool.name == call.name), None)
        if spec is None:
            return Observation(
                f"there is no tool {call.name!r}; there are {', '.join(t.name for t in TOOLS)}"
            )
        if call.error:
            return Observation(f"the arguments could not be read: {call.error}")
        wrong = _wrong(spec, call.arguments)
        if wrong:
            return Observation(wrong)
        argv, stdin = _command(call)
        try:
            finished = await self._sandbox.run(argv, folder=self._folder, stdin=stdin)
        except SandboxError as error:
            return Observation(f"could not be run: {error}")
        return Observation(self._told(finished), finished.exit_code)

    def _told(self, finished: Finished) -> str:
        text = (finished.stdout + finished.stderr).decode("utf-8", "replace")
        if len(text) > self._shown:
            half = self._shown // 2
            text = f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
        if finished.stopped_by:
            return f"{text}\n(stopped by the {finished.stopped_by} limit)".strip()
        if finished.exit_code:
            return f"{text}\n(exit code {finished.exit_code})".strip()
        return text.strip("\n") or "(no output)"


def _command(call: ToolCall) -> tuple[list[str], bytes]:
    if call.name == "bash":
        return ["bash", "-c", str(call.arguments["command"])], b""
    if call.name == "python":
        return ["python3", "-c", str(call.arguments["code"])], b""
    asked = json.dumps({"tool": call.name, "arguments": dict(call.arguments)})
    return ["python3", "-c", _file_tools()], asked.encode("utf-8", "surrogatepass")


def _file_tools() -> str:
    return files("sharpen.agents.tools").joinpath("files.py").read_text(encoding="utf-8")


def _wrong(spec: ToolSpec, arguments: Json) -> str:
    """What is wrong with the arguments, for the model to read; empty when nothing is."""
    properties = spec.parameters["properties"]
    missing = [name for name in spec.parameters["required"] if name not in arguments]
    if missing:
        return f"{spec.name} needs {', '.join(missing)}"
    unknown = [name for name in arguments if name not in properties]
    if unknown:
        return f"{spec.name} knows no {', '.join(unknown)}; it takes {', '.join(properties)}"
    kinds = {"string": str, "integer": int}
    odd = [
        name for name, value in arguments.items() if not isinstance(value, kinds[properties[name]["type"]])
    ]
    return f"{spec.name}: {', '.join(odd)} is of the wrong type" if odd else ""
