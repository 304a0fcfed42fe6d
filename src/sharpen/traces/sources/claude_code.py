"""Claude Code's project files: one JSON line per message part, sub-agents and spilled outputs beside them.

Lines that share a message id are one answer, its usage counted once. Sub-agents have files of their own
below `<session>/subagents/`, or in older versions lines marked `isSidechain` between the others. An output
too long for the line lies in `<session>/tool-results/`. A fork begins with a copy of its base, whose lines
are older than the file. What a user types while the agent works, and what ends in the background, comes as an
attachment. The format is internal to the client: what is unknown is passed over.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.sources.spilled import file_name, spilled
from sharpen.traces.streams.claude_code import SYNTHETIC, counts, exit_code
from sharpen.traces.telling import About, Ending, Sink, State, Telling

_SAVED_TO = re.compile(r"saved to:?\s+(\S+)", re.IGNORECASE)
_SPILLED_IN = re.compile(r"[\\/]([\w-]+)[\\/]tool-results[\\/][^\\/]+$")
_TASK = "<task-notification>"
_TASK_CALL = re.compile(r"<tool-use-id>([^<]*)</tool-use-id>")
_TASK_END = re.compile(r"<summary>[^<]*exit code (-?\d{1,6})")
_TASK_FAILED = ("<status>failed", "<status>killed")
_INJECTED = ("<system-reminder>", "<local-command-", "<command-name>", "<command-message>", "Caveat: ")
_INTERRUPTED = "[Request interrupted by user"


def tell(events: Events, sink: Sink, path: Path) -> None:
    """One file is one session and, in older versions, the sub-agents it started."""
    agents: dict[str, _Agent] = {}
    listed: tuple[str, ...] | None = None
    began = ""
    for event in events:
        kind = event.text("type")
        began = began or event.text("timestamp")
        if kind == "attachment":
            kind = event.text("attachment", "type")
            if kind == "skill_listing":
                listed = tuple(n for item in event.items("attachment", "names") if (n := item.text()))
        if kind in ("assistant", "user", "system", "summary", "queued_command"):
            side = event.text("agentId") if event.flag("isSidechain") else ""
            agent = agents.get(side)
            if agent is None:
                agent = agents[side] = _Agent(sink, path, event, side=side, began=began)
            agent.line(kind, event)
    for agent in agents.values():
        agent.close(listed)


class _Agent:
    """The main agent of a file, or one of its sub-agents."""

    def __init__(self, sink: Sink, path: Path, first: Loose, *, side: str, began: str) -> None:
        session = first.text("sessionId") or path.stem
        own_file = path.parent.name == "subagents"
        name = path.stem if own_file else session
        base = first.text("forkedFrom", "sessionId")
        is_inner = bool(side) or own_file
        self._folder = path.parent.parent if own_file else path.with_suffix("")
        self._telling = Telling(
            sink,
            About(
                "claude-code",
                f"{session}/{side or name}" if is_inner else session,
                version=first.text("version"),
                project=first.text("cwd"),
                started=began if not side else first.text("timestamp"),
                parent=session if is_inner else base,
                relation="sub-agent" if is_inner else "fork" if base else "",
            ),
        )
        self._began, self._is_beginning = began, True
        self._answer = ""
        self._shells: dict[str, str] = {}
        self._background: dict[str, str] = {}
        self._state: State = "unknown"
        self._errors: list[str] = []
        self._model = ""

    def line(self, kind: str, event: Loose) -> None:
        time = event.text("timestamp")
        if self._is_beginning and kind in ("assistant", "user"):
            self._is_beginning = bool(event.at("forkedFrom")) or "" < time < self._began
            self._telling.copied = self._is_beginning
        if kind == "assistant":
            self._assistant(event, time)
        elif kind == "user":
            self._user(event, time)
        elif kind == "queued_command":
            self._queued(event.at("attachment"), time)
        elif event.text("subtype") == "compact_boundary" or kind == "summary":
            words = event.text("content") or event.text("summary") or "The conversation was compacted."
            self._telling.system(words, time=time, extra={"compaction": True})
        elif event.text("subtype") == "api_error":
            self._state = "failed"
            self._errors.append(event.text("content") or event.text("error", "message") or "API error")

    def close(self, listed: tuple[str, ...] | None) -> None:
        self._telling.end(
            Ending(self._state, None, self._telling.spent, tuple(self._errors), self._model, listed)
        )

    def _assistant(self, event: Loose, time: str) -> None:
        message = event.at("message")
        if message.text("model") == SYNTHETIC:
            if event.flag("isApiErrorMessage"):
                self._state = "failed"
                self._errors.append(text_of(message.at("content")))
            return
        name = message.text("id")
        is_new = not name or name != self._answer
        if is_new:
            self._telling.turn()
        for block in message.items("content"):
            self._block(block, time)
        if is_new:  # every part of an answer repeats what the whole of it cost
            self._answer, self._model = name, message.text("model") or self._model
            self._telling.describe(model=self._model, effort=event.text("effort"))
            if counted := counts(message.at("usage")):
                self._telling.measure(*counted)
        reason = message.text("stop_reason")
        if reason:
            self._state = "completed" if reason == "end_turn" else "unknown"

    def _block(self, block: Loose, time: str) -> None:
        match block.text("type"):
            case "text":
                self._telling.say(block.text("text"), time=time)
            case "thinking":
                self._telling.think(block.text("thinking"), time=time)
            case "tool_use" | "server_tool_use":
                name, tool = block.text("id"), block.text("name")
                self._telling.call(name, tool, arguments_of(block.at("input")), time=time)
                if tool == "Bash":
                    self._shells[name] = block.text("input", "command")

    def _user(self, event: Loose, time: str) -> None:
        content = event.at("message", "content")
        words: list[str] = []
        for block in content.items():
            if block.text("type") == "tool_result":
                self._result(block, event, time)
            elif said := block.text("text"):
                words.append(said)
        text = content.text() or "\n".join(words)
        if not text:
            return
        if text.startswith(_TASK):
            self._ended(text, time)
            return
        self._telling.turn()
        if text.startswith(_INTERRUPTED):
            self._state = "stopped"
            self._telling.system(text, time=time)
        elif event.flag("isMeta") or text.startswith(_INJECTED):
            self._telling.system(text, time=time, extra={"context": True})
        elif event.flag("isCompactSummary"):
            self._telling.system(text, time=time, extra={"compaction": True})
        else:
            self._state = "unknown"
            self._telling.user(text, time=time)

    def _queued(self, queued: Loose, time: str) -> None:
        """What came in while the agent was at work."""
        text = text_of(queued.at("prompt"))
        if text.startswith(_TASK):
            self._ended(text, time)
        elif queued.text("commandMode") == "prompt":
            self._telling.user(text, time=time)
        else:
            self._telling.system(text, time=time, extra={"context": True})

    def _ended(self, text: str, time: str) -> None:
        """A command or an agent in the background came to its end: a result without a call of its own."""
        call, end = _TASK_CALL.search(text), _TASK_END.search(text)
        command = self._background.pop(call[1], "") if call else ""
        failed = any(status in text for status in _TASK_FAILED)
        extra = {"command": command} if command else None
        self._telling.result(
            "", text, exit_code=int(end[1]) if end else None, failed=failed, time=time, extra=extra
        )

    def _result(self, block: Loose, event: Loose, time: str) -> None:
        name, failed = block.text("tool_use_id"), block.flag("is_error")
        told = event.at("toolUseResult")
        text = self._whole(text_of(block.at("content")), told)
        command = self._shells.pop(name, None)
        code = told.code("exitCode")
        if told.text("backgroundTaskId"):
            self._background[name] = command or ""
        elif code is None:
            code = exit_code(command is not None, text, failed)
        if told.flag("interrupted"):
            failed = True
        self._telling.result(name, text, exit_code=code, failed=failed or bool(code), time=time)

    def _whole(self, text: str, told: Loose) -> str:
        """The output itself where the line only says in which file it lies."""
        place = told.text("persistedOutputPath")
        if not place and "saved to" in text[:1000] and (found := _SAVED_TO.search(text[:1000])):
            place = found[1]
        if not place:
            return text
        # The file lies beside this session, or beside the one of which this is a fork.
        name, folder = file_name(place), self._folder
        base = _SPILLED_IN.search(place)
        others = (folder.parent / base[1] / "tool-results" / name,) if base else ()
        return spilled(folder / "tool-results" / name, *others) or text


def _fits(first: Loose) -> bool:
    own = ("queue-operation", "summary", "file-history-snapshot", "last-prompt", "atis-latch")
    kind = first.text("type")
    return (kind in own or (kind in ("user", "assistant", "attachment", "system"))) and bool(
        first.at("sessionId") or first.at("leafUuid") or first.at("messageId")
    )


CLAUDE_CODE = Format(
    "claude-code",
    tell,
    _fits,
    places=(
        Place("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl"),
        Place("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*/subagents/agent-*.jsonl"),
    ),
)
