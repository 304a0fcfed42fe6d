"""A JSON text with the place of every value, so that something can be put in without touching the rest.

Comments and trailing commas are read where the client reads them. Nothing is ever written from parsed values:
an insertion is one piece of text at one position, and what is taken out is one value with its comma, so that
comments and spacing of others stay. (No library for Python keeps the bytes: those that know comments write
them anew.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

Keys = tuple[str, ...]
BYTE_ORDER_MARK = "\ufeff"

_BLANK = re.compile(r"[ \t\r\n]*+")
_BLANK_OR_COMMENT = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*(?s:.*?)\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n")


class JsonError(ValueError):
    """The text is not JSON; `args` are what is wrong, the line and the column."""


@dataclass
class Node:
    """A value and its place; in an object it has a `key`, and `begin` is where that key begins."""

    begin: int
    key: str | None = None
    start: int = 0
    end: int = 0
    kind: str = "scalar"
    value: object = None
    inner: list[Node] = field(default_factory=list)
    """What an object or an array holds, in order; a key that is there twice is here twice."""

    @property
    def members(self) -> dict[str, Node]:
        """Of two values with the same key the last counts, as in every client."""
        return {str(node.key): node for node in self.inner} if self.kind == "object" else {}

    @property
    def elements(self) -> list[Node]:
        return self.inner if self.kind == "array" else []

    def at(self, keys: Keys) -> Node | None:
        """The value under these keys, if it is there."""
        node: Node | None = self
        for key in keys:
            node = node.members.get(key) if node else None
        return node

    @property
    def plain(self) -> object:
        """The value without its places."""
        if self.kind == "object":
            return {key: node.plain for key, node in self.members.items()}
        return [node.plain for node in self.inner] if self.kind == "array" else self.value


class Insertion(NamedTuple):
    """A piece of text and where it goes."""

    at: int
    piece: str

    def into(self, text: str) -> str:
        return text[: self.at] + self.piece + text[self.at :]


def parse(text: str, *, comments: bool = False) -> Node:
    """The whole text as one value; JsonError says where it is not JSON."""
    try:
        return _Reader(text, comments=comments).whole()
    except RecursionError:
        raise JsonError("brackets are nested too deeply", 1, 1) from None


def says_nothing(text: str, *, comments: bool = False) -> bool:
    """Whether there is no value at all: an empty file, or one with comments only."""
    blank = _BLANK_OR_COMMENT if comments else _BLANK
    return bool(blank.fullmatch(text.removeprefix(BYTE_ORDER_MARK)))


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self.text, self.comments = text, comments
        self.blank = _BLANK_OR_COMMENT if comments else _BLANK
        self.at = 1 if text.startswith(BYTE_ORDER_MARK) else 0

    def whole(self) -> Node:
        self._skip()
        node = self._value(Node(self.at))
        self._skip()
        if self.at < len(self.text):
            self._fail("something follows the value")
        return node

    def _value(self, node: Node) -> Node:
        self._skip()
        node.start = self.at
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
        while not self._closed("}", first=not node.inner):
            begin = self.at
            name = self._matched(_STRING, "a name in double quotes")
            self._skip()
            if self.text[self.at : self.at + 1] != ":":
                self._fail("a colon is missing")
            self.at += 1
            node.inner.append(self._value(Node(begin, json.loads(name))))

    def _elements(self, node: Node) -> None:
        node.kind, self.at = "array", self.at + 1
        while not self._closed("]", first=not node.inner):
            node.inner.append(self._value(Node(self.at)))

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


def appended(text: str, root: Node, keys: Keys, element: object) -> Insertion:
    """What to put where, so that the array under these keys has one more element; it is made when missing."""
    node = root.at(keys)
    if node is None:
        return added(text, root, keys, [element])
    if node.kind != "array":
        raise _misplaced(text, node, "an array")
    return _child(text, node, None, element)


def added(text: str, root: Node, keys: Keys, value: object) -> Insertion:
    """What to put where, so that there is this value under these keys; objects on the way are made."""
    depth = len(keys) - 1
    while (node := root.at(keys[:depth])) is None:
        depth -= 1
    if node.kind != "object":
        raise _misplaced(text, node, "an object")
    for key in reversed(keys[depth + 1 :]):
        value = {key: value}
    return _child(text, node, keys[depth], value)


def made_on_the_way(root: Node | None, keys: Keys) -> Iterator[Keys]:
    """The keys that are not there yet, outermost first."""
    for depth in range(1, len(keys) + 1):
        if root is None or root.at(keys[:depth]) is None:
            yield keys[:depth]


def without(text: str, parent: Node, child: Node, *, comments: bool) -> str:
    """The text without one value of an object or array, without its comma, and without lines left empty."""
    blank = _BLANK_OR_COMMENT if comments else _BLANK
    cuts = [(child.begin, child.end)]
    comma = _comma_after(text, child, blank)
    if comma is None:  # it is the last, so the comma before it goes
        before = next((node for node in reversed(parent.inner) if node.end <= child.begin), None)
        comma = _comma_after(text, before, blank) if before else None
    if comma is not None:
        cuts.append((comma, comma + 1))
    for start, end in sorted(cuts, reverse=True):
        text = _cut(text, start, end)
    return text


def _comma_after(text: str, node: Node, blank: re.Pattern[str]) -> int | None:
    found = blank.match(text, node.end)
    at = found.end() if found else node.end
    return at if text[at : at + 1] == "," else None


def _cut(text: str, start: int, end: int) -> str:
    """Without this part; a line on which nothing else stands goes with it, and so does a blank before it."""
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip(" \t"):
        return text[:start].rstrip(" \t") + text[end:]
    rest = _REST_OF_LINE.match(text, end)
    return text[:line] + text[rest.end() :] if rest else text[:start] + text[end:]


def _child(text: str, node: Node, key: str | None, value: object) -> Insertion:
    indent = _indent_of(text, node)
    written = json.dumps(value, indent=2 if indent is not None else None, ensure_ascii=False)
    newline = newline_of(text)
    if indent is not None:
        written = written.replace("\n", newline + indent)
    piece = written if key is None else f"{json.dumps(key, ensure_ascii=False)}: {written}"
    lead = newline + indent if indent is not None else ""
    if node.inner:
        return Insertion(node.inner[-1].end, f",{lead or ' '}{piece}")
    tail = newline + indent[:-2] if indent else ""
    return Insertion(node.start + 1, f"{lead}{piece}{tail}")


def newline_of(text: str) -> str:
    """How this text ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def _indent_of(text: str, node: Node) -> str | None:
    """The white space before its children when they stand on lines of their own; None when they do not."""
    if not node.inner:
        return _line_indent(text, node.start) + "  "
    first = node.inner[0].begin
    return _line_indent(text, first) if "\n" in text[node.start : first] else None


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _misplaced(text: str, node: Node, wanted: str) -> JsonError:
    return _error(f"{wanted} is expected here", text, node.start)


def _error(what: str, text: str, at: int) -> JsonError:
    line = text.count("\n", 0, at) + 1
    return JsonError(what, line, at - text.rfind("\n", 0, at))
