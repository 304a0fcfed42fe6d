"""Claude Code's project files: one JSON line per message part, sub-agents and spilled outputs beside them.

Lines that share a message id are one answer, its usage counted once. Sub-agents have files of their own
below `<session>/subagents/`, or in older versions lines marked `isSidechain` between the others. An output
too long for the line lies in `<session>/tool-results/`. The format is internal to the client: what is
unknown is passed over.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.streams.claude_code import SYNTHETIC, exit_code
from sharpen.traces.telling import About, Ending, Sink, State, Telling

SPILLED = 16 * 2**20
"""Bytes of a spilled output that are read at most."""
_SAVED_TO = re.compile(r"saved to:?\s+(\S+)", re.IGNORECASE)
_INJECTED = ("<system-reminder>", "<local-command-", "<command-name>", "<command-message>", "Caveat: ")
_INTERRUPTED = "[Request interrupted by user"


def tell(events: Events, sink: Sink, path: Path) -> None:
    """One file is one session and, in older versions, the sub-agents it started."""
    agents: dict[str, _Agent] = {}
    listed: tuple[str, ...] | None = None
    for event in events:
        kind = event.text("type")
        if kind == "attachment":
            if event.text("attachment", "type") == "skill_listing":
                listed = tuple(n for item in event.items("attachment", "names") if (n := item.text()))
        elif kind in ("assistant", "user", "system", "summary"):
            side = event.text("agentId") if event.flag("isSidechain") else ""
            agent = agents.get(side)
            if agent is None:
                agent = agents[side] = _Agent(sink, path, event, side)
            agent.line(kind, event)
    for agent in agents.values():
        agent.close(listed)


class _Agent:
    """The main agent of a file, or one of its sub-agents."""

    def __init__(self, sink: Sink, path: Path, first: Loose, side: str) -> None:
        session = first.text("sessionId") or path.stem
        own_file = path.parent.name == "subagents"
        name = path.stem if own_file else session
        self._folder = path.parent.parent if own_file else path.with_suffix("")
        self._telling = Telling(
            sink,
            About(
                "claude-code",
                f"{session}/{side or name}" if side or own_file else session,
                version=first.text("version"),
                project=first.text("cwd"),
                started=first.text("timestamp"),
                parent=session if side or own_file else "",
                relation="sub-agent" if side or own_file else "",
            ),
        )
        self._answer = ""
        self._shells: set[str] = set()
        self._state: State = "unknown"
        self._errors: list[str] = []
        self._model = ""

    def line(self, kind: str, event: Loose) -> None:
        time = event.text("timestamp")
        if kind == "assistant":
            self._assistant(event, time)
        elif kind == "user":
            self._user(event, time)
        elif event.text("subtype") == "compact_boundary" or kind == "summary":
            words = event.text("content") or event.text("summary") or "The conversation was compacted."
            self._telling.system(words, time=time, extra={"compaction": True})
        elif event.text("subtype") == "api_error":
            self._state = "failed"
            self._errors.append(event.text("content") or event.text("error", "message") or "API error")

    def close(self, listed: tuple[str, ...] | None) -> None:
        self._telling.end(
            Ending(self._state, None, self._telling.spent, tuple(self._errors[-5:]), self._model, listed)
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
            self._measure(message.at("usage"))
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
                    self._shells.add(name)

    def _measure(self, usage: Loose) -> None:
        fresh = usage.whole("input_tokens")
        if fresh is None:
            return
        cached = usage.whole("cache_read_input_tokens") or 0
        prompt = fresh + cached + (usage.whole("cache_creation_input_tokens") or 0)
        self._telling.measure(prompt, usage.whole("output_tokens") or 0, cached)

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

    def _result(self, block: Loose, event: Loose, time: str) -> None:
        name, failed = block.text("tool_use_id"), block.flag("is_error")
        told = event.at("toolUseResult")
        text = self._whole(text_of(block.at("content")), told)
        code = told.code("exitCode")
        if code is None:
            code = exit_code(name in self._shells, text, failed)
        self._shells.discard(name)
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
        # Only the name is taken from the line: the file lies beside this session or it is not read.
        file = self._folder / "tool-results" / re.split(r"[\\/]", place)[-1]
        try:
            with file.open("rb") as spilled:
                return spilled.read(SPILLED).decode("utf-8", "replace")
        except (OSError, ValueError):
            return text


def _fits(first: Loose) -> bool:
    own = ("queue-operation", "summary", "file-history-snapshot", "last-prompt", "atis-latch")
    kind = first.text("type")
    return (kind in own or (kind in ("user", "assistant", "attachment", "system"))) and bool(
        first.at("sessionId") or first.at("leafUuid") or first.at("messageId")
    )


CLAUDE_CODE = Format(
    "claude-code",
    "Claude Code sessions",
    tell,
    _fits,
    places=(
        Place("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl"),
        Place("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*/subagents/agent-*.jsonl"),
    ),
)
