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
from sharpen.traces.telling import About, Ending, Sink, State, Telling, from_epoch

_FENCE = re.compile(r"```(?:\w*[-_]?)(?:bash|sh|shell|action)?\s*\n(.*?)\n```", re.DOTALL)
_RETURN_CODE = re.compile(r"<returncode>\s*(-?\d{1,6})\s*</returncode>")
_OUTPUT = re.compile(r"<output>\n?(.*?)\n?</output>", re.DOTALL)


def tell_mini(events: Events, sink: Sink, path: Path) -> None:
    for event in events:
        if not event.items("messages"):
            events.unread += 1
            continue
        about = About(
            "mini-swe-agent",
            name_of(path),
            version=event.text("info", "mini_version"),
            facts=_instance(event),
            model=event.text("info", "config", "model", "model_name"),
        )
        telling = Telling(sink, about)
        asked = False
        for message in event.items("messages"):
            asked = _mini_message(telling, message, asked=asked)
        telling.end(_ending(event.at("info")))


def _mini_message(telling: Telling, message: Loose, *, asked: bool) -> bool:
    role, text, extra = message.text("role"), text_of(message.at("content")), message.at("extra")
    time = from_epoch(extra.amount("timestamp"))
    if role == "system":
        telling.system(text, time=time)
    elif role == "assistant":
        telling.turn()
        telling.think(message.text("reasoning_content"), time=time)
        telling.say(text, time=time)
        commands = [
            found for action in extra.items("actions") if (found := action.text("command") or action.text())
        ]
        for command in commands or _FENCE.findall(text)[:1]:
            telling.call("", "bash", {"command": command}, time=time)
    elif role in ("user", "tool"):
        if not asked and role == "user":
            telling.user(text, time=time)
            return True
        _observe(telling, text, extra, time)
    return asked


def _observe(telling: Telling, text: str, extra: Loose, time: str) -> None:
    found, inside = _RETURN_CODE.search(text[:500]), _OUTPUT.search(text)
    code = extra.code("returncode")
    if code is None and found:
        code = int(found[1])
    output = extra.text("raw_output") or (inside[1] if inside else text)
    telling.result(telling.last_call, output, exit_code=code, failed=bool(code), time=time)


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
            telling.turn()
            thought, response = turn.text("thought"), turn.text("response")
            telling.say(thought or response)
            if action := turn.text("action").strip():
                telling.call("", "bash", {"command": action})
                telling.result(telling.last_call, turn.text("observation"))
        telling.end(_ending(event.at("info")))


def _instance(event: Loose) -> dict[str, object]:
    name = event.text("instance_id") or event.text("environment")
    return {"instance": name} if name else {}


def _ending(info: Loose) -> Ending:
    status, stats = info.text("exit_status"), info.at("model_stats")
    submitted = status.lower().startswith("submitted")
    limits = ("limit", "cost", "context", "timeout")
    stopped = any(word in status.lower() for word in limits)
    state: State = "completed" if submitted else "stopped" if stopped else "failed" if status else "unknown"
    calls = stats.whole("api_calls")
    spent = None
    if calls is not None or stats.whole("tokens_sent") is not None:
        usd = stats.amount("instance_cost")
        spent = Spent(stats.whole("tokens_sent") or 0, stats.whole("tokens_received") or 0, 0, calls, usd)
    diff = info.text("submission")
    facts = {"exit_status": status or None, "final_diff": diff or None}
    return Ending(state, None, spent, facts={name: value for name, value in facts.items() if value})


MINI_SWE_AGENT = Format(
    "mini-swe-agent",
    "mini-SWE-agent trajectories",
    tell_mini,
    lambda first: first.text("trajectory_format").startswith("mini-swe-agent"),
    layout="document",
)
SWE_AGENT = Format(
    "swe-agent",
    "SWE-agent trajectories",
    tell_swe,
    lambda first: bool(first.items("trajectory")) and "info" in first.mapping(),
    layout="document",
)
