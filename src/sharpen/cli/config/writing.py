"""Saying a resolved configuration: as YAML in sections, as SkillOpt's flat mapping. Secrets are left out.

What is written reads back equal, but for the secrets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from sharpen.cli.config.names import flat_names
from sharpen.cli.config.reading import Resolved
from sharpen.cli.config.record import SECTIONS, Config


def as_sections(config: Config) -> dict[str, object]:
    """Plain values by section, for JSON."""
    found: dict[str, object] = {} if config.preset is None else {"preset": config.preset}
    for section in SECTIONS:
        found[section] = {}
    for dotted, value in config.values():
        section, _, key = dotted.partition(".")
        inside = found[section]
        if key and isinstance(inside, dict):
            inside[key] = _number(value)
    return found


def as_flat(config: Config) -> dict[str, object]:
    """SkillOpt's flat runtime mapping, as its runs keep it in config.json."""
    values = dict(config.values())
    return {flat: _number(values[dotted]) for flat, dotted in flat_names().items()}


def as_yaml(resolved: Resolved, *, origins: bool = False) -> str:
    """The file that would give the same configuration; with `origins`, where each value came from."""
    return "\n".join(_lines(resolved, origins=origins)) + "\n"


def _lines(resolved: Resolved, *, origins: bool) -> Iterator[str]:
    section = ""
    for dotted, value in resolved.config.values():
        heading, _, key = dotted.partition(".")
        if not key:
            yield f"{heading}: {scalar(value)}"
            continue
        if heading != section:
            section = heading
            yield f"{heading}:"
        line = f"  {key}: {scalar(value)}"
        yield f"{line:<50}  # {resolved.origin(dotted)}" if origins else line


def scalar(value: object) -> str:
    """One value on one line. Text is quoted the JSON way, which YAML reads as text whatever it looks like."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)}: {scalar(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(scalar, value)) + "]"
    if isinstance(value, str) and value.isidentifier() and value.lower() not in _TAKEN:
        return value
    return json.dumps(_number(value), ensure_ascii=not _is_printable(value))


_TAKEN = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def _is_printable(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


def _number(value: object) -> object:
    """120.0 was written as 120, most likely."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
