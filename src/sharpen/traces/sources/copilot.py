"""Copilot CLI's session files: events with their facts under `data`, exit codes and token counts included.

What a sub-agent does stands between the other events under its own `agentId`; it is told as a session of its
own. What an answer cost is told before the answer. A command in the background is asked for its end with
another tool, whose result names the shell and the code.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, State, Telling

_OWN = ("session.", "user.message", "assistant.", "tool.execution", "system.message")
_STARTED = re.compile(r"<command started in background with shellId: (\S+)>\s*\Z")
_ENDED = re.compile(r"<shellId: (\S+) completed with exit code (-?\d{1,6})>\s*\Z")


def tell(events: Events, sink: Sink, path: Path) -> None:
    reader = _Log(sink, path)
    for event in events:
        reader.event(event)
    reader.close()


class _Log:
    """A session and the sub-agents in it."""

    def __init__(self, sink: Sink, path: Path) -> None:
        self._sink = sink
        self._about = About("copilot", path.parent.name or path.stem)
        self._agents: dict[str, _Agent] = {}
        self._listed: tuple[str, ...] | None = None

    def event(self, event: Loose) -> None:
        kind, data, time = event.text("type"), event.at("data"), event.text("timestamp")
        if kind in ("session.start", "session.resume") and not self._agents:
            self._about = About(
                "copilot",
                data.text("sessionId") or self._about.session_id,
                version=data.text("copilotVersion"),
                model=data.text("selectedModel"),
                project=data.text("context", "cwd"),
                started=data.text("startTime") or time,
            )
        elif kind == "session.skills_loaded":
            self._listed = tuple(n for skill in data.items("skills") if (n := skill.text("name")))
        elif kind.startswith(_OWN) or kind == "abort":
            self._agent(event.text("agentId"), time).event(kind, data, time)

    def close(self) -> None:
        for agent in self._agents.values():
            agent.close(self._listed)

    def _agent(self, name: str, time: str) -> _Agent:
        if name not in self._agents:
            about, session = self._about, self._about.session_id
            if name:
                about = replace(
                    about, session_id=f"{session}/{name}", started=time, parent=session, relation="sub-agent"
                )
            self._agents[name] = _Agent(Telling(self._sink, about))
        return self._agents[name]


class _Agent:
    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        self._pending: tuple[int, int, int] | None = None
        """What the next answer cost: the record of it comes first."""
        self._commands: dict[str, str] = {}
        self._shells: dict[str, str] = {}
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []

    def event(self, kind: str, data: Loose, time: str) -> None:
        match kind:
            case "user.message":
                self._telling.turn()
                self._state = "unknown"
                self._telling.user(data.text("content"), time=time)
            case "system.message":
                self._telling.system(data.text("content"), time=time, extra={"context": True})
            case "assistant.message":
                self._answer(data, time)
            case "tool.execution_complete":
                self._result(data, time)
            case "session.usage_record":
                self._measure(data.at("usage"))
            case "session.compaction_complete":
                words = data.text("summaryContent") or "The conversation was compacted."
                self._telling.system(words, time=time, extra={"compaction": True})
            case "session.error":
                self._state = "failed"
                self._errors.append(data.text("message") or "the session ended with an error")
            case "abort":
                self._state = "stopped"

    def close(self, listed: tuple[str, ...] | None) -> None:
        errors, spent = tuple(self._errors), self._telling.spent
        self._telling.end(Ending(self._state, None, spent, errors, self._model, listed))

    def _answer(self, data: Loose, time: str) -> None:
        telling, calls = self._telling, data.items("toolRequests")
        telling.turn()
        telling.think(data.text("reasoningText"), time=time)
        telling.say(data.text("content"), time=time)
        for call in calls:
            name, arguments = call.text("toolCallId"), arguments_of(call.at("arguments"))
            telling.call(name, call.text("name"), arguments, time=time)
            command = arguments.get("command") or self._shells.get(str(arguments.get("shellId")))
            if isinstance(command, str):
                self._commands[name] = command
        self._model = data.text("model") or self._model
        telling.describe(model=self._model)
        self._state = "unknown" if calls else "completed"
        if self._pending is not None:
            telling.measure(*self._pending)
            self._pending = None

    def _result(self, data: Loose, time: str) -> None:
        name = data.text("toolCallId")
        content = data.text("result", "content") or data.text("error", "message")
        command, extra = self._commands.pop(name, ""), {}
        code = data.code("shellExecution", "exitCode")
        if started := _STARTED.search(content[-200:]):
            self._shells[started[1]] = command
        elif code is None and (ended := _ENDED.search(content[-200:])) and ended[1] in self._shells:
            code, extra = int(ended[2]), {"command": self._shells.pop(ended[1])}
        failed = data.at("success").value is False or bool(code)
        self._telling.result(name, content, exit_code=code, failed=failed, time=time, extra=extra)

    def _measure(self, usage: Loose) -> None:
        if usage.whole("inputTokens") is None:
            return
        cached = usage.whole("cacheReadTokens") or 0
        self._pending = (usage.whole("inputTokens") or 0, usage.whole("outputTokens") or 0, cached)


COPILOT = Format(
    "copilot",
    tell,
    lambda first: first.text("type").startswith(_OWN) and bool(first.at("data")),
    places=(Place("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl"),),
)
