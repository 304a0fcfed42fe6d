"""Globs for paths, as people know them from .gitignore: a star stays within a folder, two stars do not.

A glob fits the end of a path: `*.py` fits any Python file, `src/*.py` one right below a folder `src`, and
`src/**/*.py` one anywhere below it; `tests/**` fits whatever is below a folder `tests`. `?` is one character,
`[ab]` and `[!ab]` one of some. Upper and lower case count.
"""

from __future__ import annotations


def glob_matches(glob: str, path: str) -> bool:
    """Whether the glob fits the path or the end of it, counted in whole names."""
    names = [name for name in path.replace("\\", "/").split("/") if name not in ("", ".")]
    parts = [part for part in glob.split("/") if part not in ("", ".")]
    if not parts or not names:
        return False
    if glob.startswith("/"):
        return _fits(parts, names)
    return _fits(["**", *parts], names)


def _fits(parts: list[str], names: list[str]) -> bool:
    """Whether the parts fit the names, all of both; no way is tried twice."""
    reached = {0}
    for at, part in enumerate(parts):
        if part == "**":
            least = 1 if at == len(parts) - 1 else 0  # `tests/**` is what is in it, not the folder itself
            reached = {end for start in reached for end in range(start + least, len(names) + 1)}
        else:
            reached = {
                start + 1 for start in reached if start < len(names) and _name_fits(part, names[start])
            }
    return len(names) in reached


def _name_fits(part: str, name: str) -> bool:
    """Without a regular expression: only the last star ever takes one more, so no glob is slow."""
    signs = _signs(part)
    at = place = 0
    star, resume = -1, 0
    while place < len(name):
        if at < len(signs) and signs[at] == "*":
            star, resume, at = at, place, at + 1
        elif at < len(signs) and _sign_fits(signs[at], name[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(sign == "*" for sign in signs[at:])


def _signs(part: str) -> list[str]:
    """The glob in its signs; a bracket without its end stands for itself."""
    signs, at = [], 0
    while at < len(part):
        end = part.find("]", at + 2 + (part[at + 1 : at + 2] == "!")) if part[at] == "[" else -1
        signs.append(part[at : end + 1] if end > 0 else part[at])
        at = end + 1 if end > 0 else at + 1
    return signs


def _sign_fits(sign: str, letter: str) -> bool:
    if len(sign) == 1:
        return sign in ("?", letter)
    inside = sign[1:-1]
    if inside[0] == "!":
        return not _within(inside[1:], letter)
    return _within(inside, letter)


def _within(members: str, letter: str) -> bool:
    """Members are letters, or ranges such as a-z; a hyphen at an end is itself."""
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            if members[at] <= letter <= members[at + 2]:
                return True
            at += 3
        elif members[at] == letter:
            return True
        else:
            at += 1
    return False
