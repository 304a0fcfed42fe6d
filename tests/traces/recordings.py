"""The recorded streams of real clients, and what is known about the runs they come from.

The recordings are made by `tests/clients/record.py`: a run in which the agent opens the skill, writes a
file with a command that exits with 3 and says so, and a run that the provider refused with status 401.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sharpen.traces import STREAMS, Events, Session

DATA = Path(__file__).parent / "data"
CLIENTS = ("codex", "claude-code", "gemini", "opencode", "kimi", "copilot")

# Two tool turns and a closing message, billed by the loopback model: 1010 + 1020 + 1030 and so on.
PROMPT_TOKENS, CACHED_TOKENS, COMPLETION_TOKENS, CALLS = 3060, 306, 66, 3
FINAL = "Done: wrote alpha.txt"


@dataclass(frozen=True)
class Recording:
    client: str
    stream: list[str]
    session_file: list[str]


def recording(client: str, name: str) -> Recording:
    beside = DATA / f"{client}_{name}_session.jsonl"
    return Recording(
        client,
        (DATA / f"{client}_{name}.jsonl").read_text().split("\n"),
        beside.read_text().split("\n") if beside.exists() else [],
    )


def read(recorded: Recording, **options: object) -> Session:
    """The session in a recording, completed where the client has a session file."""
    reader = STREAMS[recorded.client]
    session = reader.read(Events(recorded.stream, **options))
    if reader.complete and recorded.session_file:
        session = reader.complete(session, Events(recorded.session_file, **options))
    return session
