"""The course of one hook process: read the event, try the rules, speak or stay silent, always exit with 0.

Whatever goes wrong in here must not disturb the agent's work: errors are noted in the state folder and
nothing is printed. With `--user` the rules of the home folder are read, with `--rules FILE` those of a
plugin, otherwise those of the project that the client works in: a project's rules are only as trusted as
the project's own hook settings are.
"""

from __future__ import annotations

import os
import sys

from sharpen.hook.answer import CLIENTS, HOLDS, answer, framed
from sharpen.hook.event import AFTER_TOOL, COMPACTED, PROMPTED, Event
from sharpen.hook.quick_json import loads

RULES = ".agents/sharpen/events.jsonl"
"""The installed rules, below a project or a home folder."""
PATIENCE = 1.0
"""Seconds that matching may take; then the process ends silently."""


def run_if_meant(arguments: list[str]) -> None:
    """Be the hook process if a client's name is given, and end; otherwise return."""
    if not arguments or arguments[0] not in CLIENTS:
        return
    try:
        said = respond(arguments[0], sys.stdin.buffer.read().decode("utf-8", "replace"), arguments[1:])
        if said:
            os.write(1, said.encode() + b"\n")
    except BaseException as error:  # noqa: BLE001  # an agent at work is not to be disturbed by this
        _note(error)
    os._exit(0)  # nothing is left to tidy up, and an interpreter's end takes time


def respond(client: str, payload: str, options: list[str]) -> str:
    """What to print about this event; empty for nothing."""
    given = loads(payload)
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
    from sharpen.hook.matching import applies, rules_for

    with open(path, encoding="utf-8") as stream:  # noqa: PTH123
        lines = stream.read().split("\n")
    likely = list(rules_for(event, lines))
    if not likely:
        return ""
    _end_after(PATIENCE)
    fitting = [rule for rule in likely if applies(rule, event, _exit_code)]
    if not fitting:
        return ""
    from sharpen.hook import memory

    texts = [framed(rule) for rule in memory.admitted(fitting, event)]
    if texts and event.client in HOLDS:
        memory.hold(texts, event)
        return ""
    return answer(event.client, event.name, texts) if texts else ""


def rules_file(cwd: str, options: list[str]) -> str | None:
    """The rules that count: the named ones, the home's, or those of the nearest project above `cwd`."""
    if options[:1] == ["--rules"]:
        return options[1]
    home = os.path.expanduser("~")  # noqa: PTH111
    if options[:1] == ["--user"]:
        return _file_in(home)
    here = cwd or os.getcwd()  # noqa: PTH109
    while here != home:
        found = _file_in(here)
        above = os.path.dirname(here)  # noqa: PTH120
        if found or above == here:
            return found
        here = above
    return None


def _file_in(place: str) -> str | None:
    path = os.path.join(place, RULES)  # noqa: PTH118
    return path if os.path.isfile(path) else None  # noqa: PTH113


def _exit_code(event: Event) -> int | None:
    """Asked when a rule wants to know and the payload did not say."""
    if event.client != "codex":
        return None
    from sharpen.hook.rollout import exit_code

    return exit_code(event.transcript, event.call)


def _end_after(seconds: float) -> None:
    """Patterns were tried out when they were installed; this is for the one that slipped through."""
    # `signal` without its enumerations, which take a millisecond
    import _signal  # type: ignore[import-not-found]

    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _note(error: BaseException) -> None:
    try:
        from sharpen.hook.memory import append

        append("errors.log", f"{type(error).__name__}: {error}"[:500].replace("\n", " "))
    except OSError:
        pass
