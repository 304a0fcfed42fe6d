"""Gemini CLI's chat files: a header, messages, and records that change what came before.

A message is written again under its id whenever its tool calls move on, so the last one is held back until
another follows. `$rewindTo` takes back its target and what came after it (an unknown target takes back
everything); `$set` with messages puts back what the model sees, and where that begins otherwise than before
it is a compaction: a notice, not a loss. Older versions wrote the same messages as one document. A file in
which nobody said anything, as resuming leaves behind, is no session.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.streams.gemini import SHELL, shell_end
from sharpen.traces.telling import About, Ending, Sink, State, Telling

_CONTEXT = ("<session_context>", "System: Potential loop detected")
_WORKSPACE = re.compile(r"^- \*\*Workspace Directories:\*\*\n *- (.+)$", re.MULTILINE)
"""The folder, in what the client tells the model first."""
_REMEMBERED = 64
"""Answers that may still be written again."""


def tell(events: Events, sink: Sink, path: Path) -> None:
    reader = _Chat(sink, path)
    for event in events:
        reader.record(event)
    reader.close()


class _Chat:
    def __init__(self, sink: Sink, path: Path) -> None:
        self._sink, self._path = sink, path
        self._telling: Telling | None = None
        self._header = Loose(None)
        self._before: dict[str, tuple[str, str, dict[str, object]]] = {}
        self._head = ""
        self._held: Loose | None = None
        self._told: deque[str] = deque(maxlen=_REMEMBERED)
        self._users: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._model = ""
        self._state: State = "unknown"
        self._errors: list[str] = []

    @property
    def telling(self) -> Telling:
        if self._telling is None:
            header, parent = self._header, self._path.parent
            is_inner = parent.name != "chats" and parent.parent.name == "chats"
            folders = header.items("directories")
            root = (parent.parent if is_inner else parent).parent / ".project_root"
            about = About(
                "gemini",
                header.text("sessionId") or self._path.stem,
                project=folders[0].text() if folders else _first_line(root) or self._workspace(),
                started=header.text("startTime"),
                parent=parent.name if is_inner else "",
                relation="sub-agent" if is_inner else "",
            )
            self._telling = Telling(self._sink, about)
            for text, time, extra in self._before.values():
                self._telling.system(text, time=time, extra=extra)
        return self._telling

    def _workspace(self) -> str:
        """For a file that lies without its neighbours."""
        found = (_WORKSPACE.search(text) for text, _, _ in self._before.values())
        return next((match[1].strip() for match in found if match), "")

    def record(self, event: Loose) -> None:
        if event.at("$rewindTo").value is not None:
            self._rewind(event.text("$rewindTo"))
        elif event.at("$set").value is not None:
            self._set(event.at("$set"))
        elif event.text("type") and event.at("id").value is not None:
            self._message(event)
        elif event.at("sessionId").value is not None:
            self._header = event
            for message in event.items("messages"):
                self._message(message)

    def close(self) -> None:
        self._let_go()
        if self._telling is not None:
            errors = tuple(self._errors)
            self._telling.end(Ending(self._state, None, self._telling.spent, errors, self._model))

    def _set(self, change: Loose) -> None:
        messages = change.items("messages")
        if not messages:
            return
        self._let_go()
        if self._telling is None:
            for message in messages:
                self._message(message)
            return
        spoken = [message for message in messages if not _is_context(message)]
        if not spoken or spoken[0].text("id") == self._head:
            return
        self._head = spoken[0].text("id")
        for message in spoken:  # the same words under another name
            if (told := self._texts.get(_key(message))) is not None:
                self._users.setdefault(message.text("id"), told)
        summary = text_of(spoken[0].at("content")) or f"{len(messages)} messages replaced the conversation."
        self.telling.system(summary, extra={"compaction": True})

    def _rewind(self, target: str) -> None:
        if self._held is not None and self._held.text("id") == target:
            self._held = None
            return
        self._let_go()
        if self._telling is not None:
            self.telling.rewind(self._users.get(target, 0))
            count = self.telling.count
            self._users = {name: number for name, number in self._users.items() if number < count}
            self._texts = {name: number for name, number in self._texts.items() if number < count}

    def _message(self, message: Loose) -> None:
        kind, name = message.text("type"), message.text("id")
        if not _is_context(message):
            self._head = self._head or name
        if kind == "gemini":
            if name in self._told:
                self._results(message)
                return
            if self._held is not None and self._held.text("id") != name:
                self._let_go()
            self._held = message
            return
        self._let_go()
        text, time = text_of(message.at("content")), message.text("timestamp")
        if kind == "user" and text and not _is_context(message):
            self._users[name] = self._texts[_key(message)] = self.telling.count
            self._state = "unknown"
            self.telling.user(text, time=time)
        elif text:
            if kind == "error":
                self._errors.append(text)
                self._state = "failed"
            extra: dict[str, object] = {"context": True} if kind == "user" else {"notice": kind}
            if self._telling is None:
                self._before[name] = (text, time, extra)
            else:
                self._telling.system(text, time=time, extra=extra)

    def _let_go(self) -> None:
        """Tell the answer that was held back."""
        message, self._held = self._held, None
        if message is None:
            return
        telling, time = self.telling, message.text("timestamp")
        self._told.append(message.text("id"))
        telling.turn()
        for thought in message.items("thoughts"):
            both = (thought.text("subject"), thought.text("description"))
            telling.think(": ".join(part for part in both if part), time=time)
        telling.say(text_of(message.at("content")), time=time)
        for call in message.items("toolCalls"):
            telling.call(call.text("id"), call.text("name"), arguments_of(call.at("args")), time=time)
        self._model = message.text("model") or self._model
        telling.describe(model=message.text("model"))
        self._measure(message.at("tokens"))
        self._results(message)
        self._state = "unknown" if message.items("toolCalls") else "completed"
        telling.turn()

    def _results(self, message: Loose) -> None:
        for call in message.items("toolCalls"):
            name, status = call.text("id"), call.text("status")
            if status in ("", "executing", "scheduled", "awaiting_approval") or not self.telling.knows(name):
                continue
            end = shell_end(call)
            failed = status in ("error", "cancelled") or end.failed
            self.telling.result(name, _output(call) or end.output, exit_code=end.code, failed=failed)

    def _measure(self, tokens: Loose) -> None:
        if tokens.whole("input") is None:
            return
        output = (tokens.whole("output") or 0) + (tokens.whole("thoughts") or 0)
        self.telling.measure(tokens.whole("input") or 0, output, tokens.whole("cached") or 0)


def _is_context(message: Loose) -> bool:
    """Whether the client itself says it, in the user's place."""
    return message.text("type") == "user" and text_of(message.at("content")).startswith(_CONTEXT)


def _key(message: Loose) -> str:
    """A name for a message by its words."""
    return hashlib.sha256(text_of(message.at("content")).encode("utf-8", "replace")).hexdigest()[:16]


def _first_line(path: Path) -> str:
    """The path in the small file that says to which project a folder belongs."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except (OSError, ValueError):
        return ""


def _output(call: Loose) -> str:
    """What the user saw of it, else what the model was told."""
    shown = call.text("resultDisplay")
    if shown or call.text("name") == SHELL:
        return shown
    told = [part.at("functionResponse", "response") for part in call.items("result")]
    return "\n".join(text for part in told if (text := part.text("output") or part.text("error")))


def _fits(first: Loose) -> bool:
    return (bool(first.at("projectHash")) and bool(first.at("sessionId"))) or first.text("type") == "gemini"


GEMINI = Format(
    "gemini",
    tell,
    _fits,
    places=(
        Place("", ".gemini", "tmp/*/chats/session-*.json"),
        Place("", ".gemini", "tmp/*/chats/session-*.jsonl"),
        Place("", ".gemini", "tmp/*/chats/*/*.jsonl"),
    ),
)
