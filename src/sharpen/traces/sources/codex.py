"""Codex rollout files: `{timestamp, type, payload}` lines, in both history modes.

What the model saw and said is in the `response_item` lines of either mode; the `event_msg` lines repeat some
of it and add exit codes, token counts, rollbacks, the end of turns, and what a script of the model ran: its
commands are told beside the script. A compaction is a notice in the session: the steps it summed up stay. A
fork begins with a copy of its base, or names it (`codex_history.py`); either way those steps are marked.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from sharpen.traces.lines import Events, Loose, arguments_of, text_of
from sharpen.traces.session import Bill, Spent
from sharpen.traces.sources.codex_history import Stretch, history
from sharpen.traces.sources.codex_output import unwrapped
from sharpen.traces.sources.format import Format, Place
from sharpen.traces.telling import About, Ending, Sink, State, Telling
from sharpen.traces.trajectory import Metrics

_DATED = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
)  # names in order of time
COPYING = 1.0  # seconds that writing a fork's copy of its base may take
RUNNING = 256  # commands that are remembered while they run
_NESTED = "exec-"  # how the names of what a script ran begin
_CONTEXT = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<skills_instructions>",
    "# AGENTS.md",
    "<turn_aborted>",
    "<INSTRUCTIONS>",
    "<user_shell_command>",
    "<subagent_notification>",
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
        self._tokens = _Tokens()
        self._running: dict[str, str] = {}
        self._commands: dict[str, str] = {}
        self._model = self._effort = ""
        self._began: datetime | None = None
        self._is_dated = self._in_base = self._unpriced = False

    def line(self, event: Loose) -> None:
        payload, kind = event.at("payload"), event.text("type")
        if self._telling is not None and self._telling.copied and not self._in_base:
            self._telling.copied = not self._is_live(event, payload)
        if kind == "session_meta":
            self._meta(payload, event.text("timestamp"))
        elif kind == "response_item":
            self._item(payload, event)
        elif kind == "event_msg":
            self._notice(payload, event.text("timestamp"))
        elif kind == "turn_context":
            self._model, self._effort = payload.text("model") or self._model, payload.text("effort")
        elif kind == "compacted":
            self.telling.turn()
            summary = payload.text("message") or "The conversation so far was replaced by a summary."
            self.telling.system(summary, time=event.text("timestamp"), extra={"compaction": True})
        elif kind == "token_usage_record" and not self.telling.copied:
            self._tokens.record(payload.at("usage"))

    def close(self) -> None:
        if self._telling is not None:
            errors = tuple(self._errors)
            self._telling.end(Ending(self._ending, None, self._tokens.spent(), errors, self._model))

    @property
    def telling(self) -> Telling:
        """A file whose first line is lost is told under its own name."""
        if self._telling is None:
            self._telling = Telling(self._sink, About("codex", self._path.name.split(".")[0]))
        return self._telling

    def _meta(self, meta: Loose, time: str) -> None:
        name = _name(meta)
        if self._telling is not None:
            # A fork of the legacy mode repeats its base's lines, header and all, after its own header.
            self._telling.copied = self._telling.copied or (bool(self._name) and name != self._name)
            return
        self._name, self._began = name, _moment(time)
        before = history(self._path, meta)
        parent = meta.text("parent_thread_id")
        base = meta.text("forked_from_id") or _other(name, before, meta)
        own = next((stretch.meta for stretch in before if _name(stretch.meta) == name), meta)
        self._telling = Telling(
            self._sink,
            About(
                "codex",
                name or self._path.name.split(".")[0],
                version=meta.text("cli_version"),
                project=meta.text("cwd"),
                started=own.text("timestamp") or time,
                parent=parent or base,
                relation="sub-agent" if parent else "fork" if base else "",
                revision=meta.text("timestamp") or time,
            ),
        )
        for stretch in before:
            self._retell(stretch)

    def _retell(self, stretch: Stretch) -> None:
        """What an earlier file says: of the same thread it is this session's, of another it is a copy."""
        self.telling.copied, self._in_base = _name(stretch.meta) != self._name, True
        for event in stretch.events():
            self.line(event)
        self.telling.turn()
        self.telling.copied = self._in_base = False
        self._ending = "unknown"
        self._errors.clear()

    def _is_live(self, event: Loose, payload: Loose) -> bool:
        """Where a copied beginning ends: with a line of this thread, or of a turn younger than it.

        Versions that name neither write the copy in one go, so there the clock decides.
        """
        thread, turn = payload.text("thread_id"), payload.text("turn_id")
        is_turn = bool(_DATED.fullmatch(turn) and _DATED.fullmatch(self._name))
        if thread or is_turn:
            self._is_dated = True
            return thread == self._name or (is_turn and turn > self._name)
        if self._is_dated or self._began is None:
            return False
        started = payload.amount("started_at") if payload.text("type") == "task_started" else None
        if started is not None:
            return started >= int(self._began.timestamp())
        moment = _moment(event.text("timestamp"))
        return moment is not None and (moment - self._began).total_seconds() > COPYING

    # -- what the model saw and said ---------------------------------------------------------------------

    def _item(self, item: Loose, event: Loose) -> None:
        time = event.text("timestamp")
        match item.text("type"):
            case "message":
                if not event.flag("metadata", "compaction_output"):  # the notice repeats it
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
            self._answered()
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
        arguments = arguments_of(item.at("arguments") or item.at("input") or item.at("action"))
        self.telling.call(name, item.text("name") or item.text("type"), arguments, time=time)
        self._answered()
        command = arguments.get("cmd") or self._running.get(str(arguments.get("session_id")))
        if isinstance(command, str):
            self._commands[name] = command

    def _answered(self) -> None:
        self.telling.describe(model=self._model, effort=self._effort)
        self._unpriced = True

    def _output(self, item: Loose, time: str) -> None:
        name, output = item.text("call_id"), unwrapped(item.at("output"))
        command, extra = self._commands.pop(name, ""), {}
        if output.runs_as and command:
            self._running = dict([*self._running.items(), (output.runs_as, command)][-RUNNING:])
        elif command in self._running.values() and output.code is not None:
            extra = {"command": command}  # it was started by an earlier call
        failed = output.failed or bool(output.code)
        self.telling.result(name, output.text, exit_code=output.code, failed=failed, time=time, extra=extra)
        self.telling.turn()

    # -- what the client noted ---------------------------------------------------------------------------

    def _notice(self, notice: Loose, time: str) -> None:
        kind = notice.text("type")
        if kind == "token_count":
            self._count(notice.at("info"))
        elif kind == "thread_rolled_back":
            self.telling.rewind_turns(notice.whole("num_turns") or 0)
        elif kind == "item_completed":
            item = notice.at("item")
            self._ran(item.text("type"), item.text("id"), item, time)
        elif kind == "exec_command_end":
            self._ran("CommandExecution", notice.text("call_id"), notice, time)
        elif kind == "patch_apply_end":
            self._ran("FileChange", notice.text("call_id"), notice, time)
        elif kind in _STATES:
            self.telling.turn()
            self._ending = _STATES[kind]
            if self._ending == "failed" and (message := notice.text("message")):
                self._errors.append(message)
        elif kind in ("task_started", "turn_started"):
            self._ending = "unknown"

    def _ran(self, kind: str, name: str, item: Loose, time: str) -> None:
        """What was run for a call; what a script ran has no call of its own and is told beside the script."""
        telling, code = self.telling, item.code("exit_code")
        failed = bool(code) or item.text("status") == "failed"
        if kind == "CommandExecution" and name.startswith(_NESTED):
            words = item.items("command")
            telling.call(name, "exec_command", {"cmd": words[-1].text() if words else ""}, time=time)
            telling.result(name, item.text("aggregated_output"), exit_code=code, failed=failed)
        elif kind == "CommandExecution" and code is not None:  # before the output it belongs to, or after it
            telling.learn(name, {"exit_code": code, **({"failed": True} if code else {})})
        elif kind == "FileChange" and name.startswith(_NESTED):
            telling.call(name, "apply_patch", {"changes": item.mapping("changes")}, time=time)
            telling.result(name, item.text("stdout") + item.text("stderr"), failed=failed)

    def _count(self, info: Loose) -> None:
        self._tokens.total(info.at("total_token_usage"), is_copied=self.telling.copied)
        if self._unpriced and info.whole("last_token_usage", "input_tokens") is not None:
            self.telling.price(Metrics(*_counts(info.at("last_token_usage"))))
            self._unpriced = False


