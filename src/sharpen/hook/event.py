"""One tool call as every client tells it, in one shape: tool, command, output, exit code, paths, session.

`output` is what the tool printed or complained, without what a client puts around it, so that one pattern
fits in every client; `outcome.py` knows those words. What a client does not say stays None: a rule that asks
for it then does not apply. Unknown fields and wrong types are passed over, because a payload is another
program's text.
"""

from __future__ import annotations

from sharpen.hook.outcome import EDIT, READ, SHELL, outcome_of

LONGEST = 20_000
"""Characters of output that are looked at, half from each end: errors stand at the ends."""
LONGEST_LINE = 2_000
"""Characters of one line, likewise: patterns were tried out on lines of this length, and on none longer."""
TOOLS = {
    **dict.fromkeys(("Bash", "bash", "Shell", "shell", "run_shell_command", "exec_command"), SHELL),
    **dict.fromkeys(("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "edit", "write"), EDIT),
    **dict.fromkeys(("replace", "write_file", "WriteFile", "StrReplaceFile", "patch", "create"), EDIT),
    **dict.fromkeys(("Read", "read", "read_file", "ReadFile", "view"), READ),
}
"""The clients' names for the tools that rules speak of; any other tool keeps its own name."""
AFTER_TOOL = ("PostToolUse", "PostToolUseFailure", "AfterTool")
COMPACTED = ("PreCompact", "PostCompact", "PreCompress")
PROMPTED = ("UserPromptSubmit",)
_PATHS = ("file_path", "path", "filePath", "notebook_path")
_PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


class Event:
    """What happened. `failed` and `exit_code` are None when nobody says; `seconds` is how long it took."""

    __slots__ = (
        "agent", "call", "client", "command", "cwd", "exit_code", "failed", "name", "output", "paths",
        "seconds", "session", "tool", "tool_name", "transcript", "trigger",
    )  # fmt: skip

    def __init__(self, client: str, payload: dict[str, object]) -> None:
        given = payload.get("tool_input")
        arguments = given if isinstance(given, dict) else {}
        self.client = client
        self.name = _text(payload, "hook_event_name")
        self.trigger = _text(payload, "trigger")
        self.session = _text(payload, "session_id")
        self.agent = _text(payload, "agent_id")
        self.call = _text(payload, "tool_use_id", "tool_call_id")
        self.cwd = _text(payload, "cwd")
        self.transcript = _text(payload, "transcript_path")
        self.tool_name = _text(payload, "tool_name")
        self.tool = TOOLS.get(self.tool_name, self.tool_name)
        command = _command(arguments)
        self.paths = tuple(_text(arguments, name) for name in _PATHS if _text(arguments, name))
        self.paths += tuple(_patched(command or _text(arguments, "input", "patchText")))
        self.command = _bounded(command)
        took = payload.get("duration_ms")
        self.seconds = took / 1000 if type(took) in (int, float) else 0.0  # type: ignore[operator]
        found = outcome_of(client, self.name, self.tool, payload)
        self.output = _bounded(found.output)
        self.exit_code = found.exit_code
        self.failed = found.failed


def _text(values: dict[str, object], *names: str) -> str:
    """The first of these that is a text; empty when none is."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str):
            return value
    return ""


def _command(arguments: dict[str, object]) -> str:
    """A command line, also where it is given word by word."""
    for name in ("command", "cmd"):
        words = arguments.get(name)
        if isinstance(words, list):
            return " ".join(word for word in words if isinstance(word, str))
    return _text(arguments, "command", "cmd")


def _bounded(text: str) -> str:
    """Head and tail of a long text, and of each long line in it."""
    text = _both_ends(text, LONGEST)
    if len(text) <= LONGEST_LINE:
        return text
    return "\n".join([_both_ends(line, LONGEST_LINE) for line in text.split("\n")])


def _both_ends(text: str, longest: int) -> str:
    """At most so many characters: the head and the tail, on lines of their own."""
    half = longest // 2
    return text if len(text) <= longest else text[: half - 1] + "\n" + text[-half:]


def _patched(text: str) -> list[str]:
    """The files a patch in Codex's format touches."""
    lines = text.split("\n") if "*** " in text else []
    return [line[len(mark) :].strip() for line in lines for mark in _PATCH_LINES if line.startswith(mark)]
