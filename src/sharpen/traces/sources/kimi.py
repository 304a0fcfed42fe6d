"""Kimi Code's wire files: every event of an agent's loop, one JSON line each.

The loop events tell steps, calls and results; what the client appends to the conversation itself is passed
over, except prompts of the user, also those given while the agent works. What an answer cost is told before
the answer. A command in the background ends with an event of its own. Sub-agents have folders beside
`agents/main/`, long outputs lie in `tasks/`. Undoing and compaction follow the program's source.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.session import Bill
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.sources.spilled import spilled
from sharpen.traces.streams.kimi import SHELL, counts, exit_code
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch
from sharpen.traces.trajectory import Metrics

MILLISECONDS = 1e-3
_OUTPUT_PATH = re.compile(r"^output_path: .*[\\/]([\w-]+)[\\/]output\.log$", re.MULTILINE)
_TYPED = ("", "user", "skill_activation", "plugin_command")
"""Origins of what the user typed."""
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
        self._prompts: list[int] = []
        self._is_inner = path.parent.parent.name == "agents" and path.parent.name != "main"
        self._bill = Bill()
        self._unpriced: Metrics | None = None
        self._state: State = "unknown"

    @property
    def telling(self) -> Telling:
        if self._telling is None:
            agent, folder = self._path.parent, self._path.parent.parent
            session = folder.parent.name if folder.name == "agents" else agent.name
            is_inner = self._is_inner
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
            case "turn.prompt" | "turn.steer" as kind:
                self._prompt(event, time, is_turn=kind == "turn.prompt")
            case "task.terminated":
                self._ended(event, time)
            case "context.undo":
                self._undo(event.whole("count") or 0)
            case "context.apply_compaction":
                words = event.text("summary") or "The conversation was compacted."
                self.telling.system(words, time=time, extra={"compaction": True})
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
            self._telling.end(Ending(self._state, None, self._bill.spent(), (), self._model))

    def _prompt(self, event: Loose, time: str, *, is_turn: bool) -> None:
        text = text_of(event.at("input"))
        self.telling.turn()
        self._state = "unknown"
        if event.text("origin", "kind") not in _TYPED and not self._is_inner:
            self.telling.system(text, time=time, extra={"context": True})
            return
        if is_turn:
            self._prompts.append(self.telling.count)
        self.telling.user(text, time=time)

    def _undo(self, turns: int) -> None:
        if turns and self._prompts:
            self.telling.rewind(self._prompts[max(len(self._prompts) - turns, 0)])
            del self._prompts[max(len(self._prompts) - turns, 0) :]

    def _ended(self, event: Loose, time: str) -> None:
        """A command in the background came to its end: a result without a call of its own."""
        info, code = event.at("info"), event.code("info", "exitCode")
        failed = info.text("status") not in ("completed", "") or bool(code)
        extra = {"command": info.text("command")}
        self.telling.result(
            "", event.text("outputTail"), exit_code=code, failed=failed, time=time, extra=extra
        )

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
        if self._unpriced and event.text("type") in ("content.part", "tool.call"):
            telling.price(self._unpriced)
            self._unpriced = None

    def _result(self, event: Loose, time: str) -> None:
        name, result = event.text("toolCallId"), event.at("result")
        content = text_of(result.at("output")) or result.text("message")
        failed = result.flag("isError")
        code = exit_code(content) if name in self._shells else None
        if code and not failed:  # words of its own output
            code = 0
        self._shells.discard(name)
        self.telling.result(
            name, self._whole(content), exit_code=code, failed=failed or bool(code), time=time
        )

    def _whole(self, content: str) -> str:
        """The output itself where only its beginning is told, with the file it lies in."""
        task = _OUTPUT_PATH.search(content[:2000])
        return (spilled(self._path.parent / "tasks" / task[1] / "output.log") if task else None) or content

    def _measure(self, usage: Loose) -> None:
        if counted := counts(usage):
            self._bill.add(*counted, None)
            self._unpriced = Metrics(*counted)


KIMI = Format(
    "kimi",
    tell,
    lambda first: (
        first.at("protocol_version").value is not None
        or first.text("type") in ("profile.bind", "context.append_loop_event", "turn.prompt")
    ),
    places=(Place("KIMI_CODE_HOME", ".kimi-code", "sessions/*/*/agents/*/wire.jsonl"),),
)
