"""From what a run printed to a session, and from a session to a verdict on the run itself.

Credentials and the attempt's own folder names are taken out of every string before a reader sees it.
Whether the run measured anything is decided here; whether the task was solved is the scorer's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from sharpen.agents.coding.home import Folders
from sharpen.agents.coding.process import MOST_OUTPUT, Finished
from sharpen.clients import Client
from sharpen.redaction import redact
from sharpen.traces import STREAMS, Events, Session
from sharpen.types import Usage

LONGEST_REASON = 500


def cleaner(folders: Folders, secrets: Iterable[str]) -> Callable[[str], str]:
    """Takes out known secrets and whatever looks like one; folder names become `$HOME` and `$WORK`."""
    known = [secret for secret in secrets if secret]
    places = ((str(folders.work), "$WORK"), (str(folders.home), "$HOME"), (str(folders.root), "$ROOT"))

    def clean(text: str) -> str:
        for place, name in places:
            text = text.replace(place, name)
        for secret in known:
            text = text.replace(secret, "[redacted:key]")
        return redact(text)

    return clean


def read_run(client: Client, finished: Finished, folders: Folders, clean: Callable[[str], str]) -> Session:
    """The session of a run: its stream, completed by the client's session file where there is one."""
    reader = STREAMS[client.name]
    # Split at newlines only: JSON strings may hold Unicode's other line ends as they are.
    session = reader.read(Events(finished.output.split("\n"), clean=clean))
    if reader.complete is not None and client.session_files:
        for path in sorted(folders.home.glob(client.session_files)):
            events = Events(_lines(path), clean=clean)
            session = reader.complete(session, events)
            session = replace(session, unread=session.unread + events.unread)
    return session


def _lines(path: Path) -> list[str]:
    with path.open("rb") as stream:
        return stream.read(MOST_OUTPUT).decode("utf-8", "replace").split("\n")


def breakdown(client: Client, finished: Finished, session: Session, timeout: float) -> str:
    """Why the run measured nothing; empty when the agent really ran to its end."""
    if finished.code is None:
        return f"{client.title} was ended after {timeout:g} seconds"
    if session.errors:
        return f"{client.title}: {session.errors[-1]}"[:LONGEST_REASON]
    if session.limit:
        return ""
    if finished.code != 0:
        return f"{client.title} exited with code {finished.code}{_complaint(finished)}"
    if not session.finished:
        return f"{client.title} printed no end of its run{_complaint(finished)}"
    return ""


def _complaint(finished: Finished) -> str:
    """The most telling line of standard error: the first that speaks of an error, else the last."""
    lines = [line.strip() for line in finished.complaint.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines[-1:]
    return f": {telling[0]}"[:LONGEST_REASON] if telling else ""


def usage_of(session: Session, model: str) -> Usage | None:
    """What the run cost, as the client reported it; None when it reported nothing."""
    spent = session.spent
    if spent is None:
        return None
    calls = spent.calls if spent.calls is not None else max(1, len(session.steps))
    return Usage(spent.prompt_tokens, spent.completion_tokens, calls, spent.usd, model)
