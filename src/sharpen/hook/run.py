"""The course of one hook process: read the event, try the rules, speak or stay silent, always exit with 0.

Whatever goes wrong in here must not disturb the agent's work: errors are noted in the state folder, for
`sharpen hook log`, and nothing is printed. With `--user` the rules of the home folder are read, with
`--rules FILE` those of a plugin, otherwise those of the project that the client works in: a project's rules
are only as trusted as the project's own hook settings are.
"""

from __future__ import annotations

import os
import sys
import time

from sharpen.hook.answer import CLIENTS, HOLDS, SHORT_NAMES, answer, framed
from sharpen.hook.event import AFTER_TOOL, COMPACTED, PROMPTED, Event
from sharpen.hook.quick_json import loads

RULES = ".agents/sharpen/events.jsonl"
"""The installed rules, below a project or a home folder."""
LOG = "log"
"""What people ask for in a client's place."""
PATIENCE = 3.0
"""Seconds for everything; then the process ends silently. Clients wait for five."""
LONGEST_EVENT = 64 * 1024 * 1024
"""Bytes of an event that is looked at; Gemini CLI sends a command's output whole, and twice."""


class OutOfTime(BaseException):
    """The process has had its time. No Exception, so that nothing on the way takes it for its own."""

    msg = f"no answer within {PATIENCE:g} s"


class TooLongError(ValueError):
    """An event of more bytes than are looked at."""

    msg = f"an event of more than {LONGEST_EVENT >> 20} MB"


class NotJSONError(ValueError):
    """An event that nobody can read."""

    msg = "the event was no JSON"


class UnknownClientError(ValueError):
    """A hook that somebody wrote for a client of another name."""

    msg = f"no client is called that; known are {', '.join(CLIENTS)}"


def run_if_meant(arguments: list[str]) -> None:
    """Be the hook process, and end, where a client is named through a pipe; otherwise return.

    Any word may be meant for a client: an agent takes an error for a reason to stop.
    """
    client = SHORT_NAMES.get(arguments[0], arguments[0]) if arguments else LOG
    if client == LOG or client.startswith("-") or _by_hand():
        return
    sys.stderr = None  # not even a warning about a pattern is for the agent
    try:
        _end_after(PATIENCE)
        said = respond(client, _given(), arguments[1:])
        if said:
            _print(said.encode() + b"\n")
    except BaseException as error:  # noqa: BLE001  # an agent at work is not to be disturbed by this
        _note(client, "", error)
    os._exit(0)  # nothing is left to tidy up, and an interpreter's end takes time


def respond(client: str, payload: str, options: list[str]) -> str:
    """What to print about this event; empty for nothing."""
    if client not in CLIENTS:
        raise UnknownClientError
    try:
        given = loads(payload) if payload.strip() else None
    except (ValueError, RecursionError):
        raise NotJSONError from None
    if not isinstance(given, dict):
        return ""
    event = Event(client, given)
    if event.name in AFTER_TOOL:
        return _after_tool(event, rules_file(event.cwd, options))
    from sharpen.hook import memory

    if event.name in COMPACTED:
        memory.rearm(event)
    texts = memory.held(event) if event.name in PROMPTED and client in HOLDS else []
    return answer(client, event.name, texts) if texts else ""


def _after_tool(event: Event, path: str | None) -> str:
    if path is None:
        return ""
    from sharpen.hook.matching import fitting

    with open(path, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
        lines = stream.read().split("\n")
    rules = fitting(event, lines, lambda rule, error: _note(event.client, rule, error))
    if not rules:
        return ""
    if event.client == "codex" and not event.seconds:
        from sharpen.hook.rollout import complete

        complete(event)
    from sharpen.hook import memory

    texts = [framed(rule) for rule in memory.admitted(rules, event)]
    if texts and event.client in HOLDS:
        memory.hold(texts, event)
        return ""
    return answer(event.client, event.name, texts) if texts else ""


def rules_file(cwd: str, options: list[str]) -> str | None:
    """The rules that count: the named ones, the home's, or those of the nearest project above `cwd`."""
    if options[:1] == ["--rules"]:
        return options[1]
    from sharpen.hook.journal import home

    if options[:1] == ["--user"]:
        return _file_in(home())
    here = cwd if os.path.isabs(cwd) else os.getcwd()  # noqa: PTH117, PTH109
    try:
        ending = home()
    except OSError:
        ending = ""
    while here != ending:
        found = _file_in(here)
        above = os.path.dirname(here)  # noqa: PTH120
        if found or above == here:
            return found
        here = above
    return None


def _file_in(place: str) -> str | None:
    """The rules in that folder, unless it is no project."""
    path = os.path.join(place, RULES)  # noqa: PTH118
    return path if os.path.isfile(path) and not is_shared(place) else None  # noqa: PTH113


def is_shared(place: str) -> bool:
    """Whether everybody may put something into the folder, as into /tmp: then it is no project."""
    shared = 0o1002  # sticky, and others may write
    return os.stat(place).st_mode & shared == shared  # noqa: PTH116


def _by_hand() -> bool:
    """A client gives its event through a pipe; at a terminal somebody is waiting for an explanation."""
    try:
        return os.isatty(0)
    except OSError:
        return False


def _given() -> str:
    """Standard input, read to its end in any case: a client must not find a closed pipe."""
    parts, size = [], 0
    while part := os.read(0, 1 << 20):
        size += len(part)
        if size <= LONGEST_EVENT:
            parts.append(part)
    if size > LONGEST_EVENT:
        raise TooLongError
    return b"".join(parts).decode("utf-8", "replace")


def _print(said: bytes) -> None:
    while said:
        said = said[os.write(1, said) :]


def _end_after(seconds: float) -> None:
    """Patterns were tried out when they were installed; this is for the one that slipped through."""
    # `signal` without its enumerations, which take a millisecond
    import _signal  # type: ignore[import-not-found]

    def end(*_: object) -> None:
        raise OutOfTime

    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, end)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _note(client: str, rule: str, error: BaseException) -> None:
    try:
        from sharpen.hook.journal import failure

        failure(client, rule, error, time.time())
    except BaseException:  # noqa: BLE001  # no place to write: then nobody can be told
        pass
