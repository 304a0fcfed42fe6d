"""How a tool call ended, in the words of each client: what came out, the exit code, whether it failed.

Every client frames a command's output in its own way, and some say the exit code only there. A frame is taken
off where the client puts it and nowhere else: a command that prints "Exit Code: 7" has not failed. A command
that goes on in the background, or that was interrupted, has no exit code.
"""

from __future__ import annotations

SHELL, EDIT, READ = "shell", "edit", "read"
"""The tools that rules speak of."""
_RESULTS = ("tool_response", "tool_output", "tool_result")
_FOR_THE_MODEL = ("llmContent", "text_result_for_llm")
"""Where Gemini CLI and Copilot put what the model reads, beside what people do."""
_OF_THE_FILE = ("content", "newString", "oldString", "originalFile", "structuredPatch")
"""What Claude Code repeats of an edited file: the file's words, not the tool's."""
_UNFINISHED = ("backgroundTaskId", "returnCodeInterpretation", "timedOutAfterMs")
"""Claude Code: the command runs on, or its exit code is not zero but no failure either, such as grep's 1."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Outcome:
    """What a tool said, with the exit code and the verdict where they are known."""

    __slots__ = ("exit_code", "failed", "output")

    def __init__(self, output: str, exit_code: int | None = None, failed: bool | None = None) -> None:
        self.output = output
        self.exit_code = exit_code
        self.failed = bool(exit_code) if failed is None and exit_code is not None else failed


def outcome_of(client: str, event: str, tool: str, payload: dict[str, object]) -> Outcome:
    """The outcome as this client tells it."""
    result = next((payload[name] for name in _RESULTS if name in payload), "")
    complaint = _complaint(payload.get("error"))
    if payload.get("is_interrupt") is True:
        return Outcome(complaint or _words(result))
    if complaint or event == "PostToolUseFailure":
        return _complained(complaint or _words(result), tool)
    if tool == SHELL:
        return _SHELLS.get(client, _unknown)(result, payload)
    failed = _refused(result)
    return Outcome(_words(result, without=_OF_THE_FILE if tool == EDIT else ()), failed=failed)


def _complaint(error: object) -> str:
    """The words of an error; Kimi puts a code beside them."""
    return _words(error.get("message", error) if isinstance(error, dict) else error)


def _complained(text: str, tool: str) -> Outcome:
    """A failure: Claude Code says the exit code in the first line, Kimi in the last."""
    if tool != SHELL:
        return Outcome(text, failed=True)
    first, _, rest = text.partition("\n")
    code = _number(first, "Exit code ", "")
    if code is not None:
        return Outcome(rest, code, failed=True)
    before, _, last = text.rstrip("\n").rpartition("\n")
    code = _number(last, "Command failed with exit code: ", ".")
    if code is None:
        return Outcome(text, failed=True)
    return Outcome("" if before == f"Process exited with code {code}" else before, code, failed=True)


def _claude(result: object, payload: dict[str, object]) -> Outcome:
    facts = result if isinstance(result, dict) else {}
    open_end = facts.get("interrupted") is True or any(facts.get(name) for name in _UNFINISHED)
    parts = [facts[name] for name in ("stdout", "stderr") if facts.get(name)]
    return Outcome(_words(parts if "stdout" in facts else result), None if open_end else 0)


def _gemini(result: object, payload: dict[str, object]) -> Outcome:
    """Its text for the model ends with facts about the process; what people see is the output alone."""
    text = _words(result)
    shown = result.get("returnDisplay") if isinstance(result, dict) else None
    body = text.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>")
    if not body.startswith("Output: "):
        return Outcome(body)
    body = body.removeprefix("Output: ")
    if isinstance(shown, str) and body.startswith(shown):
        output, facts = shown, body[len(shown) :].split("\n")
    else:
        lines = body.split("\n")
        at = next((n for n in range(len(lines) - 1, -1, -1) if not _of_process(lines[n])), -1) + 1
        output, facts = "\n".join(lines[:at]), lines[at:]
    codes = [_number(line, "Exit Code: ", "") for line in facts]
    signals = [_number(line, "Signal: ", "") for line in facts]
    ended = [code for code in codes if code is not None]
    killed = [128 + number for number in signals if number is not None]
    return Outcome("" if output == "(empty)" else output, (ended + killed + [0])[0])


def _of_process(line: str) -> bool:
    return line.startswith(
        ("Exit Code: ", "Signal: ", "Error: ", "Background PIDs: ", "Process Group PGID: ")
    )


def _copilot(result: object, payload: dict[str, object]) -> Outcome:
    """The last line says how the command ended, if it has."""
    text = _words(result).rstrip("\n")
    before, _, last = text.rpartition("\n")
    _, ended, rest = last.partition(" completed with exit code ")
    code = _number(rest, "", ">") if ended and last.startswith("<") else None
    return Outcome(text, failed=_refused(result) or None) if code is None else Outcome(before, code)


def _opencode(result: object, payload: dict[str, object]) -> Outcome:
    """The plugin passes the exit code on; a command that OpenCode ended for taking too long has none."""
    code = payload.get("exit_code")
    text, _, note = _words(result).partition("\n\n<shell_metadata>\n")
    ended = True if note.startswith("shell tool terminated command") else None
    return Outcome("" if text == "(no output)" else text, code if type(code) is int else None, ended)


def _kimi(result: object, payload: dict[str, object]) -> Outcome:
    """A command that goes on in the background is told as a task."""
    text = _words(result)
    running = text.startswith("task_id: ") and "\nstatus: running\n" in text
    return Outcome(text, None if running else 0)


def _unknown(result: object, payload: dict[str, object]) -> Outcome:
    """Codex never says it here; `rollout.py` knows where it stands."""
    return Outcome(_words(result))


_SHELLS: dict[str, Callable[[object, dict[str, object]], Outcome]] = {
    "claude-code": _claude, "gemini": _gemini, "copilot": _copilot, "opencode": _opencode, "kimi": _kimi,
}  # fmt: skip


def _refused(result: object) -> bool:
    """Whether a tool's answer calls itself a failure."""
    if not isinstance(result, dict):
        return False
    return bool(result.get("error")) or result.get("result_type") in ("failure", "error", "denied")


def _words(value: object, without: tuple[str, ...] = ()) -> str:
    """The text in a tool's answer: itself, or what its parts say, in their order."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        told = next((value[name] for name in _FOR_THE_MODEL if name in value), value)
        parts = (
            [part for key, part in told.items() if key not in without] if isinstance(told, dict) else [told]
        )
    else:
        parts = value if isinstance(value, list) else []
    return "\n".join(said for said in (_words(part) for part in parts) if said)


def _number(line: str, before: str, after: str) -> int | None:
    """The number that is all there is between these words."""
    if not line.startswith(before):
        return None
    digits = line[len(before) :].removesuffix(after)
    plain = digits.removeprefix("-")
    return int(digits) if plain.isascii() and plain.isdigit() and len(plain) < 12 else None
