"""Pi's session files: a tree of entries, of which only the last branch is live.

An entry whose parent is not the entry before it begins another branch: what was told after that parent is
taken back. For that the reader remembers for every entry how many steps there were, which is all that grows
with a file. A fork begins with a copy of its base, whose entries are older than the file. A failing command
ends with its exit code in words. Branches follow the documentation; the rest met the program.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.session import Bill
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.sources.spilled import file_name
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch
from sharpen.traces.trajectory import Metrics

_EXIT_CODE = re.compile(r"(?:^|\n)Command exited with code (-?\d{1,6})\Z")
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
        self._last = self._began = ""
        self._shells: set[str] = set()
        self._bill = Bill()
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
        elif self._last and "parentId" in entry.mapping() and entry.at("parentId").value is None:
            self.telling.rewind(0)  # another root
        time = entry.text("timestamp")
        self.telling.copied = "" < time < self._began
        self._count(entry.at("usage"))
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
            errors = tuple(self._errors)
            self._telling.end(Ending(self._state, None, self._bill.spent(), errors, self._model))

    def _begin(self, entry: Loose) -> None:
        if self._telling is None:
            base = file_name(entry.text("parentSession")).removesuffix(".jsonl").rpartition("_")[2]
            self._began = entry.text("timestamp")
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
                self._result(message, time)
            case "bashExecution":  # by the user
                telling.turn()
                words = f"$ {message.text('command')}\n{message.text('output')}"
                telling.system(words, time=time, extra={"context": True})

    def _result(self, message: Loose, time: str) -> None:
        name, text, failed = (
            message.text("toolCallId"),
            text_of(message.at("content")),
            message.flag("isError"),
        )
        code = message.code("details", "exitCode")
        if code is None and name in self._shells:
            found = _EXIT_CODE.search(text, max(len(text) - 100, 0)) if failed else None
            code = int(found[1]) if found else None if failed else 0
        self._shells.discard(name)
        self.telling.result(name, text, exit_code=code, failed=failed or bool(code), time=time)

    def _answer(self, message: Loose, time: str) -> None:
        telling = self.telling
        for part in message.items("content"):
            match part.text("type"):
                case "text":
                    telling.say(part.text("text"), time=time)
                case "thinking":
                    telling.think(part.text("thinking"), time=time)
                case "toolCall":
                    name, tool = part.text("id"), part.text("name")
                    telling.call(name, tool, arguments_of(part.at("arguments")), time=time)
                    if tool == "bash":
                        self._shells.add(name)
        self._model = message.text("model") or self._model
        telling.describe(model=self._model)
        self._state = _STOPS.get(message.text("stopReason"), "unknown")
        if error := message.text("errorMessage"):
            self._errors.append(error)
        if cost := self._count(message.at("usage")):
            telling.price(cost)

    def _count(self, usage: Loose) -> Metrics | None:
        """What something cost, added to the session's sum unless it was copied; a price of 0 is none."""
        if usage.whole("output") is None:
            return None
        cached = usage.whole("cacheRead") or 0
        prompt = (usage.whole("input") or 0) + (usage.whole("cacheWrite") or 0) + cached
        output, usd = usage.whole("output") or 0, usage.amount("cost", "total") or None
        if not self.telling.copied:
            self._bill.add(prompt, output, cached, usd)
        return Metrics(prompt, output, cached, usd)


PI = Format(
    "pi",
    tell,
    lambda first: first.text("type") == "session" and first.at("cwd").value is not None,
    places=(Place("PI_CODING_AGENT_DIR", ".pi/agent", "sessions/*/*.jsonl"),),
)
