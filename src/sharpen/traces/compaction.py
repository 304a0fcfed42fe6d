"""A conversation as text that fits a budget of tokens: what was done stays whole, what was long is cut.

Reads ATIF trajectories, and loosely any JSON that looks like a conversation: messages with roles, tool calls
with outputs, actions with feedback. Actions come first, then the final diff, then errors and words, then
outputs, then reasoning; what does not fit loses its middle, and a mark says how much. The same input gives
the same text, and no text is over its budget. Nothing here judges what was done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sharpen.skills import tokens
from sharpen.traces.atif import to_json
from sharpen.traces.trajectory import Trajectory

Kind = Literal["action", "diff", "error", "said", "output", "reasoning"]

RIGHTS: tuple[tuple[Kind, ...], ...] = (
    ("action",),
    ("diff",),
    ("error", "said"),
    ("output",),
    ("reasoning",),
)
"""Who is served first when there is not enough for all."""
LEAST = 24
"""Tokens that every entry gets before anybody gets more; entries go when there is not even that much."""
NOTE = 12
"""Tokens of the line that says how many entries went."""
HEAD = 1 / 3
"""Share of what is kept that comes from the beginning: errors and results stand at the end."""
WIDEST = 12
"""Characters per token tried at most when a text is cut."""

_DIFF = re.compile(r"^(?:diff --git |--- \S.*\n\+\+\+ \S)", re.MULTILINE)
_TURNS = ("steps", "messages", "conversation", "turns", "trajectory", "history")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking", "thought", "thoughts")
_WORDS = ("message", "content", "text")
_DEEDS = ("cmd", "command", "action")
_RESULTS = ("obs", "env_feedback", "observation", "output", "result", "feedback")
_SPEAKERS = ("source", "role", "name")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened in one turn."""

    kind: Kind
    label: str
    text: str

    def cut_to(self, room: int) -> str:
        label = f"{self.label} "
        return label + cut(self.text, room - tokens(label))

    @property
    def tokens(self) -> int:
        return tokens(f"{self.label} {self.text}")


def compact(conversation: object, budget: int, *, known: str = "") -> str:
    """The conversation in at most `budget` tokens; a message that says exactly `known` is not repeated."""
    entries = [entry for entry in entries_of(conversation) if not known or entry.text != known.strip()]
    whole = "\n".join(f"{entry.label} {entry.text}" for entry in entries)
    if tokens(whole) <= budget:
        return whole
    kept = _affordable(entries, budget)
    lost = len(entries) - len(kept)
    lines = [f"[{lost} of {len(entries)} entries are left out]"] if lost else []
    room = budget - len(kept) - sum(map(tokens, lines)) - len(lines)  # a line break is a token, too
    rooms = _rooms(kept, room)
    lines += [entry.cut_to(room) for entry, room in zip(kept, rooms, strict=True)]
    return cut("\n".join(lines), budget)


def cut(text: str, budget: int) -> str:
    """The text in at most `budget` tokens: its middle goes, and a mark says how many tokens went with it."""
    total = tokens(text)
    if total <= budget:
        return text
    best = next((mark for mark in (_mark(total), "…") if tokens(mark) <= budget), "")
    low, high = 0, min(len(text) - 1, max(budget, 0) * WIDEST)
    while low < high:
        kept = (low + high + 1) // 2
        shortened = _shortened(text, kept, total)
        if tokens(shortened) <= budget:
            best, low = shortened, kept
        else:
            high = kept - 1
    return best


