"""Trajectories of mini-SWE-agent (`.traj.json`) and SWE-agent (`.traj`): a document per instance.

An action is a shell command, its observation the command's output. Neither says whether the patch was right:
the verdict comes from elsewhere, so the outcome stays unknown. The patch that was handed in is kept as the
final diff.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.traces.lines import Events, Loose, text_of
from sharpen.traces.session import Spent
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.sources.said import Call, said_in
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n```", re.DOTALL)
_RETURN_CODE = re.compile(r"<returncode>\s*(-?\d{1,6})\s*</returncode>")
_OUTPUT = re.compile(r"<output>\n?(.*?)\n?</output>", re.DOTALL)
_LIMITS = ("limit", "cost", "context", "timeout", "timeexceeded", "execution_time", "interrupt")
"""Parts of the statuses of runs that somebody or something stopped; others are errors."""
_PERSON = "User"
"""How the kinds of interruption begin with which mini-SWE-agent marks a person's own words."""


def tell_mini(events: Events, sink: Sink, path: Path) -> None:
    for event in events:
        if not event.items("messages"):
            events.unread += 1
            continue
        info = event.at("info")
        about = About(
            "mini-swe-agent",
            name_of(path),
            version=info.text("mini_version"),
            facts=_instance(event),
            model=info.text("config", "model", "model_name"),
            project=info.text("config", "environment", "cwd"),
        )
        mini = _Mini(Telling(sink, about))
        for message in event.items("messages"):
            mini.message(message)
        mini.telling.end(_ending(info, mini.telling.spent))


class _Mini:
    """Tells messages in the three shapes of its models: tool calls, fenced commands, the Responses API."""

    def __init__(self, telling: Telling) -> None:
        self.telling = telling
        self._is_asked = False

    def message(self, message: Loose) -> None:
        extra = message.at("extra")
        time = from_epoch(extra.amount("timestamp"))
        said = said_in(message)
        if message.text("object") == "response":
            self._respond(message, time)
        elif message.text("type") == "function_call_output":
            self._observe(message.text("call_id"), text_of(message.at("output")), extra, time)
        elif said is None:
            return  # an `exit`, which `info` repeats
        elif said.role == "system":
            self.telling.system(said.words, time=time)
        elif said.role == "agent":
            self._answer(said.words, said.thoughts, said.calls, extra, time)
        elif said.role == "tool":
            for name, text in said.results:
                self._observe(name, text, extra, time)
        else:
            self._hear(said.words, extra, time)

    def _hear(self, text: str, extra: Loose, time: str) -> None:
        """The task, what a person said in between, an observation, or a complaint about the answer's form."""
        if not self._is_asked or extra.text("interrupt_type").startswith(_PERSON):
            self._is_asked = True
            self.telling.turn()
            self.telling.user(text, time=time)
        elif call := self.telling.open_call():
            self._observe(call, text, extra, time)
        else:
            self.telling.system(text, time=time)

    def _respond(self, message: Loose, time: str) -> None:
        items = message.items("output")
        words = "\n".join(text_of(item.at("content")) for item in items if item.text("type") == "message")
        thoughts = "\n".join(
            text_of(item.at("summary")) for item in items if item.text("type") == "reasoning"
        )
        said = said_in(Loose({"role": "assistant", "content": [item.value for item in items]}))
        self._answer(words, thoughts, said.calls if said else (), message.at("extra"), time)

    def _answer(self, words: str, thoughts: str, calls: tuple[Call, ...], extra: Loose, time: str) -> None:
        telling = self.telling
        telling.turn()
        telling.think(thoughts, time=time)
        telling.say(words, time=time)
        for call in calls:
            telling.call(call.name, call.tool, call.arguments, time=time, fresh=True)
        for command in () if calls else _commands(words, extra):
            telling.call("", "bash", {"command": command}, time=time)
        usage = extra.at("response", "usage")
        prompt = usage.whole("prompt_tokens") or usage.whole("input_tokens")
        if prompt is not None:
            completion = usage.whole("completion_tokens") or usage.whole("output_tokens") or 0
            cached = usage.whole("prompt_tokens_details", "cached_tokens") or 0
            telling.measure(prompt, completion, cached, usd=extra.amount("cost"))

    def _observe(self, name: str, text: str, extra: Loose, time: str) -> None:
        found, inside = _RETURN_CODE.search(text[:500]), _OUTPUT.search(text)
        code = extra.code("returncode")
        if code is None and found:
            code = int(found[1])
        output = extra.text("raw_output") or (inside[1] if inside else text)
        output = output or extra.text("exception_info")
        self.telling.result(
            name or self.telling.open_call(), output, exit_code=code, failed=bool(code), time=time
        )


def _commands(words: str, extra: Loose) -> list[str]:
    actions = extra.items("actions")
    found = [command for action in actions if (command := action.text("command") or action.text())]
    return found if "actions" in extra.mapping() else _FENCE.findall(words)[:1]


def tell_swe(events: Events, sink: Sink, path: Path) -> None:
    for event in events:
        turns = event.items("trajectory")
        if not turns:
            events.unread += 1
            continue
        about = About(
            "swe-agent",
            name_of(path),
            version=event.text("info", "swe_agent_version"),
            facts=_instance(event),
        )
        telling = Telling(sink, about)
        for message in event.items("history"):
            role, text = message.text("role"), text_of(message.at("content"))
            if role == "system":
                telling.system(text)
            elif role == "user" and not message.flag("is_demo"):
                telling.user(text)
                break
        for turn in turns:
            _swe_turn(telling, turn)
        telling.end(_ending(event.at("info"), None))


def _swe_turn(telling: Telling, turn: Loose) -> None:
    telling.turn()
    telling.say(turn.text("thought") or turn.text("response"))
    action, observation = turn.text("action").strip(), turn.text("observation")
    if action:
        name = telling.call("", "bash", {"command": action})
        telling.result(name, observation)
    elif observation:
        telling.system(observation)


def _instance(event: Loose) -> dict[str, object]:
    name = event.text("instance_id") or event.text("environment")
    return {"instance": name} if name else {}


def _ending(info: Loose, measured: Spent | None) -> Ending:
    status, stats = info.text("exit_status"), info.at("model_stats")
    submitted = status.lower().startswith("submitted")
    stopped = any(word in status.lower() for word in _LIMITS)
    state: State = "completed" if submitted else "stopped" if stopped else "failed" if status else "unknown"
    calls, usd = stats.whole("api_calls"), stats.amount("instance_cost")
    summed = Spent(stats.whole("tokens_sent"), stats.whole("tokens_received"), None, calls, usd)
    spent = measured or (summed if summed != Spent() else None)
    facts = {"exit_status": status, "final_diff": info.text("submission")}
    errors = (status,) if state == "failed" else ()
    return Ending(state, None, spent, errors, facts={name: value for name, value in facts.items() if value})


MINI_SWE_AGENT = Format(
    "mini-swe-agent",
    tell_mini,
    lambda first: first.text("trajectory_format").startswith("mini-swe-agent"),
    layout="document",
)
SWE_AGENT = Format(
    "swe-agent",
    tell_swe,
    lambda first: (
        any("action" in turn.mapping() for turn in first.items("trajectory")) and bool(first.mapping("info"))
    ),
    layout="document",
)
