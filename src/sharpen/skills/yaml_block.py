"""Read the small YAML of a frontmatter block without trusting it.

Only events of the parser are used, and every scalar stays the string that was written, so that nothing is
constructed, resolved or expanded: aliases, anchors, tags, deep nesting and oversized blocks are refused.
Values that should have been quoted, common in the wild, are quoted and read again. It knows no field names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sharpen.errors import SkillError

MAX_CHARS = 32_768
MAX_DEPTH = 6
_KEY_VALUE = re.compile(r"([ ]*)([A-Za-z0-9_.-]+):[ \t]+(\S.*)")


def read_block(block: str) -> dict[str, object]:
    """The mapping a frontmatter block holds: strings, lists and mappings of strings. SkillError otherwise."""
    if len(block) > MAX_CHARS:
        raise SkillError(f"the frontmatter has {len(block)} characters; keep it under {MAX_CHARS}")
    try:
        return _read(block)
    except SkillError:
        repaired = quote_values(block)
        if repaired == block:
            raise
        return _read(repaired)


def reads_strictly(block: str) -> bool:
    """Whether the block is YAML as it stands, without the repair."""
    try:
        _read(block)
    except SkillError:
        return False
    return True


def _read(block: str) -> dict[str, object]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="safe", pure=True)
    try:
        value = _document(_Events(yaml.parse(block)))
    except YAMLError as error:
        raise SkillError(f"the frontmatter is not YAML: {_one_line(error)}; quote the values") from error
    except SkillError:
        raise
    except Exception as error:  # the parser itself trips over some garbage, in many ways
        raise SkillError(f"the frontmatter is not YAML ({type(error).__name__}); quote the values") from error
    if not isinstance(value, dict):
        raise SkillError("the frontmatter is not a mapping; write it as 'key: value' lines")
    return value


class _Events:
    """The parser's events, one at a time, refusing whatever a frontmatter has no business to hold."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events

    def next(self) -> Any:
        event = next(self._events)
        kind = type(event).__name__
        if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise SkillError("the frontmatter uses a YAML anchor or alias; write the value out, quoted")
        if kind not in ("DocumentStartEvent", "DocumentEndEvent") and getattr(event, "tag", None) is not None:
            raise SkillError("the frontmatter uses a YAML tag; write a plain, quoted value")
        return event


def _document(events: _Events) -> object:
    for expected in ("StreamStartEvent", "DocumentStartEvent"):
        if type(events.next()).__name__ != expected:
            return None
    value = _node(events.next(), events, depth=0)
    for expected in ("DocumentEndEvent", "StreamEndEvent"):
        if type(events.next()).__name__ != expected:
            raise SkillError("the frontmatter holds more than one YAML document; keep one mapping")
    return value


def _node(event: Any, events: _Events, *, depth: int) -> object:
    if depth > MAX_DEPTH:
        raise SkillError(f"the frontmatter is nested more than {MAX_DEPTH} levels deep; flatten it")
    kind = type(event).__name__
    if kind == "SequenceStartEvent":
        return _sequence(events, depth=depth)
    if kind == "MappingStartEvent":
        return _mapping(events, depth=depth)
    return str(event.value)


def _sequence(events: _Events, *, depth: int) -> list[object]:
    items: list[object] = []
    while type(event := events.next()).__name__ != "SequenceEndEvent":
        items.append(_node(event, events, depth=depth + 1))
    return items


def _mapping(events: _Events, *, depth: int) -> dict[str, object]:
    items: dict[str, object] = {}
    while type(event := events.next()).__name__ != "MappingEndEvent":
        if type(event).__name__ != "ScalarEvent":
            raise SkillError("the frontmatter has a key that is not a plain word; write 'key: value' lines")
        key = str(event.value)
        if key in items:
            raise SkillError(f"the frontmatter has the key {key[:80]!r} twice; keep one of them")
        items[key] = _node(events.next(), events, depth=depth + 1)
    return items


def quote_values(block: str) -> str:
    """Quote plain values with a colon or a reserved first character, and the lines that continue them."""
    lines = block.splitlines()
    out: list[str] = []
    while lines:
        line = lines.pop(0)
        match = _KEY_VALUE.fullmatch(line)
        if match is None:
            out.append(line)
            continue
        indent, key, value = match.groups()
        deeper = []
        while lines and (not lines[0].strip() or lines[0].startswith(indent + " ")):
            deeper.append(lines.pop(0))
        if value[0] in "|>\"'[{&*!" or (value[0] not in "@`%" and ": " not in value + " "):
            out += [line, *deeper]
        else:
            words = " ".join(" ".join([value, *deeper]).split())
            out.append(f"{indent}{key}: '" + words.replace("'", "''") + "'")
    return "\n".join(out) + "\n"


def _one_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    where = "" if mark is None else f" (line {mark.line + 2})"
    return " ".join(str(problem).split())[:200] + where
