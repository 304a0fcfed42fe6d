"""Codex rollout files: `{timestamp, type, payload}` lines, in both history modes.

What the model saw and said is in the `response_item` lines of either mode; the `event_msg` lines repeat some
of it and add exit codes, token counts, rollbacks and the end of turns. A compaction is a notice in the
session: the steps it summed up stay. A fork either names its base or begins with a copy of it, which is
marked.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, parsed, text_of
from sharpen.traces.session import Spent
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, State, Telling
from sharpen.traces.trajectory import Metrics

_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,6})\s*$", re.MULTILINE)
COPYING = 1.0  # seconds that writing a fork's copy of its base may take
_HEAD = 2000  # characters of an output in which its exit code stands
_OUTPUT = "Output:\n"
_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<skills_instructions>",
    "# AGENTS.md",
    "<turn_aborted>",
    "<INSTRUCTIONS>",
)
_STATES: dict[str, State] = {
    "task_complete": "completed",
    "turn_complete": "completed",
    "turn_aborted": "stopped",
    "error": "failed",
    "stream_error": "failed",
}


def tell(events: Events, sink: Sink, path: Path) -> None:
    """One rollout file is one session."""
    reader = _Rollout(sink, path)
    for event in events:
        reader.line(event)
    reader.close()


class _Rollout:
    def __init__(self, sink: Sink, path: Path) -> None:
        self._sink, self._path = sink, path
        self._telling: Telling | None = None
        self._name = ""
        self._ending: State = "unknown"
        self._errors: list[str] = []
        self._total: Loose | None = None
        self._counts = 0
        self._model = self._effort = ""
        self._began: datetime | None = None

    def line(self, event: Loose) -> None:
        payload, kind = event.at("payload"), event.text("type")
        if self._telling is not None and self._telling.copied:
            self._telling.copied = not self._is_live(event, payload)
        if kind == "session_meta":
            self._meta(payload, event.text("timestamp"))
        elif kind == "response_item":
            self._item(payload, event.text("timestamp"))
        elif kind == "event_msg":
            self._notice(payload, event.text("timestamp"))
        elif kind == "turn_context":
            self._model, self._effort = payload.text("model") or self._model, payload.text("effort")
        elif kind == "compacted":
            self.telling.turn()
            summary = payload.text("message") or "The conversation so far was replaced by a summary."
            self.telling.system(summary, time=event.text("timestamp"), extra={"compaction": True})

    def close(self) -> None:
        if self._telling is not None:
            spent = Spent(*_tokens(self._total), calls=self._counts) if self._total else None
            errors = tuple(self._errors[-5:])
            self._telling.end(Ending(self._ending, None, spent, errors, self._model))

    @property
    def telling(self) -> Telling:
        """A file whose first line is lost is told under its own name."""
        if self._telling is None:
            self._telling = Telling(self._sink, About("codex", self._path.name.split(".")[0]))
        return self._telling

    def _meta(self, meta: Loose, time: str) -> None:
        name = meta.text("id") or meta.text("session_id")
        if self._telling is not None:
            # A fork of the legacy mode repeats its base's lines, header and all, after its own header.
            self._telling.copied = self._telling.copied or (bool(self._name) and name != self._name)
            return
        self._name, self._began = name, _moment(time)
        base = meta.text("history_base", "thread_id") or meta.text("forked_from_id")
        parent = meta.text("parent_thread_id")
        self._telling = Telling(
            self._sink,
            About(
                "codex",
                name or self._path.name.split(".")[0],
                version=meta.text("cli_version"),
                project=meta.text("cwd"),
                started=meta.text("timestamp") or time,
                parent=parent or base,
                relation="sub-agent" if parent else "fork" if base else "",
            ),
        )

    def _is_live(self, event: Loose, payload: Loose) -> bool:
        """A copy is written in one go; the first turn that began later, or a later line, ends it."""
        started = payload.amount("started_at") if payload.text("type") == "task_started" else None
        if self._began is None:
            return False
        if started is not None:
            return started >= int(self._began.timestamp())
        moment = _moment(event.text("timestamp"))
        return moment is not None and (moment - self._began).total_seconds() > COPYING

    # -- what the model saw and said ---------------------------------------------------------------------

    def _item(self, item: Loose, time: str) -> None:
        match item.text("type"):
            case "message":
                self._message(item, time)
            case "reasoning":
                said = [*item.items("summary"), *item.items("content")]
                self.telling.think("\n".join(t for part in said if (t := part.text("text"))), time=time)
            case "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call":
                self._call(item, time)
            case "function_call_output" | "custom_tool_call_output" | "tool_search_output":
                self._output(item, time)
            case "web_search_call":
                telling, name = self.telling, item.text("id")
                telling.call(name, "web_search", item.mapping("action"), time=time)
                if name:
                    telling.result(name, None)

    def _message(self, item: Loose, time: str) -> None:
        role, text = item.text("role"), text_of(item.at("content"))
        if role == "assistant":
            self.telling.say(text, time=time)
            self.telling.describe(model=self._model, effort=self._effort)
            return
        self.telling.turn()
        kinds = item.items("internal_chat_message_metadata_passthrough", "content_item_kinds")
        typed = any(kind.value == "user.text" for kind in kinds) if kinds else not _is_context(text)
        if role == "user" and typed:
            self.telling.user(text, time=time)
        else:
            self.telling.system(text, time=time, extra={"context": True})

    def _call(self, item: Loose, time: str) -> None:
        name = item.text("call_id") or item.text("id")
        arguments = item.at("arguments") or item.at("input") or item.at("action")
        telling = self.telling
        telling.call(name, item.text("name") or item.text("type"), arguments_of(arguments), time=time)
        telling.describe(model=self._model, effort=self._effort)

    def _output(self, item: Loose, time: str) -> None:
        content, code = _unwrapped(item.at("output"))
        self.telling.result(item.text("call_id"), content, exit_code=code, failed=bool(code), time=time)
        self.telling.turn()

    # -- what the client noted ---------------------------------------------------------------------------

    def _notice(self, notice: Loose, time: str) -> None:
        kind = notice.text("type")
        if kind == "token_count":
            self._count(notice.at("info"))
        elif kind == "thread_rolled_back":
            self.telling.rewind_turns(notice.whole("num_turns") or 0)
        elif kind == "item_completed" and notice.text("item", "type") == "CommandExecution":
            code = notice.code("item", "exit_code")
            if code is not None:
                self._codes(notice.text("item", "id"), code)
        elif kind == "exec_command_end":
            code = notice.code("exit_code")
            if code is not None:
                self._codes(notice.text("call_id"), code)
        elif kind in _STATES:
            self.telling.turn()
            self._ending = _STATES[kind]
            if self._ending == "failed" and (message := notice.text("message")):
                self._errors.append(message)
        elif kind in ("task_started", "turn_started"):
            self._ending = "unknown"

    def _codes(self, name: str, code: int) -> None:
        """The line comes before the output it belongs to, or after it."""
        self.telling.learn(name, {"exit_code": code, **({"failed": True} if code else {})})

    def _count(self, info: Loose) -> None:
        if info.whole("total_token_usage", "input_tokens") is not None:
            self._total = info.at("total_token_usage")
            self._counts += 1
        if info.whole("last_token_usage", "input_tokens") is not None:
            self.telling.price(Metrics(*_tokens(info.at("last_token_usage"))))


def _moment(time: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _tokens(usage: Loose) -> tuple[int, int, int]:
    names = ("input_tokens", "output_tokens", "cached_input_tokens")
    prompt, completion, cached = (usage.whole(name) or 0 for name in names)
    return prompt, completion, cached


def _is_context(text: str) -> bool:
    return text.lstrip()[:40].startswith(_CONTEXT)


def _unwrapped(output: Loose) -> tuple[str, int | None]:
    """The command's own output and its exit code, out of the frame that the client put around it."""
    text = output.text() or text_of(output) or output.text("content")
    if text.startswith('{"output"'):
        inner = Loose(parsed(text))
        if inner.at("output").value is not None:
            return inner.text("output"), inner.code("metadata", "exit_code")
    head = text[:_HEAD]
    frame = head.find(_OUTPUT)
    found = _EXIT_CODE.search(head, 0, frame if frame >= 0 else len(head))
    if found is None:
        return text, None
    return (text[frame + len(_OUTPUT) :] if frame >= 0 else text), int(found[1])


def _fits(first: Loose) -> bool:
    return first.text("type") in ("session_meta", "response_item", "event_msg", "turn_context") and bool(
        first.at("payload")
    )


CODEX = Format(
    "codex",
    "Codex CLI sessions",
    tell,
    _fits,
    places=(
        Place("CODEX_HOME", ".codex", "sessions/*/*/*/rollout-*.jsonl*"),
        Place("CODEX_HOME", ".codex", "archived_sessions/rollout-*.jsonl*"),
    ),
)
