"""The YAML block at the top of a skill: the six fields of the Agent Skills standard.

Reading is lenient, as clients are (unquoted colons, CRLF, a byte order mark, every scalar taken as a string);
writing is strict and has one form. Whatever cannot be read ends in a SkillError. This module knows the fields
and their limits; it does not know files, folders or the body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeGuard

from sharpen.errors import SkillError

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
MAX_NAME, MAX_DESCRIPTION, MAX_COMPATIBILITY = 64, 1024, 500

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r?\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_BARE_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*([.-][A-Za-z0-9_]+)*")
_YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_FOLLOWED_BY_TWO_DASHES = re.compile(r"-(?=--)")


@dataclass(frozen=True)
class Frontmatter:
    """The standard's fields; `extra` keeps what the standard does not know, or knows in another shape."""

    name: str | None = None
    description: str | None = None
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    allowed_tools: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)


class Violation(NamedTuple):
    """One way in which a field breaks the standard: the rule's id, and the reason with its remedy."""

    field: str
    rule: str
    message: str


def opens_frontmatter(text: str) -> bool:
    """Whether the text begins with a `---` line, which every client reads as the start of frontmatter."""
    return text.startswith(("---", "\ufeff---")) and _OPENING.match(text) is not None


def body_start(text: str) -> int:
    """Where the body begins: after the closing `---` line, or 0 when there is no (closed) frontmatter."""
    if not text.startswith(("---", "\ufeff---")):
        return 0
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return closing.end() if closing else 0


def block_of(text: str) -> str | None:
    """The YAML between the two `---` lines; None without frontmatter, SkillError when it is never closed."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise SkillError(
            "the frontmatter that begins with '---' in line 1 is never closed; add a line '---' after its "
            "last field, or do not begin the document with '---'"
        )
    return text[opening.end() : closing.start()]


def parse_frontmatter(text: str) -> Frontmatter | None:
    """The frontmatter of a skill's text, read leniently; None when it has none."""
    block = block_of(text)
    if block is None:
        return None
    from sharpen.skills.yaml_block import read_block  # loads ruamel.yaml

    return _from_fields(read_block(block))


def _from_fields(fields: Mapping[str, object]) -> Frontmatter:
    known: dict[str, str] = {}
    extra: dict[str, object] = {}
    metadata: dict[str, str] = {}
    for key, value in fields.items():
        text = _as_text(key, value)
        if key == "metadata" and _is_string_map(value):
            metadata = value
        elif key in FIELDS and key != "metadata" and text is not None:
            known[key.replace("-", "_")] = text
        else:
            extra[key] = value
    return Frontmatter(**known, metadata=metadata, extra=extra)


def _as_text(key: str, value: object) -> str | None:
    """A string as it is; a list of tools, which several clients accept, as the standard's spaced string."""
    if isinstance(value, str):
        return value
    if key == "allowed-tools" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return None


def _is_string_map(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def violations(front: Frontmatter, *, folder_name: str | None = None) -> Iterator[Violation]:
    """Every way in which the fields break the standard; a valid skill yields nothing."""
    yield from _name_violations(front.name, folder_name)
    yield from _description_violations(front.description)
    if front.compatibility is not None and not 1 <= len(front.compatibility) <= MAX_COMPATIBILITY:
        size = len(front.compatibility)
        message = f"compatibility has {size} characters; use 1 to {MAX_COMPATIBILITY}, or leave it out"
        yield Violation("compatibility", "compatibility-length", message)
    for key in front.extra:
        yield _extra_violation(key)
    for key, value in _values(front):
        if not isinstance(value, str):
            yield _extra_violation(key)
        elif not value.isascii() and re.search("[\ud800-\udfff]", value):
            yield Violation(key, "not-unicode", f"{key} holds half of a surrogate pair; remove it")


def _name_violations(name: str | None, folder_name: str | None) -> Iterator[Violation]:
    if not name:
        yield Violation("name", "name-missing", "there is no name; add one equal to the folder's name")
        return
    if len(name) > MAX_NAME:
        yield Violation("name", "name-length", f"the name has {len(name)} characters; use at most {MAX_NAME}")
    if not NAME.fullmatch(name):
        message = f"the name {name[:80]!r} must be lower-case a-z, 0-9 and single hyphens between them"
        yield Violation("name", "name-format", message)
    if folder_name is not None and name != folder_name:
        message = f"the name {name[:80]!r} must equal the folder's name {folder_name!r}; rename one of them"
        yield Violation("name", "name-folder", message)


def _description_violations(description: str | None) -> Iterator[Violation]:
    if description is None or not description.strip():
        message = "there is no description; say what the skill does and when to use it"
        yield Violation("description", "description-missing", message)
        return
    if len(description) > MAX_DESCRIPTION:
        message = f"the description has {len(description)} characters; shorten it to {MAX_DESCRIPTION}"
        yield Violation("description", "description-length", message)
    if "<" in description or ">" in description:
        message = "the description holds '<' or '>', which uploads refuse; reword it"
        yield Violation("description", "description-angle-brackets", message)


def _extra_violation(key: str) -> Violation:
    if key in FIELDS:
        shape = "a map of strings to strings" if key == "metadata" else "a string"
        return Violation(key, "field-type", f"the field {key!r} must be {shape}")
    message = (
        f"the field {key[:80]!r} is none of the standard's six ({', '.join(FIELDS)}); move it into metadata"
    )
    return Violation(key, "unknown-field", message)


def _values(front: Frontmatter) -> Iterator[tuple[str, object]]:
    """Every value that has to be a string, with its field; metadata gives its keys as well."""
    for key in FIELDS:
        value = getattr(front, key.replace("-", "_"))
        if key == "metadata":
            yield from ((key, text) for item in front.metadata.items() for text in item)
        elif value is not None:
            yield key, value


def render_frontmatter(front: Frontmatter) -> str:
    """The one written form: the six fields in the standard's order, block style, every value quoted.

    SkillError when the fields break the standard; reading the result back gives an equal record.
    """
    broken = [violation.message for violation in violations(front)]
    if broken:
        raise SkillError("this frontmatter cannot be written: " + "; ".join(broken))
    lines = []
    for key in FIELDS:
        if key != "metadata":
            value = getattr(front, key.replace("-", "_"))
            lines += [] if value is None else [f"{key}: {_quoted(value)}"]
        elif front.metadata:
            lines.append("metadata:")
            lines += [f"  {_key(name)}: {_quoted(value)}" for name, value in front.metadata.items()]
    return "---\n" + "\n".join(lines) + "\n---\n"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) and name.lower() not in _YAML_WORDS else _quoted(name)


def _quoted(value: str) -> str:
    """A double-quoted YAML scalar on one line. Three dashes are escaped: some readers split at any."""
    quoted = "".join(
        char if char.isprintable() else _escape(char) for char in json.dumps(value, ensure_ascii=False)
    )
    return _FOLLOWED_BY_TWO_DASHES.sub(r"\\x2d", quoted)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
