"""From what a run printed to a session, and from a session to a verdict on the run itself.

Credentials and the attempt's own folder names are taken out of every string before a reader sees it.
Whether the run measured anything, and whether the skill was opened in it, is decided here; whether the task
was solved is the scorer's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sharpen.agents.coding.home import Folders
from sharpen.agents.coding.process import MOST_OUTPUT, Finished
from sharpen.clients import Client
from sharpen.redaction import redact
from sharpen.skills import Skill
from sharpen.traces import STREAMS, Events, Result, Session, ToolCall
from sharpen.traces.session import SKILL_TOOLS, skills_in
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


def opened(session: Session, name: str, skill: Skill) -> bool:
    """Whether the agent got to read the skill: its client's tool gave it, or a command printed its file."""
    return any(not _failed(result) or _shows(result, skill) for _, result in _openings(session, name))


def withheld(client: Client, session: Session, name: str, skill: Skill) -> str:
    """Why the agent asked for the skill and its client could not give it; empty when nothing of the kind was.

    That is the client's failure, not the agent's: the attempt says nothing about the skill.
    """
    if opened(session, name, skill):
        return ""
    for call, result in _openings(session, name):
        if call.function_name in SKILL_TOOLS:
            return f"{client.title} could not open the skill {name!r}: {result.content}"[:LONGEST_REASON]
    return ""


def _openings(session: Session, name: str) -> Iterator[tuple[ToolCall, Result]]:
    """Calls that ask for the skill or its files, with what came of them."""
    for step in session.steps:
        results = {result.source_call_id: result for result in step.results}
        for call in step.tool_calls:
            if call.tool_call_id in results and name in skills_in(call):
                yield call, results[call.tool_call_id]


def _failed(result: Result) -> bool:
    return bool(result.extra.get("failed")) or result.exit_code not in (None, 0)


def _shows(result: Result, skill: Skill) -> bool:
    """Whether the skill's longest line is in a result: a command may print the file and fail later."""
    line = max(skill.body.splitlines(), key=len, default="").strip()
    return bool(line) and line in str(result.content)


def _complaint(finished: Finished) -> str:
    """The most telling line of standard error: the first that speaks of an error, else the last."""
    lines = [line.strip() for line in finished.complaint.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines[-1:]
    return f": {telling[0]}"[:LONGEST_REASON] if telling else ""


def usage_of(session: Session, model: str) -> Usage | None:
    """What the run cost, as the client reported it; None when it reported no tokens."""
    spent = session.spent
    if spent is None or spent.prompt_tokens is None or spent.completion_tokens is None:
        return None
    calls = spent.calls if spent.calls is not None else max(1, len(session.steps))
    return Usage(spent.prompt_tokens, spent.completion_tokens, calls, spent.usd, model)
