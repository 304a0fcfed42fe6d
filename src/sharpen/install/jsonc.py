"""A JSON text with the place of every value, so that something can be put in without touching the rest.

Comments and trailing commas are read where the client reads them. Nothing is ever written from parsed values:
an insertion is one piece of text at one position, and taking exactly that piece out again restores the file
byte for byte. (No library for Python keeps the bytes: those that know comments write them anew.)
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

_BLANK = re.compile(r"[ \t\r\n]*")
_BLANK_OR_COMMENT = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*(?s:.*?)\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")


class JsonError(ValueError):
    """The text is not JSON; `args` are what is wrong, the line and the column."""

    @property
    def where(self) -> str:
        what, line, column = self.args
        return f"line {line}, column {column}: {what}"


@dataclass
class Node:
    """A value and its place. Objects keep their members in `members`, arrays their elements in `elements`."""

    start: int
    end: int = 0
    kind: str = "scalar"
    value: object = None
    members: dict[str, Node] = field(default_factory=dict)
    elements: list[Node] = field(default_factory=list)

    @property
    def inner(self) -> list[Node]:
        return self.elements or list(self.members.values())


class Insertion(NamedTuple):
    """A piece of text and where it goes."""

    at: int
    piece: str

    def into(self, text: str) -> str:
        return text[: self.at] + self.piece + text[self.at :]


def parse(text: str, *, comments: bool = False) -> Node:
    """The whole text as one value; JsonError says where it is not JSON."""
    return _Reader(text, comments=comments).whole()


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self.text, self.comments = text, comments
        self.blank = _BLANK_OR_COMMENT if comments else _BLANK
        self.at = 1 if text.startswith("\ufeff") else 0

    def whole(self) -> Node:
        node = self._value()
        self._skip()
        if self.at < len(self.text):
            self._fail("something follows the value")
        return node

    def _value(self) -> Node:
        self._skip()
        node = Node(self.at)
        opening = self.text[self.at : self.at + 1]
        if opening == "{":
            self._members(node)
        elif opening == "[":
            self._elements(node)
        else:
            node.value = self._scalar()
        node.end = self.at
        return node

    def _members(self, node: Node) -> None:
        node.kind, self.at = "object", self.at + 1
        while not self._closed("}", first=not node.members):
            name = self._matched(_STRING, "a name in double quotes")
            self._skip()
            if self.text[self.at : self.at + 1] != ":":
                self._fail("a colon is missing")
            self.at += 1
            node.members[json.loads(name)] = self._value()

    def _elements(self, node: Node) -> None:
        node.kind, self.at = "array", self.at + 1
        while not self._closed("]", first=not node.elements):
            node.elements.append(self._value())

    def _closed(self, bracket: str, *, first: bool) -> bool:
        """Past the bracket, or past the comma to the next one."""
        self._skip()
        letter = self.text[self.at : self.at + 1]
        if letter == "," and not first:
            self.at += 1
            self._skip()
            if not (self.comments and self.text[self.at : self.at + 1] == bracket):
                return False
            letter = bracket
        if letter == bracket:
            self.at += 1
            return True
        if not first:
            self._fail(f"a comma or {bracket} is missing")
        return False

    def _scalar(self) -> object:
        string = self.text[self.at : self.at + 1] == '"'
        found = self._matched(_STRING if string else _SCALAR, "a value")
        return json.loads(found)

    def _matched(self, pattern: re.Pattern[str], what: str) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            self._fail(f"{what} is missing or wrong")
        self.at = found.end()
        return found[0]

    def _skip(self) -> None:
        found = self.blank.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _fail(self, what: str) -> NoReturn:
        raise _error(what, self.text, self.at)


def appended(text: str, root: Node, keys: tuple[str, ...], element: object) -> Insertion:
    """What to put where, so that the array under these keys has one more element; it is made when missing."""
    node = _found(text, root, keys)
    if node is None:
        return added(text, root, keys, [element])
    if node.kind != "array":
        raise _misplaced(text, node, "an array")
    return _child(text, node, None, element)


def added(text: str, root: Node, keys: tuple[str, ...], value: object) -> Insertion:
    """What to put where, so that there is this value under these keys; objects on the way are made."""
    depth = next(n for n in range(len(keys), -1, -1) if _found(text, root, keys[:n]) is not None)
    node = _found(text, root, keys[:depth])
    if node is None or node.kind != "object":
        raise _misplaced(text, node or root, "an object")
    for key in reversed(keys[depth + 1 :]):
        value = {key: value}
    return _child(text, node, keys[depth], value)


def _found(text: str, root: Node, keys: tuple[str, ...]) -> Node | None:
    node = root
    for key in keys:
        if node.kind != "object":
            raise _misplaced(text, node, "an object")
        if key not in node.members:
            return None
        node = node.members[key]
    return node


def without(text: str, parent: Node, child: Node) -> str:
    """The text without one element of an array, and without the comma that goes with it."""
    at = parent.elements.index(child)
    if at + 1 < len(parent.elements):
        return text[: child.start] + text[parent.elements[at + 1].start :]
    start = parent.elements[at - 1].end if at else child.start
    return text[:start] + text[child.end :]


def _child(text: str, node: Node, key: str | None, value: object) -> Insertion:
    indent = _indent_of(text, node)
    written = json.dumps(value, indent=2 if indent is not None else None, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    if indent is not None:
        written = written.replace("\n", newline + indent)
    piece = written if key is None else f"{json.dumps(key, ensure_ascii=False)}: {written}"
    lead = newline + indent if indent is not None else ""
    if node.inner:
        return Insertion(max(inner.end for inner in node.inner), f",{lead or ' '}{piece}")
    tail = newline + indent[:-2] if indent else ""
    return Insertion(node.start + 1, f"{lead}{piece}{tail}")


def _indent_of(text: str, node: Node) -> str | None:
    """The white space before its children when they stand on lines of their own; None when they do not."""
    if not node.inner:
        return _line_indent(text, node.start) + "  "
    first = min(inner.start for inner in node.inner)
    return _line_indent(text, first) if "\n" in text[node.start : first] else None


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _misplaced(text: str, node: Node, wanted: str) -> JsonError:
    return _error(f"{wanted} is expected here", text, node.start)


def _error(what: str, text: str, at: int) -> JsonError:
    line = text.count("\n", 0, at) + 1
    return JsonError(what, line, at - text.rfind("\n", 0, at))
