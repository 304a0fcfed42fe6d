"""Putting pieces of text into settings files that belong to somebody else, and taking them out again.

What is put in is remembered word for word, so that taking it out restores the file byte for byte, also when
other parts of it have changed since. Where somebody changed the pieces themselves, or a program wrote the
file anew, ours is found by what it says. A file that does not parse is left as it is: the error says where.
TOML gets a marked block at its end, which is valid wherever tables may still begin.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpen.errors import UsageError
from sharpen.install import jsonc, toml_tables
from sharpen.install.toml_tables import OurTable

BEGIN = "# >>> sharpen: written by `sharpen install`, removed by `sharpen uninstall`"
END = "# <<< sharpen"
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)")


@dataclass(frozen=True)
class Syntax:
    """How a settings file is written, and what it is called in errors."""

    path: str
    toml: bool = False
    comments: bool = False
    """Whether its JSON may have comments and trailing commas."""

    def meaning(self, text: str) -> object:
        """What the text says; UsageError says where it cannot be read."""
        if not self.toml:
            root = self.parsed(text)
            return root.plain if root else {}
        try:
            return tomllib.loads(text.removeprefix(jsonc.BYTE_ORDER_MARK))
        except tomllib.TOMLDecodeError as error:
            raise self.untouched(_PLACE.sub("", str(error)), *_place_of(str(error), text)) from error

    def parsed(self, text: str) -> jsonc.Node | None:
        """The JSON with its places; None when it says nothing."""
        if jsonc.says_nothing(text, comments=self.comments):
            return None
        try:
            return jsonc.parse(text, comments=self.comments)
        except jsonc.JsonError as problem:
            raise self.untouched(*problem.args) from problem

    def untouched(self, what: str, line: int, column: int) -> UsageError:
        return UsageError(
            f"{self.path}:{line}:{column}: {what}. The file cannot be read as settings and was left as it is"
        )


def _place_of(message: str, text: str) -> tuple[int, int]:
    found = _PLACE.search(message)
    return (int(found[1]), int(found[2])) if found else (text.count("\n") + 1, 1)


class Pieced(NamedTuple):
    """A text with the pieces that were put into it, in order, and the keys that were not there before."""

    text: str
    pieces: tuple[jsonc.Insertion, ...] = ()
    made: tuple[jsonc.Keys, ...] = ()

    def put(self, insertion: jsonc.Insertion, made: Sequence[jsonc.Keys] = ()) -> Pieced:
        return Pieced(insertion.into(self.text), (*self.pieces, insertion), (*self.made, *made))


def decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise Syntax(path).untouched("this byte is not UTF-8", line, column) from error


def append_json(given: Pieced, keys: jsonc.Keys, element: object, syntax: Syntax) -> Pieced:
    """The text with one more element in the array under these keys."""
    return _put_json(
        given, keys, [element], syntax, lambda root: jsonc.appended(given.text, root, keys, element)
    )


def add_json(given: Pieced, keys: jsonc.Keys, value: object, syntax: Syntax) -> Pieced:
    """The text with this value under these keys."""
    return _put_json(given, keys, value, syntax, lambda root: jsonc.added(given.text, root, keys, value))


def _put_json(
    given: Pieced,
    keys: jsonc.Keys,
    whole: object,
    syntax: Syntax,
    insertion: Callable[[jsonc.Node], jsonc.Insertion],
) -> Pieced:
    root = syntax.parsed(given.text)
    made = tuple(jsonc.made_on_the_way(root, keys))
    if root is None:
        return given.put(jsonc.Insertion(len(given.text), _whole(given.text, keys, whole)), made)
    try:
        return given.put(insertion(root), made)
    except jsonc.JsonError as problem:
        raise syntax.untouched(*problem.args) from problem


def _whole(text: str, keys: jsonc.Keys, value: object) -> str:
    """A whole object for a file that says nothing; a comment on its last line ends first."""
    for key in reversed(keys):
        value = {key: value}
    newline = jsonc.newline_of(text)
    lead = newline if text.rpartition("\n")[2].strip("\ufeff \t\r") else ""
    return lead + (json.dumps(value, indent=2, ensure_ascii=False) + "\n").replace("\n", newline)


def append_toml(given: Pieced, body: str, syntax: Syntax) -> Pieced:
    """The text with a marked block at its end."""
    syntax.meaning(given.text)
    newline = jsonc.newline_of(given.text)
    lead = "" if not given.text.strip("\ufeff") or given.text.endswith("\n") else newline
    piece = lead + f"{BEGIN}\n{body}{END}\n".replace("\n", newline)
    after = given.put(jsonc.Insertion(len(given.text), piece))
    try:
        tomllib.loads(after.text.removeprefix(jsonc.BYTE_ORDER_MARK))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{syntax.path} has something else where tables have to be added ({error}) and was left as it "
            f"is. Add by hand:\n{body}"
        ) from error
    return after


def cleared(
    text: str, pieces: Sequence[jsonc.Insertion], by_meaning: Callable[[str], str], syntax: Syntax
) -> str:
    """The text without us: byte for byte as it was if the pieces are still there, else without what is ours.

    `by_meaning` takes ours out by what it says. The pieces count as still there when taking them out leaves
    nothing else changed, so a text that only looks like them is not mistaken for them.
    """
    plain = by_meaning(text)
    exact = _taken_out(text, pieces)
    if exact is None:
        return plain
    try:
        same = syntax.meaning(by_meaning(exact)) == syntax.meaning(plain)
    except UsageError:
        return plain
    return exact if same else plain


def _taken_out(text: str, pieces: Sequence[jsonc.Insertion]) -> str | None:
    """The text without the pieces; None when one of them is no longer there as it was written.

    First where they were put, then all moved by the same distance (something before them has changed), and
    then each wherever it is, if that is certain.
    """
    if not pieces:
        return text
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


def without_command(text: str, command: str, events: Sequence[str], syntax: Syntax) -> str:
    """The text without hooks that start this command for these events."""
    while (root := syntax.parsed(text)) and (found := next(_hooks_with(root, command, events), None)):
        text = jsonc.without(text, *found, comments=syntax.comments)
    return text


def without_key(text: str, keys: jsonc.Keys, syntax: Syntax) -> str:
    """The text without the value under these keys."""
    root = syntax.parsed(text)
    parent, child = (root.at(keys[:-1]), root.at(keys)) if root else (None, None)
    return jsonc.without(text, parent, child, comments=syntax.comments) if parent and child else text


def without_empty(text: str, made: Sequence[jsonc.Keys], syntax: Syntax) -> str:
    """The text without those objects and arrays under these keys that are empty."""
    for keys in sorted(made, key=len, reverse=True):
        root = syntax.parsed(text)
        node = root.at(keys) if root else None
        if node and node.kind != "scalar" and not node.inner:
            text = without_key(text, keys, syntax)
    return text


def without_tables(text: str, array: tuple[str, ...], ours: OurTable, syntax: Syntax) -> str:
    """The text without those tables of the array that `ours` has a name for, and without our marks."""
    syntax.meaning(text)
    marks = re.compile(rf"^[ \t]*(?:{re.escape(BEGIN)}|{re.escape(END)})[ \t]*\r?\n?", re.MULTILINE)
    bare = toml_tables.without(text, array, ours)
    if bare == text:
        return text
    unmarked = marks.sub("", bare)
    return unmarked if syntax.meaning(unmarked) == syntax.meaning(bare) else bare


def has_table(text: str, array: tuple[str, ...], ours: OurTable, syntax: Syntax) -> bool:
    """Whether the array has a table that is ours, also in an inline list, which nothing is taken out of."""
    syntax.meaning(text)
    return any(ours(row) is not None for row in toml_tables.rows(text, array))


def starts_command(text: str, event: str, command: str, syntax: Syntax) -> bool:
    """Whether the settings start this command for this event already."""
    root = syntax.parsed(text)
    return root is not None and any(_hooks_with(root, command, (event,)))


def _hooks_with(
    root: jsonc.Node, command: str, events: Sequence[str]
) -> Iterator[tuple[jsonc.Node, jsonc.Node]]:
    """Hooks that start the command, each after what holds it; the whole group where it has no other hook."""
    for event in filter(None, (root.at(("hooks", name)) for name in events)):
        for group in event.elements:
            inner = group.members.get("hooks")
            for hook in inner.elements if inner else ():
                there = hook.members.get("command")
                if inner and there and there.value == command:
                    yield (event, group) if len(inner.inner) == 1 else (inner, hook)
