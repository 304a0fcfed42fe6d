"""One tool call as every client tells it, in one shape: tool, command, output, exit code, paths, session.

Clients differ in where they put the output and whether they know the exit code. What a client does not say
stays None: a rule that asks for it then does not apply. Unknown fields and wrong types are passed over,
because a payload is another program's text.
"""

from __future__ import annotations

LONGEST = 20_000
"""Characters of output that are looked at, half from each end: errors stand at the ends."""
SHELL, EDIT, READ = "shell", "edit", "read"
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
_RESULTS = ("tool_response", "tool_output", "tool_result")
_FOR_THE_MODEL = ("llmContent", "text_result_for_llm")
"""Where Gemini CLI and Copilot put what the model reads, beside what people do."""
_PATHS = ("file_path", "path", "filePath", "notebook_path")
_PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
_EXIT_MARKS = ("Exit code ", "Exit Code: ", "exit code: ", "exited with code ", "exit code ")


class Event:
    """What happened. `output` is what the tool printed or complained; `exit_code` None when nobody says."""

    __slots__ = (
        "call", "client", "command", "cwd", "exit_code", "failed", "name", "output", "paths", "session",
        "tool", "tool_name", "transcript",
    )  # fmt: skip

    def __init__(self, client: str, payload: dict[str, object]) -> None:
        given = payload.get("tool_input")
        arguments = given if isinstance(given, dict) else {}
        self.client = client
        self.name = _text(payload, "hook_event_name")
        self.session = _text(payload, "session_id")
        self.call = _text(payload, "tool_use_id", "tool_call_id")
        self.cwd = _text(payload, "cwd")
        self.transcript = _text(payload, "transcript_path")
        self.tool_name = _text(payload, "tool_name")
        self.tool = TOOLS.get(self.tool_name, self.tool_name)
        self.command = _text(arguments, "command", "cmd")
        self.paths = tuple(_text(arguments, name) for name in _PATHS if _text(arguments, name))
        self.paths += tuple(_patched(self.command or _text(arguments, "input", "patchText")))
        complaint = _words(payload.get("error"))
        said = complaint or next((_words(payload[name]) for name in _RESULTS if name in payload), "")
        self.output = said if len(said) <= LONGEST else said[: LONGEST // 2] + "\n" + said[-LONGEST // 2 :]
        self.failed = self.name == "PostToolUseFailure" or bool(complaint)
        self.exit_code = _exit_code(payload, self)
        if self.exit_code:
            self.failed = True


def _text(values: dict[str, object], *names: str) -> str:
    """The first of these that is a text; empty when none is."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str):
            return value
    return ""


def _words(value: object) -> str:
    """The text in a tool's answer: itself, or what its parts say, in their order."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        told = next((value[name] for name in _FOR_THE_MODEL if name in value), value)
        parts = list(told.values()) if isinstance(told, dict) else [told]
    else:
        parts = value if isinstance(value, list) else []
    return "\n".join(said for said in (_words(part) for part in parts) if said)


def _patched(text: str) -> list[str]:
    """The files a patch in Codex's format touches."""
    lines = text.split("\n") if "*** " in text else []
    return [line[len(mark) :].strip() for line in lines for mark in _PATCH_LINES if line.startswith(mark)]


def _exit_code(payload: dict[str, object], event: Event) -> int | None:
    told = payload.get("exit_code")
    if isinstance(told, int):
        return told
    if event.tool != SHELL:
        return None
    if event.client in ("codex", "opencode"):
        return None  # Codex never says, `rollout.py` knows where it stands; OpenCode says it or knows none
    if event.client in ("gemini", "copilot") or event.failed:
        found = _number_after_mark(event.output)
        if found is not None or event.failed:
            return found
    return 0


def _number_after_mark(output: str) -> int | None:
    """The exit code where clients write it: in the first line or among the last."""
    lines = output.split("\n")
    for line in (lines[0], *reversed(lines[-4:])):
        for mark in _EXIT_MARKS:
            _, there, rest = line.partition(mark)
            digits = rest.strip().rstrip(".>").split(" ")[0] if there else ""
            if digits.lstrip("-").isdigit():
                return int(digits)
    return None
