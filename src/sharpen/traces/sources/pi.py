"""Pi's session files, as documented: a tree of entries, of which only the last branch is live.

An entry whose parent is not the entry before it begins another branch: what was told after that parent is
taken back. For that the reader remembers for every entry how many steps there were, which is all that grows
with a file.
"""

from __future__ import annotations

from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

_STOPS: dict[str, State] = {"stop": "completed", "aborted": "stopped", "error": "failed"}


def tell(events: Events, sink: Sink, path: Path) -> None:
    reader = _Tree(sink, path)
    for event in events:
        reader.entry(event)
    reader.close()


class _Tree:
    def __init__(self, sink: Sink, path: Path) -> None:
        self._sink, self._path = sink, path
        self._telling: Telling | None = None
        self._after: dict[str, int] = {}
        self._last = ""
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []

    @property
    def telling(self) -> Telling:
        if self._telling is None:
            self._telling = Telling(self._sink, About("pi", self._path.stem))
        return self._telling

    def entry(self, entry: Loose) -> None:
        if entry.text("type") == "session":
            self._begin(entry)
            return
        name, parent = entry.text("id"), entry.text("parentId")
        if parent and parent != self._last and parent in self._after:
            self.telling.rewind(self._after[parent])
        time = entry.text("timestamp")
        match entry.text("type"):
            case "message":
                self._message(entry.at("message"), time)
            case "compaction" | "branch_summary":
                self.telling.system(entry.text("summary"), time=time, extra={"compaction": True})
            case "model_change":
                self._model = entry.text("modelId") or self._model
        if name:
            self._last = name
            self._after[name] = self._telling.count if self._telling else 0

    def close(self) -> None:
        if self._telling is not None:
            errors = tuple(self._errors[-5:])
            self._telling.end(Ending(self._state, None, self._telling.spent, errors, self._model))

    def _begin(self, entry: Loose) -> None:
        if self._telling is None:
            base = Path(entry.text("parentSession")).stem
            about = About(
                "pi",
                entry.text("id") or self._path.stem,
                project=entry.text("cwd"),
                started=entry.text("timestamp"),
                parent=base,
                relation="fork" if base else "",
            )
            self._telling = Telling(self._sink, about)

    def _message(self, message: Loose, time: str) -> None:
        telling = self.telling
        time = time or from_epoch(message.amount("timestamp"), unit=1e-3)
        match message.text("role"):
            case "user":
                telling.turn()
                self._state = "unknown"
                telling.user(text_of(message.at("content")), time=time)
            case "assistant":
                telling.turn()
                self._answer(message, time)
            case "toolResult":
                failed = message.flag("isError")
                code = message.code("details", "exitCode")
                text = text_of(message.at("content"))
                telling.result(message.text("toolCallId"), text, exit_code=code, failed=failed, time=time)
            case "bashExecution":
                telling.turn()
                name = f"bash-{telling.count}"
                telling.call(name, "bash", {"command": message.text("command")}, time=time)
                code = message.code("exitCode")
                telling.result(name, message.text("output"), exit_code=code, failed=bool(code))
                telling.turn()

    def _answer(self, message: Loose, time: str) -> None:
        telling = self.telling
        for part in message.items("content"):
            match part.text("type"):
                case "text":
                    telling.say(part.text("text"), time=time)
                case "thinking":
                    telling.think(part.text("thinking"), time=time)
                case "toolCall":
                    telling.call(
                        part.text("id"), part.text("name"), arguments_of(part.at("arguments")), time=time
                    )
        self._model = message.text("model") or self._model
        telling.describe(model=self._model)
        self._state = _STOPS.get(message.text("stopReason"), "unknown")
        if error := message.text("errorMessage"):
            self._errors.append(error)
        usage = message.at("usage")
        if usage.whole("output") is not None:
            cached = usage.whole("cacheRead") or 0
            prompt = (usage.whole("input") or 0) + (usage.whole("cacheWrite") or 0) + cached
            usd = usage.amount("cost", "total")
            telling.measure(prompt, usage.whole("output") or 0, cached, usd=usd)


PI = Format(
    "pi",
    "Pi sessions",
    tell,
    lambda first: first.text("type") == "session" and first.at("cwd").value is not None,
    places=(Place("", ".pi", "agent/sessions/*/*.jsonl"),),
    verified=False,
)