def shares(wants: Sequence[int], available: int) -> list[int]:
    """What each gets: small wants are met whole, and what is left is divided evenly among the others."""
    given = [0] * len(wants)
    left = max(available, 0)
    order = sorted(range(len(wants)), key=lambda place: (wants[place], place))
    for served, place in enumerate(order):
        given[place] = min(wants[place], left // (len(order) - served))
        left -= given[place]
    return given


def entries_of(conversation: object) -> list[Entry]:
    """Everything that happened, in order; what does not look like a conversation is one entry."""
    value = to_json(conversation) if isinstance(conversation, Trajectory) else conversation
    turns = _turns(value)
    if turns is None:
        return [Entry("said", "record:", _text(value))] if value not in (None, "", {}, []) else []
    found = (entry for number, turn in enumerate(turns, 1) for entry in _entries(number, turn))
    return _with_final_diff([entry for entry in found if entry.text], value)


def _with_final_diff(entries: list[Entry], value: object) -> list[Entry]:
    """What the work came to: the patch that was handed in, else the last diff that a command showed."""
    extra = value.get("extra") if isinstance(value, Mapping) else None
    handed_in = extra.get("final_diff") if isinstance(extra, Mapping) else None
    if isinstance(handed_in, str) and handed_in.strip():
        return [*entries, Entry("diff", "final diff:", handed_in.strip())]
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if entry.kind == "output" and _DIFF.search(entry.text):
            return [*entries[:place], replace(entry, kind="diff"), *entries[place + 1 :]]
    return entries


# -- dividing the budget ---------------------------------------------------------------------------------


def _affordable(entries: list[Entry], budget: int) -> list[Entry]:
    """The entries for which the least is there: reasoning goes first, then outputs, then the middle."""
    least = [min(entry.tokens, LEAST) + 1 for entry in entries]
    first = {"reasoning": 0, "output": 1}
    middle = (len(entries) - 1) / 2
    leaving = sorted(
        range(len(entries)), key=lambda place: (first.get(entries[place].kind, 2), abs(place - middle), place)
    )
    gone: set[int] = set()
    needed = sum(least)
    for place in leaving:
        if needed <= budget - (NOTE if gone else 0):
            break
        gone.add(place)
        needed -= least[place]
    return [entry for place, entry in enumerate(entries) if place not in gone]


def _rooms(entries: list[Entry], budget: int) -> list[int]:
    wants = [entry.tokens for entry in entries]
    rooms = [min(want, LEAST) for want in wants]
    for kinds in RIGHTS:
        mine = [place for place, entry in enumerate(entries) if entry.kind in kinds]
        more = shares([wants[place] - rooms[place] for place in mine], budget - sum(rooms))
        for place, extra in zip(mine, more, strict=True):
            rooms[place] += extra
    return rooms


def _shortened(text: str, kept: int, total: int) -> str:
    head = int(kept * HEAD)
    start, end = text[:head].rstrip(), text[len(text) - (kept - head) :].lstrip()
    return f"{start} {_mark(total - tokens(start) - tokens(end))} {end}"


def _mark(missing: int) -> str:
    return f"[… {missing} tokens left out …]"


# -- reading what others wrote ---------------------------------------------------------------------------


def _turns(value: object) -> Sequence[object] | None:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, Mapping):
        for name in _TURNS:
            if isinstance(value.get(name), (list, tuple)):
                return list(value[name])
    return None


def _entries(number: int, turn: object) -> Iterator[Entry]:
    """A turn in the order in which it happened: thoughts, words, deeds, what came back."""
    if not isinstance(turn, Mapping):
        yield Entry("said", f"[{number}]", _text(turn))
        return
    speaker = next((str(turn[name]) for name in _SPEAKERS if turn.get(name)), "agent")
    for name in _THOUGHTS:
        if turn.get(name):
            yield Entry("reasoning", f"[{number}] {speaker} thinks:", _text(turn[name]))
    is_result = speaker == "tool" or turn.get("type") in ("tool_result", "function_call_output")
    for name in _WORDS:
        if turn.get(name):
            kind: Kind = ("error" if _failed(turn) else "output") if is_result else "said"
            yield Entry(kind, f"[{number}] {speaker}:", _text(turn[name]))
    yield from _deeds(number, turn)
    yield from _results(number, turn)


def _deeds(number: int, turn: Mapping[str, object]) -> Iterator[Entry]:
    calls = turn.get("tool_calls")
    for call in calls if isinstance(calls, (list, tuple)) else ():
        named = call.get("function", call) if isinstance(call, Mapping) else {"name": "", "arguments": call}
        named = named if isinstance(named, Mapping) else {"name": named, "arguments": call.get("arguments")}
        name = named.get("function_name") or named.get("name") or "tool"
        yield Entry("action", f"[{number}] calls {name}:", _text(named.get("arguments") or {}))
    for name in _DEEDS:
        if turn.get(name):
            yield Entry("action", f"[{number}] does:", _text(turn[name]))


def _results(number: int, turn: Mapping[str, object]) -> Iterator[Entry]:
    for name in _RESULTS:
        found = turn.get(name)
        listed = found.get("results") if isinstance(found, Mapping) else None
        for result in listed if isinstance(listed, (list, tuple)) else [found]:
            if not result:
                continue
            holder = result if isinstance(result, Mapping) else turn
            content = result.get("content", result) if isinstance(result, Mapping) else result
            failed, code = _failed(holder), _exit_code(holder)
            label = f"[{number}] result{f' (exit {code})' if code is not None else ''}:"
            yield Entry("error" if failed else "output", label, _text(content))


def _failed(holder: Mapping[str, object]) -> bool:
    extra = holder.get("extra")
    said = isinstance(extra, Mapping) and extra.get("failed") is True
    return said or bool(_exit_code(holder)) or bool(holder.get("is_error") or holder.get("error"))


def _exit_code(holder: Mapping[str, object]) -> int | None:
    extra = holder.get("extra")
    for place in (holder, extra if isinstance(extra, Mapping) else {}):
        code = place.get("exit_code")
        if isinstance(code, int) and not isinstance(code, bool):
            return code
    return None


def _text(value: object) -> str:
    """Text as it is; content parts as their texts; everything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple)) and value and all(isinstance(part, Mapping) for part in value):
        parts = [part.get("text") for part in value]
        if any(isinstance(part, str) for part in parts):
            both = zip(parts, value, strict=True)
            return "\n".join(part if isinstance(part, str) else _named(whole) for part, whole in both).strip()
    return json.dumps(value, ensure_ascii=False, default=str)


def _named(part: Mapping[str, object]) -> str:
    """A part that has no words, such as a picture: only that it was there."""
    return f"[{part.get('type', 'part')}]"
