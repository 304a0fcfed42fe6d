"""Putting pieces of text into settings files that belong to somebody else, and taking them out again.

What is put in is remembered word for word. Taking the same pieces out in reverse order restores the file
byte for byte, also when other parts of it have changed since. A file that does not parse is left as it is:
the error says where. TOML gets a marked block at its end, which is valid wherever tables may still begin.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import NamedTuple

from sharpen.errors import UsageError
from sharpen.install import jsonc

BEGIN = "# >>> sharpen: written by `sharpen install`, removed by `sharpen uninstall`"
END = "# <<< sharpen"


class Pieced(NamedTuple):
    """A text with the pieces that were put into it, in order."""

    text: str
    pieces: tuple[jsonc.Insertion, ...] = ()

    def put(self, insertion: jsonc.Insertion) -> Pieced:
        return Pieced(insertion.into(self.text), (*self.pieces, insertion))


def decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _untouched(path, f"byte {error.start + 1} is not UTF-8") from error


def append_json(
    given: Pieced, keys: tuple[str, ...], element: object, *, path: str, comments: bool = False
) -> Pieced:
    """The text with one more element in the array under these keys."""
    if not given.text.strip("\ufeff \t\r\n"):
        return given.put(jsonc.Insertion(len(given.text), _whole(keys, [element])))
    root = _parsed(given.text, path, comments=comments)
    try:
        return given.put(jsonc.appended(given.text, root, keys, element))
    except jsonc.JsonError as problem:
        raise _untouched(path, problem.where) from problem


def add_json(given: Pieced, keys: tuple[str, ...], value: object, *, path: str) -> Pieced:
    """The text with this value under these keys."""
    if not given.text.strip("\ufeff \t\r\n"):
        return given.put(jsonc.Insertion(len(given.text), _whole(keys, value)))
    try:
        return given.put(jsonc.added(given.text, _parsed(given.text, path), keys, value))
    except jsonc.JsonError as problem:
        raise _untouched(path, problem.where) from problem


def append_toml(given: Pieced, body: str, *, path: str) -> Pieced:
    """The text with a marked block at its end."""
    _check_toml(given.text, path)
    lead = "" if not given.text or given.text.endswith("\n") else "\n"
    piece = f"{lead}{BEGIN}\n{body}{END}\n"
    after = given.put(jsonc.Insertion(len(given.text), piece))
    try:
        tomllib.loads(after.text)
    except tomllib.TOMLDecodeError as error:
        raise _untouched(
            path, f"{error}; what has to be added is a table there already. Add by hand:\n{body}"
        ) from error
    return after


def taken_out(text: str, pieces: Sequence[jsonc.Insertion]) -> str | None:
    """The text without the pieces; None when one of them is no longer there as it was written.

    First where they were put, then all moved by the same distance (something before them has changed), and
    then each wherever it is, if that is certain.
    """
    if not any(one.piece in text for one in pieces):
        return text  # nothing was put in, or everything was taken out by hand
    last = pieces[-1]
    places = [last.at, *(found.start() for found in re.finditer(re.escape(last.piece), text))]
    for moved in (place - last.at for place in places):
        clean = _taken_out_at(text, pieces, moved)
        if clean is not None:
            return clean
    for piece in (one.piece for one in reversed(pieces)):
        if text.count(piece) != 1:
            return None
        text = text.replace(piece, "")
    return text


def _taken_out_at(text: str, pieces: Sequence[jsonc.Insertion], moved: int) -> str | None:
    for at, piece in reversed(pieces):
        if at + moved < 0 or not text.startswith(piece, at + moved):
            return None
        text = text[: at + moved] + text[at + moved + len(piece) :]
    return text


def without_command(text: str, command: str, *, path: str, comments: bool) -> str:
    """The text without hooks that start this command, for a file that was written anew since."""
    while True:
        root = _parsed(text, path, comments=comments)
        found = _group_with(root, command)
        if found is None:
            return text
        text = jsonc.without(text, *found)


def starts_command(text: str, event: str, command: str, *, path: str, comments: bool) -> bool:
    """Whether the settings start this command for this event already."""
    if not text.strip("\ufeff \t\r\n"):
        return False
    root = _parsed(text, path, comments=comments)
    hooks = root.members.get("hooks")
    event_node = hooks.members.get(event) if hooks else None
    return event_node is not None and any(_starts(group, command) for group in event_node.elements)


def _group_with(root: jsonc.Node, command: str) -> tuple[jsonc.Node, jsonc.Node] | None:
    hooks = root.members.get("hooks")
    for event in hooks.members.values() if hooks else ():
        for group in event.elements:
            if _starts(group, command):
                inner = group.members["hooks"]
                if len(inner.elements) == 1:
                    return event, group
                return inner, next(hook for hook in inner.elements if _is(hook, command))
    return None


def _starts(group: jsonc.Node, command: str) -> bool:
    inner = group.members.get("hooks")
    return inner is not None and any(_is(hook, command) for hook in inner.elements)


def _is(hook: jsonc.Node, command: str) -> bool:
    there = hook.members.get("command")
    return there is not None and there.value == command


def _whole(keys: tuple[str, ...], value: object) -> str:
    for key in reversed(keys):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _parsed(text: str, path: str, *, comments: bool = False) -> jsonc.Node:
    try:
        return jsonc.parse(text, comments=comments)
    except jsonc.JsonError as problem:
        raise _untouched(path, problem.where) from problem


def _check_toml(text: str, path: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _untouched(path, str(error)) from error


def _untouched(path: str, where: str) -> UsageError:
    return UsageError(f"{path} cannot be read as settings and was left as it is: {where}")
