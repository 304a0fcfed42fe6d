"""Codex's outputs of tools: the frame of words around them, in which the exit code stands.

A shell's output has lines before it (`Process exited with code 3`, `Output:`), a script's has a part before
it, and older versions wrote an object. A command that has not ended has a number to ask for it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sharpen.traces.lines import Loose, parsed, text_of

_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,6})\s*$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,9})\s*$", re.MULTILINE)
_ABORTED = re.compile(r"(?:Wall time: \S+ seconds\s+)?aborted by user\s*")
_SCRIPT = re.compile(r"Script (completed|failed)\nWall time \S+ seconds\nOutput:\s*")
_HEAD = 2000  # characters of an output in which its exit code stands
_FRAME = ("Chunk ID:", "Wall time:", "Exit code:", "Process exited", "Command:")
_OUTPUT = "Output:\n"


@dataclass(frozen=True)
class Output:
    """What a tool said, out of the frame that the client put around it."""

    text: str
    code: int | None = None
    failed: bool = False
    runs_as: str = ""
    """The number under which a command that has not ended can be asked again."""


def unwrapped(output: Loose) -> Output:
    """What Codex wrote as a tool's output, in any of the frames it has used."""
    parts = output.items()
    if parts and (script := _SCRIPT.fullmatch(parts[0].text("text"))):
        said = "\n".join(text for part in parts[1:] if (text := part.text("text")))
        return Output(said, failed=script[1] == "failed")
    text = output.text() or text_of(output) or output.text("content")
    if text.startswith('{"output"'):
        inner = Loose(parsed(text))
        if inner.at("output").value is not None:
            return Output(inner.text("output"), inner.code("metadata", "exit_code"))
    if not text.startswith(_FRAME):
        return Output(text, failed=_ABORTED.fullmatch(text) is not None)
    head = text[:_HEAD]
    frame = head.find(_OUTPUT)
    found = _EXIT_CODE.search(head, 0, frame if frame >= 0 else len(head))
    running = _RUNNING.search(head, 0, max(frame, 0))
    if found is None and running is None:
        return Output(text, failed=_ABORTED.fullmatch(text) is not None)
    said = text[frame + len(_OUTPUT) :] if frame >= 0 else text
    return Output(said, int(found[1]) if found else None, runs_as=running[1] if running and not found else "")
