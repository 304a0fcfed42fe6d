"""The lines of `gemini --output-format stream-json`, and what its session file adds.

The stream calls a command that ended with code 3 a success and shows its output only; the session file has
the text the model saw, with `Exit Code: N`, and one record per model call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.session import Recorder, Session, Spent
from sharpen.traces.trajectory import Result, Step

SHELL = "run_shell_command"
_NONE = "(none)"
_OUTPUT = "Output: "
_WRAPPED = ("<untrusted_context>", "</untrusted_context>")
_CANCELLED = ("Command was automatically cancelled", "Command was cancelled by user")
_UNENDED = (*_CANCELLED, "Command moved to background")
_TAIL = 2000  # characters in which the lines stand that follow an output
_FRAME = re.compile(
    r"(?:\nExit Code: (?P<code>-?\d{1,10}|\(none\)))?(?:\nSignal: (?P<signal>\S+))?"
    r"(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?\s*\Z"
)


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    answered = False
    for event in events:
        match event.text("type"):
            case "init":
                model, name = event.text("model"), event.text("session_id")
                session = replace(session, model=model, session_id=name)
            case "message" if event.text("role") == "assistant":
                _new_turn(recorder, answered)
                answered = False
                recorder.say(event.text("content"), joined=event.at("delta").value is True)
            case "tool_use":
                _new_turn(recorder, answered)
                answered = False
                recorder.call(
                    event.text("tool_id"), event.text("tool_name"), arguments_of(event.at("parameters"))
                )
            case "tool_result":
                answered = True
                failed = event.text("status") == "error"
                recorder.result(event.text("tool_id"), event.text("output"), exit_code=None, failed=failed)
            case "result":
                session = _closed(session, event)
    return recorder.told(session, events)


def complete(session: Session, events: Events) -> Session:
    """Exit codes and the number of model calls, from the session file."""
    codes: dict[str, int] = {}
    answers: set[str] = set()
    for event in events:
        if event.text("type") == "gemini":
            answers.add(event.text("id"))
            for call in event.items("toolCalls"):
                if (code := shell_end(call).code) is not None:
                    codes[call.text("id")] = code
    spent = session.spent and replace(session.spent, calls=len(answers) or None)
    return replace(session, spent=spent, steps=tuple(_with_codes(step, codes) for step in session.steps))


def _new_turn(recorder: Recorder, answered: bool) -> None:
    """A call or a message after a result is the model's next answer."""
    if answered:
        recorder.turn()


def _closed(session: Session, event: Loose) -> Session:
    session = replace(session, finished=True, spent=_spent(event.at("stats")))
    if event.text("status") != "error":
        return session
    message = event.text("error", "message") or "the run ended with an error"
    if "TurnLimited" in event.text("error", "type"):
        return replace(session, limit=message)
    return replace(session, errors=(message,))


def _spent(stats: Loose) -> Spent | None:
    if stats.whole("input_tokens") is None:
        return None
    return Spent(
        prompt_tokens=stats.whole("input_tokens"),
        completion_tokens=stats.whole("output_tokens"),
        cached_tokens=stats.whole("cached") or 0,
    )


@dataclass(frozen=True)
class ShellEnd:
    """How a command ended, out of what the model was told; without a code nobody knows."""

    output: str = ""
    code: int | None = None
    failed: bool = False


def shell_end(call: Loose) -> ShellEnd:
    """The client names a code only where it is not 0; one that was killed or goes on has none."""
    if call.text("name") != SHELL or call.text("status") != "success":
        return ShellEnd()
    told = "\n".join(part.text("functionResponse", "response", "output") for part in call.items("result"))
    text = told.strip().removeprefix(_WRAPPED[0]).removesuffix(_WRAPPED[1]).strip()
    if not text or text.startswith(_UNENDED):
        return ShellEnd(text, failed=text.startswith(_CANCELLED))
    text = text.removeprefix(_OUTPUT)
    shown = call.text("resultDisplay")
    frame = _FRAME.search(text, len(shown) if text.startswith(shown) else max(len(text) - _TAIL, 0))
    code, signal = (frame["code"], frame["signal"]) if frame else (None, None)
    output = text[: frame.start()] if frame else text
    if signal and signal != _NONE:
        return ShellEnd(output, failed=True)
    return ShellEnd(
        output, int(code) if code and code != _NONE else 0, bool(code and code not in ("0", _NONE))
    )


def _with_codes(step: Step, codes: dict[str, int]) -> Step:
    return replace(step, results=tuple(_with_code(result, codes) for result in step.results))


def _with_code(result: Result, codes: dict[str, int]) -> Result:
    code = codes.get(result.source_call_id or "")
    return result if code is None else replace(result, extra={**result.extra, "exit_code": code})
