"""What was said in a session, so that nothing is said twice too soon.

Several calls of one batch end at the same time, each with a hook process of its own; a lock on the session's
file makes exactly one of them speak. A batch is the calls of one answer of the model. Only Gemini CLI tells
when one is over; for the others a call belongs to the batch in which a rule spoke if it *began* no later
than a moment after that, for no model answers so quickly.
"""

from __future__ import annotations

import os
import time

from sharpen.hook import journal
from sharpen.hook.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BATCH = 2.0
"""Seconds after a call within which another one that begins is taken for one of the same batch."""
TELL_BATCHES = ("gemini",)
"""Clients with an event between one answer of the model and the next."""
LONGEST_BATCH = 600.0
"""Seconds after which a batch is over even if such a client has said nothing."""
COOLDOWN = 300
"""Seconds a rule stays silent after speaking, unless it says otherwise."""
MOST = 3
"""Rules that may speak about one event."""
KEPT = 7 * 86_400
"""Seconds that a session's file is kept after its last use."""
_BREAK = "\tbatch"
"""In the place of a rule's name: the time at which a batch was over."""


class Said:
    """When a rule spoke, when its batch was last seen, and a checksum of the command it spoke about."""

    __slots__ = ("at", "command", "seen")

    def __init__(self, at: float, seen: float, command: str) -> None:
        self.at, self.seen, self.command = at, seen, command


def admitted(rules: Iterable[dict[str, object]], event: Event) -> list[dict[str, object]]:
    """Of the rules that apply, those that may speak now; all of it is recorded."""
    now = time.time()
    command = _checksum(event)
    with _Session(event) as session:
        spoken: list[dict[str, object]] = []
        for rule in rules:
            name = " ".join(str(rule.get("id")).split())  # a line of the session's file has one name
            last = session.said.get(name)
            if last is not None and session.same_batch(last, now):
                session.note(name, Said(last.at, now, last.command))
            elif last is not None and _cooling(rule, last, now):
                journal.firing("again", rule, event, now, same=last.command == command)
            elif len(spoken) < MOST:
                session.note(name, Said(now, now, command))
                same = last is not None and last.command == command
                journal.firing("fired", rule, event, now, same=same)
                spoken.append(rule)
        return spoken


def rearm(event: Event) -> None:
    """After compaction the model no longer has what was said: everything may be said again.

    Gemini CLI tells of every look whether a compression is due, before each request; only one that its user
    asked for is certain. The others mark the end of a batch.
    """
    if not os.path.exists(_path(event, ".said")):  # noqa: PTH110
        return
    with _Session(event) as session:
        if event.client in TELL_BATCHES and event.trigger != "manual":
            session.end_batch(time.time())
        else:
            session.forget()


def hold(texts: list[str], event: Event) -> None:
    """Keep texts for a client that listens later."""
    with open(_path(event, ".held"), "a", encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
        stream.write("".join(text.replace("\n", " ") + "\n" for text in texts))


def held(event: Event) -> list[str]:
    """What was kept, once."""
    path = _path(event, ".held")
    taken = f"{path}.{os.getpid()}"
    try:
        os.rename(path, taken)  # noqa: PTH104  # whoever renames it has it
    except OSError:
        return []
    with open(taken, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
        texts = [line for line in stream.read().split("\n") if line]
    os.unlink(taken)  # noqa: PTH108
    return texts


def _cooling(rule: dict[str, object], last: Said, now: float) -> bool:
    """Whether the cooldown lasts; a clock that was set back by more than it does not prolong it."""
    asked = rule.get("cooldown")
    cooldown = asked if type(asked) in (int, float) else COOLDOWN
    return abs(now - last.at) < cooldown  # type: ignore[operator]


class _Session:
    """The session's file, locked: a line whenever a rule spoke, was seen again, or a batch was over."""

    def __init__(self, event: Event) -> None:
        self._event = event
        path = _path(event, ".said")
        journal.make_folder()
        if not os.path.exists(path):  # noqa: PTH110
            _prune(time.time())
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._stream = open(handle, "a+", encoding="utf-8", errors="replace")  # noqa: PTH123, SIM115
        self.said: dict[str, Said] = {}

    def __enter__(self) -> _Session:
        journal.lock(self._stream)
        self._stream.seek(0)
        for line in self._stream.read().split("\n"):
            parts = line.rsplit("\t", 3)
            if len(parts) == 4:
                try:
                    self.said[parts[0]] = Said(float(parts[1]), float(parts[2]), parts[3])
                except ValueError:  # cut when the disk was full
                    continue
        return self

    def __exit__(self, *problem: object) -> None:
        self._stream.close()

    def same_batch(self, last: Said, now: float) -> bool:
        if self._event.client in TELL_BATCHES:
            over = self.said.get(_BREAK)
            return abs(now - last.at) < LONGEST_BATCH and (over is None or over.at < last.at)
        began = now - self._event.seconds
        return began < last.seen + BATCH and last.seen < now + BATCH

    def note(self, name: str, said: Said) -> None:
        self.said[name] = said
        self._stream.write(f"{name}\t{said.at}\t{said.seen}\t{said.command}\n")

    def end_batch(self, now: float) -> None:
        """Noted once after something was said, however many batches there are until the next time."""
        over = self.said.get(_BREAK)
        if over is None or any(said.at > over.at for said in self.said.values()):
            self.note(_BREAK, Said(now, 0.0, ""))

    def forget(self) -> None:
        self._stream.truncate(0)


def _checksum(event: Event) -> str:
    """Tells whether two commands are the same, and nothing else about them."""
    from zlib import crc32

    return f"{crc32(event.command.strip().encode('utf-8', 'replace')):08x}" if event.command else "-"


def _path(event: Event, ending: str) -> str:
    """A sub-agent has not heard what its parent has: it has a file of its own."""
    from zlib import crc32

    whole = f"{event.client}\n{event.session or event.cwd}\n{event.agent}".encode("utf-8", "replace")
    named = f"{event.client}-{(event.session or event.cwd)[-60:]}"
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in named)
    return f"{journal.folder()}/{plain}-{crc32(whole):08x}{ending}"


def _prune(now: float) -> None:
    """Files of sessions that have been over for long; asked once per session that hears something."""
    for entry in os.scandir(journal.folder()):
        if ".said" in entry.name or ".held" in entry.name:
            try:
                if now - entry.stat().st_mtime > KEPT:
                    os.unlink(entry.path)  # noqa: PTH108
            except OSError:  # another process was quicker
                continue
