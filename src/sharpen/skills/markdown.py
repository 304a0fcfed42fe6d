"""Lines and blocks of Markdown: just enough of the format to put a rule where it belongs.

Everything is decided from the lines next to the place in question; nothing is parsed. Regions, frontmatter
and edits are not known here.
"""

from __future__ import annotations

import re

_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S")
_NOT_PROSE = re.compile(r"\s|#{1,6}(?:\s|$)|[>|<]|```|~~~")


def block(content: str) -> str:
    """The content without blank lines around it; the first line keeps its indentation."""
    kept = content.rstrip()
    first = len(kept) - len(kept.lstrip())
    return kept[kept.rfind("\n", 0, first) + 1 :]


def has_lines(text: str, lines: str, *, start: int) -> bool:
    """Whether the lines stand in the text as whole lines, trailing white space apart."""
    if text.startswith(lines, start) and is_blank_to_line_end(text, start + len(lines)):
        return True
    at = text.find("\n" + lines, start)
    while at != -1 and not is_blank_to_line_end(text, at + 1 + len(lines)):
        at = text.find("\n" + lines, at + 1)
    return at != -1


def is_blank_to_line_end(text: str, at: int) -> bool:
    end = text.find("\n", at)
    rest = text[at:end] if end != -1 else text[at:]
    return not rest or rest.isspace()


def needs_blank_line(before: str, added: str) -> bool:
    """Whether an added block needs a blank line after the text before it.

    It does not when both are list items or table rows, when one line of prose follows another, and when a
    list item follows a line of prose ("Rules:"). It does everywhere else, above all after a heading or a
    fence and for prose after a list, which would otherwise become part of the last item.
    """
    last = before[before.rfind("\n") + 1 :]
    first, newline, _ = added.partition("\n")
    if _LIST_ITEM.match(first):
        in_list = last[:1] in (" ", "\t") or _LIST_ITEM.match(last)
        return not (in_list or (not newline and _is_prose(last)))
    if first.startswith("|") and last.startswith("|"):
        return False
    return bool(newline) or not (_is_prose(first) and _is_prose(last))


def _is_prose(line: str) -> bool:
    """A line of running text: no heading, item, quote, table, fence, HTML, rule or underline."""
    return not (_NOT_PROSE.match(line) or _LIST_ITEM.match(line)) and line.strip("-=*_ \t\r") != ""


def whole_line(text: str, start: int, end: int) -> tuple[int, int]:
    """The span widened to its whole line(s), newline included, if nothing but white space is left of them."""
    if text[end - 1 : end] == "\n":
        return start, end
    left = text.rfind("\n", 0, start) + 1
    if text[left:start].strip(" \t") or not is_blank_to_line_end(text, end):
        return start, end
    newline = text.find("\n", end)
    return left, len(text) if newline == -1 else newline + 1
