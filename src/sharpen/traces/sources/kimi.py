"""Kimi Code's wire files: every event of an agent's loop, one JSON line each.

The loop events tell steps, calls and results; what the client appends to the conversation itself is passed
over, except prompts of the user. Sub-agents have folders of their own beside `agents/main/`.
"""

from __future__ import annotations

from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.streams.kimi import SHELL, exit_code
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

MILLISECONDS = 1e-3
_ENDS: dict[str, State] = {
    "completed": "completed",
    "cancelled": "stopped",
    "interrupted": "stopped",
    "error": "failed",
    "failed": "failed",
}


def tell(events: Events, sink: Sink, path: Path) -> None:
    reader = _Wire(sink, path)
    for event in events:
        reader.event(event, from_epoch(event.amount("time"), unit=MILLISECONDS))
    reader.close()


class _Wire:
    def __init__(self, sink: Sink, path: Path) -> None:
        self._sink, self._path = sink, path
        self._telling: Telling | None = None
        self._project = self._model = self._started = ""
        self._shells: set[str] = set()
        self._state: State = "unknown"

    @property
    def telling(self) -> Telling:
        if self._telling is None:
            agent, folder = self._path.parent, self._path.parent.parent
            session = folder.parent.name if folder.name == "agents" else self._path.parent.name
            is_inner = folder.name == "agents" and agent.name != "main"
            about = About(
                "kimi",
                f"{session}/{agent.name}" if is_inner else session or self._path.stem,
                project=self._project,
                started=self._started,
                parent=session if is_inner else "",
                relation="sub-agent" if is_inner else "",
            )
            self._telling = Telling(self._sink, about)
        return self._telling

    def event(self, event: Loose, time: str) -> None:
        match event.text("type"):
            case "metadata":
                self._started = from_epoch(event.amount("created_at"), unit=MILLISECONDS)
            case "profile.bind":
                self._project = event.text("environmentDisclosure", "cwd")
            case "turn.prompt":
                self.telling.turn()
                self._state = "unknown"
                self.telling.user(text_of(event.at("input")), time=time)
            case "context.append_loop_event":
                self._loop(event.at("event"), time)
            case "llm.request":
                self._model = event.text("model") or self._model
            case "usage.record":
                self._measure(event.at("usage"))
            case "turn.ended":
                self._state = _ENDS.get(event.text("reason"), "unknown")

    def close(self) -> None:
        if self._telling is not None:
            self._telling.end(Ending(self._state, None, self._telling.spent, (), self._model))

    def _loop(self, event: Loose, time: str) -> None:
        telling = self.telling
        match event.text("type"):
            case "step.begin":
                telling.turn()
            case "content.part":
                part = event.at("part")
                telling.think(part.text("think") or part.text("thinking"), time=time)
                telling.say(part.text("text"), time=time)
            case "tool.call":
                name, tool = event.text("toolCallId"), event.text("name")
                telling.call(name, tool, arguments_of(event.at("args")), time=time)
                if tool == SHELL:
                    self._shells.add(name)
            case "tool.result":
                self._result(event, time)
        telling.describe(model=self._model)

    def _result(self, event: Loose, time: str) -> None:
        name, result = event.text("toolCallId"), event.at("result")
        content = text_of(result.at("output")) or result.text("message")
        code = exit_code(content) if name in self._shells else None
        self._shells.discard(name)
        failed = result.flag("isError") or bool(code)
        self.telling.result(name, content, exit_code=code, failed=failed, time=time)

    def _measure(self, usage: Loose) -> None:
        if usage.whole("output") is None:
            return
        cached = usage.whole("inputCacheRead") or 0
        fresh = (usage.whole("inputOther") or 0) + (usage.whole("inputCacheCreation") or 0)
        self.telling.measure(fresh + cached, usage.whole("output") or 0, cached)


KIMI = Format(
    "kimi",
    "Kimi Code sessions",
    tell,
    lambda first: (
        first.at("protocol_version").value is not None
        or first.text("type") in ("profile.bind", "context.append_loop_event", "turn.prompt")
    ),
    places=(Place("KIMI_CODE_HOME", ".kimi-code", "sessions/*/*/agents/*/wire.jsonl"),),
)
