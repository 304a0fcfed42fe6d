"""The lines of `claude -p --output-format stream-json`: the API's own messages, framed by `init` and
`result`.

Lines that share a message id are one answer; lines of a sub-agent name the call that started it. A failing
command's result begins with `Exit code N`; one that went into the background has no code yet. The price is
the client's; where it says that it does not know the model's price, there is none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.session import Recorder, Session, Spent, total

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?\d{1,6})\b")
_BACKGROUND = re.compile(
    r"(?:^|\n)Command (?:running in background with ID|did not complete within .{1,40} moved to)"
)
SYNTHETIC = "<synthetic>"
"""The model name of messages the client makes up, such as the text of an API error."""


def read(events: Events, recorder: Recorder | None = None) -> Session:
    """The session that the lines tell."""
    recorder, session = recorder or Recorder(), Session()
    shells: set[str] = set()
    answers: set[str] = set()
    for event in events:
        recorder.inside(event.text("parent_tool_use_id"))
        match event.text("type"), event.text("subtype"):
            case "system", "init":
                session = _opened(session, event)
            case "assistant", _ if event.text("message", "model") != SYNTHETIC:
                _answer(recorder, event.at("message"), answers, shells)
            case "user", _:
                for block in event.items("message", "content"):
                    _result(recorder, block, shells)
            case "result", subtype:
                session = _closed(session, event, subtype, len(answers))
    return recorder.told(session, events)


def _opened(session: Session, event: Loose) -> Session:
    listed = tuple(name for item in event.items("skills") if (name := item.text()))
    return replace(
        session,
        model=event.text("model"),
        session_id=event.text("session_id"),
        skills_listed=listed if isinstance(event.at("skills").value, list) else None,
    )


def _answer(recorder: Recorder, message: Loose, answers: set[str], shells: set[str]) -> None:
    name = message.text("id")
    if name not in answers:
        answers.add(name)
        recorder.turn()
    for block in message.items("content"):
        match block.text("type"):
            case "text":
                recorder.say(block.text("text"))
            case "thinking":
                recorder.think(block.text("thinking"))
            case "tool_use":
                recorder.call(block.text("id"), block.text("name"), arguments_of(block.at("input")))
                if block.text("name") == "Bash":
                    shells.add(block.text("id"))


def _result(recorder: Recorder, block: Loose, shells: set[str]) -> None:
    if block.text("type") != "tool_result":
        return
    name, failed = block.text("tool_use_id"), block.at("is_error").value is True
    content = block.text("content") or "\n".join(part.text("text") for part in block.items("content"))
    recorder.result(name, content, exit_code=exit_code(name in shells, content, failed), failed=failed)


def exit_code(is_shell: bool, content: str, failed: bool) -> int | None:
    """The code in a failing command's own words; one that did not fail ended with 0."""
    if not is_shell:
        return None
    if not failed:
        # Most outputs do not hold the words at all, which is quicker to tell than that the pattern fails.
        return None if "Command " in content and _BACKGROUND.search(content) else 0
    found = _EXIT_CODE.match(content)
    return int(found[1]) if found else None


def _closed(session: Session, event: Loose, subtype: str, answers: int) -> Session:
    text = event.text("result")
    is_error = event.at("is_error").value is True
    session = replace(session, finished=True, spent=_spent(event, answers))
    if subtype in ("error_max_turns", "error_max_budget_usd"):
        return replace(session, limit=subtype.removeprefix("error_"))
    if is_error or subtype.startswith("error"):
        return replace(session, errors=(text or subtype or "the run ended with an error",))
    return replace(session, final=text)


def _spent(event: Loose, answers: int) -> Spent | None:
    by_model = total(map(_model_spent, event.values("modelUsage")))
    if by_model is not None:
        facts = {"reported_cost_usd": event.amount("total_cost_usd")}
        return replace(by_model, calls=answers, facts=facts)
    counted = counts(event.at("usage"))
    return Spent(*counted, answers, event.amount("total_cost_usd")) if counted else None


def counts(usage: Loose) -> tuple[int, int, int] | None:
    """Prompt, completion and cached tokens in the API's words; None where nobody counted."""
    fresh, cached = usage.whole("input_tokens"), usage.whole("cache_read_input_tokens") or 0
    if fresh is None:
        return None
    written = usage.whole("cache_creation_input_tokens") or 0
    return fresh + written + cached, usage.whole("output_tokens") or 0, cached


def _model_spent(usage: Loose) -> Spent:
    cached = usage.whole("cacheReadInputTokens") or 0
    fresh = (usage.whole("inputTokens") or 0) + (usage.whole("cacheCreationInputTokens") or 0)
    known = usage.text("costBasis") != "unknown"
    return Spent(
        prompt_tokens=fresh + cached,
        completion_tokens=usage.whole("outputTokens") or 0,
        cached_tokens=cached,
        usd=usage.amount("costUSD") if known else None,
    )
