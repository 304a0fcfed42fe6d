"""Outputs too long for a session's own file: clients put them into files beside it, and name the file.

Of what a session says only names are taken, never a path: a reader says in which folders such files lie.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.files import open_file

LONGEST = 16 * 2**20
"""Bytes of a spilled output that are read at most."""


def file_name(place: str) -> str:
    """The last part of a path of any system."""
    return re.split(r"[\\/]", place)[-1]


def spilled(*files: Path) -> str | None:
    """The text of the first of these files that can be read."""
    for file in files:
        try:
            with open_file(file) as whole:
                return whole.read(LONGEST).decode("utf-8", "replace")
        except (OSError, ValueError, EOFError, UsageError):
            continue
    return None
