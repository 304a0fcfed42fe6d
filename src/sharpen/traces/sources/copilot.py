"""Copilot CLI's session files: events with their facts under `data`, exit codes and token counts included."""

from __future__ import annotations

from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, State, Telling

_OWN = ("session.", "user.message", "assistant.", "tool.execution", "system.message")


def tell(events: Events, sink: Sink, path: Path) -> None:
    reader = _Log(sink, path)
    for event in events:
        reader.event(event.text("type"), event.at("data"), event.text("timestamp"))
    reader.close()


class _Log:
    def __init__(self, sink: Sink, path: Path) -> None:
        self._sink, self._path = sink, path
        self._telling: Telling | None = None
        self._pending: tuple[int, int, int] | None = (
            None  # what the next answer cost: the record of it comes first
        )
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []
        self._listed: tuple[str, ...] | None = None

    @property
    def telling(self) -> Telling:
        return self._telling or self._begin(Loose(None), "")

    def _begin(self, data: Loose, time: str) -> Telling:
        if self._telling is None:
            about = About(
                "copilot",
                data.text("sessionId") or self._path.parent.name or self._path.stem,
                version=data.text("copilotVersion"),
                model=data.text("selectedModel"),
                project=data.text("context", "cwd"),
                started=data.text("startTime") or time,
            )
            self._telling = Telling(self._sink, about)
        return self._telling

    def event(self, kind: str, data: Loose, time: str) -> None:
        match kind:
            case "session.start" | "session.resume":
                self._begin(data, time)
            case "session.skills_loaded":
                self._listed = tuple(n for skill in data.items("skills") if (n := skill.text("name")))
            case "user.message":
                self.telling.turn()
                self._state = "unknown"
                self.telling.user(data.text("content"), time=time)
            case "system.message":
                self.telling.system(data.text("content"), time=time, extra={"context": True})
            case "assistant.message":
                self._answer(data, time)
            case "tool.execution_complete":
                self._result(data, time)
            case "session.usage_record":
                self._measure(data.at("usage"))
            case "session.compaction_complete":
                words = data.text("summaryContent") or "The conversation was compacted."
                self.telling.system(words, time=time, extra={"compaction": True})
            case "session.error":
                self._state = "failed"
                self._errors.append(data.text("message") or "the session ended with an error")
            case "abort":
                self._state = "stopped"

    def close(self) -> None:
        if self._telling is not None:
            errors = tuple(self._errors[-5:])
            self._telling.end(
                Ending(self._state, None, self._telling.spent, errors, self._model, self._listed)
            )

    def _answer(self, data: Loose, time: str) -> None:
        telling, calls = self.telling, data.items("toolRequests")
        telling.turn()
        telling.think(data.text("reasoningText"), time=time)
        telling.say(data.text("content"), time=time)
        for call in calls:
            telling.call(
                call.text("toolCallId"), call.text("name"), arguments_of(call.at("arguments")), time=time
            )
        self._model = data.text("model") or self._model
        telling.describe(model=self._model)
        self._state = "unknown" if calls else "completed"
        if self._pending is not None:
            telling.measure(*self._pending)
            self._pending = None

    def _result(self, data: Loose, time: str) -> None:
        content = data.text("result", "content") or data.text("error", "message")
        code = data.code("shellExecution", "exitCode")
        failed = data.at("success").value is False or bool(code)
        self.telling.result(data.text("toolCallId"), content, exit_code=code, failed=failed, time=time)

    def _measure(self, usage: Loose) -> None:
        if usage.whole("inputTokens") is None:
            return
        cached = usage.whole("cacheReadTokens") or 0
        self._pending = (usage.whole("inputTokens") or 0, usage.whole("outputTokens") or 0, cached)


COPILOT = Format(
    "copilot",
    "Copilot CLI sessions",
    tell,
    lambda first: first.text("type").startswith(_OWN) and bool(first.at("data")),
    places=(Place("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl"),),
)