class _Tokens:
    """What a session cost: the sum of its records, or of older versions the growth of the running total."""

    def __init__(self) -> None:
        self._bill = Bill()
        self._base = self._last = (0, 0, 0)
        self._calls = 0

    def record(self, usage: Loose) -> None:
        if usage.whole("input_tokens") is not None:
            self._bill.add(*_counts(usage), None)

    def total(self, usage: Loose, *, is_copied: bool) -> None:
        counts = _counts(usage)
        if usage.whole("input_tokens") is None or counts == self._last:
            return
        self._last = counts
        if is_copied:
            self._base = counts
        else:
            self._calls += 1

    def spent(self) -> Spent | None:
        if recorded := self._bill.spent():
            return recorded
        if not self._calls:
            return None
        prompt, completion, cached = (
            max(last - base, 0) for last, base in zip(self._last, self._base, strict=True)
        )
        return Spent(prompt, completion, cached, self._calls)


def _moment(time: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _name(meta: Loose) -> str:
    return meta.text("id") or meta.text("session_id")


def _other(name: str, before: list[Stretch], meta: Loose) -> str:
    """The thread that a rollout continues, unless it is the same one."""
    base = _name(before[-1].meta) if before else meta.text("history_base", "thread_id")
    return base if base != name else ""


def _counts(usage: Loose) -> tuple[int, int, int]:
    names = ("input_tokens", "output_tokens", "cached_input_tokens")
    prompt, completion, cached = (usage.whole(name) or 0 for name in names)
    return prompt, completion, cached


def _is_context(text: str) -> bool:
    return text.lstrip()[:40].startswith(_CONTEXT)


def _fits(first: Loose) -> bool:
    return first.text("type") in ("session_meta", "response_item", "event_msg", "turn_context") and bool(
        first.at("payload")
    )


CODEX = Format(
    "codex",
    tell,
    _fits,
    places=(
        Place("CODEX_HOME", ".codex", "sessions/*/*/*/rollout-*.jsonl*"),
        Place("CODEX_HOME", ".codex", "archived_sessions/rollout-*.jsonl*"),
    ),
)
