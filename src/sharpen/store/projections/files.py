"""A file to be written: its path inside the run folder and its content. Knows encodings; knows no run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

Files = Iterator[tuple[str, bytes]]
"""Paths inside the run folder, each with its content."""
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


_line = json.JSONEncoder(ensure_ascii=False).encode


def json_file(value: object) -> bytes:
    # A lone surrogate has no UTF-8 form; `backslashreplace` writes the escape that JSON uses for it.
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def json_lines(values: Iterable[object]) -> bytes:
    return "".join(f"{_line(value)}\n" for value in values).encode("utf-8", "backslashreplace")


def markdown(text: str) -> bytes:
    """The very bytes that were evaluated: no newline is added or translated."""
    return text.encode("utf-8", "surrogatepass")


def safe_name(name: str) -> str:
    """A task's id as the name of a folder: itself, or what is left of it and a digest that keeps it apart."""
    if PLAIN_NAME.fullmatch(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub('[^A-Za-z0-9_-]+', '_', name)[:80]}-{digest}"
