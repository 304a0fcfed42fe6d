"""Prompts kept as Markdown beside the code that uses them.

A prompt begins with a comment that names its inputs and its output; the comment is not sent. An input stands
in double braces, {{question}}, and is put in once: what a text brings along is never read as a placeholder.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_HEADER = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
_INPUT = re.compile(r"\{\{(\w+)\}\}")


@cache
def packaged(package: str, path: str) -> str:
    """A text file of a package, as it is."""
    place = files(package)
    for part in path.split("/"):
        place = place / part
    return place.read_text(encoding="utf-8")


def inputs_of(template: str) -> tuple[str, ...]:
    """The names that a template wants."""
    return tuple(dict.fromkeys(_INPUT.findall(template)))


def filled(template: str, **inputs: str) -> str:
    """The template without its header, its inputs put in; a missing or superfluous one is a KeyError."""
    body = _HEADER.sub("", template)
    unknown = inputs.keys() - set(inputs_of(body))
    if unknown:
        raise KeyError(f"the prompt has no place for {', '.join(sorted(unknown))}")
    return _INPUT.sub(lambda found: inputs[found[1]], body).strip()
