"""The record of the hook processes: which rule spoke where and when, and what went wrong.

It never holds a command, an output or the words of an error: those may hold secrets, and the client's own
session has them. Many processes write it at once: a line is one write at the end of the file. A file that has
grown long is set aside as `.1`, in place of the one before, so two of them are the most there is.
"""

from __future__ import annotations

import os

from sharpen.hook.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from sharpen.hook.event import Event

FIRINGS, ERRORS = "firings.jsonl", "errors.jsonl"
LONGEST_FILE = 2 * 1024 * 1024
LONGEST_FIELD = 300


def state_folder() -> str:
    """The user's state folder, never the project: what is in it is nobody else's business."""
    state = os.environ.get("XDG_STATE_HOME", "")
    state = state if os.path.isabs(state) else f"{home()}/.local/state"  # noqa: PTH117
    return os.environ.get("SHARPEN_STATE") or f"{state}/sharpen"


def home() -> str:
    """The user's home, also where the environment does not say; OSError when nobody knows it."""
    named = os.environ.get("HOME") or os.path.expanduser("~" + _user())  # noqa: PTH111
    if not os.path.isabs(named):  # noqa: PTH117
        raise OSError("no home folder is known")
    return named.rstrip("/") or "/"


def _user() -> str:
    if os.name == "nt":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def folder() -> str:
    """Where sessions and the record of firings are kept."""
    return f"{state_folder()}/hooks"


def make_folder() -> None:
    os.makedirs(folder(), mode=0o700, exist_ok=True)  # noqa: PTH103


def firing(what: str, rule: dict[str, object], event: Event, now: float, *, same: bool) -> None:
    """One line: `fired` when the rule spoke, `again` when its failure came back while it was silent."""
    row = {
        "at": int(now), "what": what, "rule": rule.get("id"), "skill": rule.get("skill"),
        "client": event.client, "session": event.session, "agent": event.agent, "call": event.call,
        "cwd": event.cwd, "tool": event.tool, "same": same,
    }  # fmt: skip
    append(FIRINGS, row)


def failure(client: str, rule: str, error: BaseException, now: float) -> None:
    """One line about something that went wrong: its kind, its place in the code, and words only if they are
    about the machine or the rule (`strerror`, `msg`), never about the event.
    """
    at = error.__traceback__
    while at is not None and at.tb_next is not None and "hook" in at.tb_next.tb_frame.f_code.co_filename:
        at = at.tb_next
    place = ""
    if at is not None:
        place = f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}"  # noqa: PTH119
    words = error.strerror if isinstance(error, OSError) else getattr(error, "msg", "")
    kind = type(error).__name__ + (f": {words}" if isinstance(words, str) and words else "")
    append(ERRORS, {"at": int(now), "client": client, "rule": rule, "error": kind, "place": place})


def append(name: str, row: dict[str, object]) -> None:
    """A line at the end of a file of the folder, in one write."""
    make_folder()
    path = f"{folder()}/{name}"
    fields = {key: value[:LONGEST_FIELD] if isinstance(value, str) else value for key, value in row.items()}
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, (dumps(fields) + "\n").encode())
        long = os.fstat(handle).st_size > LONGEST_FILE
    finally:
        os.close(handle)
    if long:
        _set_aside(path)


def _set_aside(path: str) -> None:
    try:
        with open(f"{path}.lock", "a", encoding="utf-8") as stream:  # noqa: PTH123
            lock(stream)
            if os.path.getsize(path) > LONGEST_FILE:  # noqa: PTH202
                os.replace(path, f"{path}.1")  # noqa: PTH105
    except OSError:  # another process has just done it, or the next one will
        pass


def lock(stream: TextIO) -> None:
    """Wait until no other process has this file; it is let go when the file is closed."""
    try:
        import fcntl
    except ImportError:  # Windows: two calls of one batch may both speak
        return
    fcntl.flock(stream, fcntl.LOCK_EX)
