"""What was said in a session, so that nothing is said twice too soon, and the record of every firing.

Several calls of one batch end at the same time, each with a hook process of its own; a lock on the session's
file makes exactly one of them speak. The record holds which rule spoke where and when, never a command or
an output: those may hold secrets, and the client's own session has them.
"""

from __future__ import annotations

import os
import time

from sharpen.hook.event import Event
from sharpen.hook.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BATCH = 2.0
"""Seconds within which calls count as one batch; no client says which calls it made together."""
COOLDOWN = 300
"""Seconds a rule stays silent after speaking, unless it says otherwise."""
MOST = 3
"""Rules that may speak about one event."""


def state_folder() -> str:
    """The user's state folder, never the project: what is in it is nobody else's business."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111
    return os.environ.get("SHARPEN_STATE") or f"{state}/sharpen"


def folder() -> str:
    """Where sessions and the record of firings are kept."""
    return f"{state_folder()}/hooks"


def admitted(rules: Iterable[dict[str, object]], event: Event) -> list[dict[str, object]]:
    """Of the rules that apply, those that may speak now; all of it is recorded."""
    now = time.time()
    with _Session(event) as session:
        spoken: list[dict[str, object]] = []
        for rule in rules:
            name, last = str(rule.get("id")), session.last(str(rule.get("id")))
            cooldown = rule.get("cooldown", COOLDOWN)
            if last is not None and now - last < BATCH:
                continue
            if last is not None and isinstance(cooldown, (int, float)) and now - last < cooldown:
                record("again", rule, event, now)
            elif len(spoken) < MOST:
                session.said(name, now)
                record("fired", rule, event, now)
                spoken.append(rule)
        return spoken


def rearm(event: Event) -> None:
    """After compaction the model no longer has what was said: everything may be said again."""
    with _Session(event) as session:
        session.forget()


def hold(texts: list[str], event: Event) -> None:
    """Keep texts for a client that listens later."""
    with open(_path(event, ".held"), "a", encoding="utf-8") as stream:  # noqa: PTH123
        stream.write("".join(text.replace("\n", " ") + "\n" for text in texts))


def held(event: Event) -> list[str]:
    """What was kept, once."""
    path = _path(event, ".held")
    try:
        os.rename(path, path + ".taken")  # noqa: PTH104  # whoever renames it has it
    except OSError:
        return []
    with open(path + ".taken", encoding="utf-8") as stream:  # noqa: PTH123
        return stream.read().splitlines()


def record(what: str, rule: dict[str, object], event: Event, now: float) -> None:
    """One line: `fired` when the rule spoke, `again` when its failure came back while it was silent."""
    row = {
        "at": int(now), "what": what, "rule": rule.get("id"), "skill": rule.get("skill"),
        "client": event.client, "session": event.session, "call": event.call, "cwd": event.cwd,
        "tool": event.tool,
    }  # fmt: skip
    append("firings.jsonl", dumps(row))


def append(name: str, line: str) -> None:
    """A line at the end of a file of the folder, in one write."""
    os.makedirs(folder(), exist_ok=True)  # noqa: PTH103
    path = f"{folder()}/{name}"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, (line + "\n").encode("utf-8", "replace"))
    finally:
        os.close(handle)


class _Session:
    """The session's file, locked: one line per rule that spoke, with the time."""

    def __init__(self, event: Event) -> None:
        os.makedirs(folder(), exist_ok=True)  # noqa: PTH103
        self._stream = open(_path(event, ".said"), "a+", encoding="utf-8")  # noqa: PTH123, SIM115

    def __enter__(self) -> _Session:
        try:
            import fcntl
        except ImportError:  # Windows: two calls of one batch may both speak
            pass
        else:
            fcntl.flock(self._stream, fcntl.LOCK_EX)
        self._stream.seek(0)
        rows = [line.rpartition("\t") for line in self._stream.read().splitlines()]
        self._times = {name: float(at) for name, _, at in rows if name}
        return self

    def __exit__(self, *problem: object) -> None:
        self._stream.close()

    def last(self, rule: str) -> float | None:
        return self._times.get(rule)

    def said(self, rule: str, now: float) -> None:
        self._times[rule] = now
        self._stream.write(f"{rule}\t{now}\n")

    def forget(self) -> None:
        self._stream.truncate(0)


def _path(event: Event, ending: str) -> str:
    named = f"{event.client}-{event.session or event.cwd}"
    plain = "".join(letter if letter.isalnum() else "-" for letter in named)[-100:]
    return f"{folder()}/{plain}{ending}"
